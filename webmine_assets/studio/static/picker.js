// Runs inside the sandboxed copy of a stored page. It knows numbers only: which element was
// clicked goes out, which elements to mark comes in.
(() => {
  'use strict';
  const marked = new Set();
  let hovered = null;
  const outline = (element, value) => element.style.setProperty('outline', value, 'important');
  const elementOf = (target) => (target instanceof Element ? target.closest('[data-wm]') : null);
  const restore = (element) => outline(element, marked.has(element) ? '3px solid #d4351c' : 'none');
  window.addEventListener('mouseover', (event) => {
    if (hovered) restore(hovered);
    hovered = elementOf(event.target);
    if (hovered) outline(hovered, '2px dashed #1d70b8');
  }, true);
  window.addEventListener('click', (event) => {
    event.preventDefault();
    event.stopPropagation();
    const element = elementOf(event.target);
    if (element) window.parent.postMessage({ picked: Number(element.dataset.wm) }, '*');
  }, true);
  window.addEventListener('submit', (event) => event.preventDefault(), true);
  window.addEventListener('message', (event) => {
    if (event.source !== window.parent || !Array.isArray(event.data?.marked)) return;
    for (const element of marked) outline(element, 'none');
    marked.clear();
    for (const number of event.data.marked.slice(0, 500)) {
      const element = document.querySelector(`[data-wm="${Number(number)}"]`);
      if (element) { marked.add(element); outline(element, '3px solid #d4351c'); }
    }
    const [first] = marked;
    if (event.data.reveal && first) first.scrollIntoView({ block: 'center' });
  });
  window.addEventListener('load', () => window.parent.postMessage({ ready: true }, '*'));
})();
