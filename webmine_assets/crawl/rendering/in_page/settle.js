// Resolves when the content, and what the page asks for, has not changed for `quietMs`, or after
// `limitMs` in any case. Lengths and counts are compared, not mutations: a clock or a carousel
// mutates for ever.
const look = () => {
  const body = bodyOf(document);
  if (readyStateOf(document) === 'loading' || !body) return null;
  let text = textOf(body).length;
  for (let at = 0; at < shadowRoots.length; at += 1) text += textOf(shadowRoots[at]).length;
  const elements = lengthOf(elementsNamed(document, '*'));
  const shown = `${text}/${elements}/${lengthOf(linksOf(document))}/${titleOf(document).length}`;
  return `${shown}/${asked.different}/${asked.pending}`;
};
const UNSEEN = { __proto__: null, script: true, style: true, noscript: true, template: true };
const MUCH_TEXT = 100000;
const visibleTextIn = (root) => {
  let length = 0;
  const walker = walk(document, root, NodeFilter.SHOW_TEXT);
  for (let node; length < MUCH_TEXT && (node = nextNode(walker)); ) {
    const parent = parentElementOf(node);
    if (!parent || !UNSEEN[localNameOf(parent)]) length += trim(dataOf(node)).length;
  }
  return length;
};
const visibleText = (body) => {
  let length = visibleTextIn(body);
  for (let at = 0; length < MUCH_TEXT && at < shadowRoots.length; at += 1)
    length += visibleTextIn(shadowRoots[at]);
  return length;
};
const LOADING = '[aria-busy="true"], .loading, .spinner, .skeleton';
const settle = (quietMs, limitMs) => new Promise((resolve) => {
  const started = clock();
  let last = look();
  let since = started;
  let before = started;
  const step = () => {
    const now = clock();
    const current = look();
    // A late step means that a script was running: what it started is still to come.
    if (current !== last || now - before > 100) { last = current; since = now; }
    before = now;
    const quiet = last !== null && now - since >= quietMs;
    if (!quiet && now - started < limitMs) { later(step, 25); return; }
    const body = bodyOf(document);
    const text = body ? visibleText(body) : 0;
    const busy = query(document, LOADING) !== null;
    resolve({ __proto__: null, quiet, text, busy, pending: asked.pending });
  };
  step();
});
