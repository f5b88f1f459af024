"""The JavaScript that runs inside a rendered page: before it, while it settles, and to read it."""

# Before any script of the page: same page, same DOM (seeded random, nothing left by the page before
# in this seat), nothing that waits for a person or opens windows, no channel besides requests, and
# shadow roots that can be read.
PREPARE = """
(() => {
  const isNewVisit = performance.navigation.type === 0 && !document.referrer;
  if (window === top && isNewVisit) {
    window.name = '';
    try { localStorage.clear(); sessionStorage.clear(); } catch { /* no storage here */ }
  }
  let state = 0x9e3779b9;
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const nothing = undefined;
  const answers = {
    alert: nothing, confirm: false, prompt: null, print: nothing, open: null, close: nothing,
  };
  for (const [name, answer] of Object.entries(answers)) window[name] = () => answer;
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport'])
    delete window[name];
  // Each change of the address goes through the browser's one process: a page that makes hundreds
  // a second starves the pages of all other seats.
  const replaceState = History.prototype.replaceState;
  let changes = 0;
  for (const name of ['pushState', 'replaceState']) {
    const change = History.prototype[name];
    History.prototype[name] = function (...given) {
      changes += 1;
      if (changes <= 100) change.apply(this, given);
    };
  }
  // What the page asks for counts the moment it asks: on a busy machine we hear of it only later,
  // and of what our cache answers not at all. An address asked for again is polling, no news.
  const asked = { addresses: new Set(), pending: 0 };
  Object.defineProperty(window, '__webmineAsked', { value: asked });
  const begins = (rawAddress) => {
    const address = String(rawAddress).slice(0, 1000);
    let isPending = asked.addresses.size < 1000 && !asked.addresses.has(address);
    if (isPending) { asked.addresses.add(address); asked.pending += 1; }
    return () => { if (isPending) { isPending = false; asked.pending -= 1; } };
  };
  const fetch = window.fetch;
  window.fetch = function (...given) {
    const ends = begins(given[0]?.url ?? given[0]);
    const answer = fetch.apply(this, given);
    answer.then(ends, ends);
    return answer;
  };
  const { open, send } = XMLHttpRequest.prototype;
  const addresses = new WeakMap();
  XMLHttpRequest.prototype.open = function (...given) {
    addresses.set(this, given[1]);
    return open.apply(this, given);
  };
  XMLHttpRequest.prototype.send = function (...given) {
    const ends = begins(addresses.get(this));
    this.addEventListener('loadend', ends, { once: true });
    try { return send.apply(this, given); } catch (problem) { ends(); throw problem; }
  };
  // Once we are done with the page, a change of its address is ours and not for its router, be it
  // told by the browser or by a replaceState of its own.
  let isLeft = false;
  window.navigation?.addEventListener('navigate', (event) => {
    if (isLeft) event.stopImmediatePropagation();
  });
  const leave = () => {
    isLeft = true;
    replaceState.call(history, null, '', `${location.origin}/webmine-left`);
  };
  Object.defineProperty(window, '__webmineLeave', { value: leave });
  const attachShadow = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) {
    return attachShadow.call(this, { ...options, mode: 'open' });
  };
})();
"""

# In the document that a seat shows from its last visit: what bears this mark is not the new page.
# Its address is changed, because to go to another fragment of the same one would only scroll it.
LEAVE = """
() => {
  window.__webmineLeft = true;
  try { window.__webmineLeave(); } catch { /* a document of no origin */ }
}
"""

# Resolves when the content, and what the page asks for, has not changed for `quietMs`, or after
# `limitMs` in any case. Lengths and counts are compared, not mutations: a clock or a carousel
# mutates for ever.
SETTLE = """
({ quietMs, limitMs }) => new Promise((resolve) => {
  const started = performance.now();
  const asked = window.__webmineAsked ?? { addresses: new Set(), pending: 0 };
  const look = () => {
    if (document.readyState === 'loading' || !document.body) return null;
    const text = document.body.textContent.length;
    const elements = document.getElementsByTagName('*').length;
    const shown = `${text}/${elements}/${document.links.length}/${document.title.length}`;
    return `${shown}/${asked.addresses.size}/${asked.pending}`;
  };
  const visibleText = () => {
    let length = 0;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode() && length < 100000) {
      const parent = walker.currentNode.parentElement;
      if (parent && !/^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE)$/.test(parent.tagName))
        length += walker.currentNode.data.trim().length;
    }
    return length;
  };
  let last = look();
  let since = started;
  let before = started;
  const step = () => {
    const now = performance.now();
    const current = look();
    // A late step means that a script was running: what it started is still to come.
    if (current !== last || now - before > 100) { last = current; since = now; }
    before = now;
    const quiet = last !== null && now - since >= quietMs;
    if (!quiet && now - started < limitMs) { setTimeout(step, 25); return; }
    const busy = document.querySelector('[aria-busy="true"], .loading, .spinner, .skeleton');
    const text = document.body ? visibleText() : 0;
    resolve({ quiet, text, busy: busy !== null, pending: asked.pending });
  };
  step();
})
"""

# The DOM as HTML, what shadow roots show put where it shows; cut at `maxChars`.
READ = """
(maxChars) => {
  const flatten = (root) => {
    for (const element of root.querySelectorAll('*')) {
      const shadow = element.shadowRoot;
      if (!shadow) continue;
      flatten(shadow);
      for (const slot of [...shadow.querySelectorAll('slot')]) {
        const assigned = slot.assignedNodes();
        slot.replaceWith(...(assigned.length ? assigned : slot.childNodes));
      }
      element.replaceChildren(...shadow.childNodes);
    }
  };
  flatten(document);
  const doctype = document.doctype ? '<!DOCTYPE html>' : '';
  const html = doctype + (document.documentElement ? document.documentElement.outerHTML : '');
  const title = document.title.slice(0, 10000);
  const isLeft = window.__webmineLeft === true;
  return { html: html.slice(0, maxChars), title, url: location.href, isLeft };
}
"""
