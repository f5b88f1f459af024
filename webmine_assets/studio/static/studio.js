// Shortcuts: `/` goes to the search of this page, `g` and a letter to another view.
const views = { o: '/', p: '/pages', u: '/urls', r: '/rules', s: '/sql', a: '/api' };
const WAIT_MS = 1200;
let goingSince = 0;

const isTyping = (target) => target.closest?.('input, select, textarea, [contenteditable]');
const isVisible = (element) => element && element.offsetParent !== null;

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (event.key === '/') {
    const search = [document.querySelector('main input[type=search]'), document.querySelector('[data-shortcut]')].find(isVisible);
    if (search) { event.preventDefault(); search.focus(); search.select(); }
  } else if (event.key === 'g') {
    goingSince = event.timeStamp;
  } else if (views[event.key] && goingSince && event.timeStamp - goingSince < WAIT_MS) {
    location.assign(views[event.key]);
  } else {
    goingSince = 0;
  }
});
