// Each change of the address goes through the browser's one process: a page that makes hundreds a
// second starves the pages of all other seats.
const MAX_MOVES = 100;
let moves = 0;
// Once we are done with a page it goes nowhere, and the change that LEAVE makes is not for its
// router.
let isLeaving = false;
let isLeft = false;
if (window.navigation) {
  const prevent = unbound(Event.prototype.preventDefault);
  const hide = unbound(Event.prototype.stopImmediatePropagation);
  addListener(window.navigation, 'navigate', (event) => {
    moves += 1;
    if (isLeaving) hide(event);
    if (isLeft || (moves > MAX_MOVES && !isLeaving)) prevent(event);
  });
}

// Of the seat's session history only what this visit added is the page's: a button "back" that is
// shown where there is something before would come and go with the order of the crawl.
const first = window.navigation?.entries()[0];
const isAfterAnother = first?.url === location.origin + LEFT_PATH;
const historyLength = reader(History.prototype, 'length');
Object.defineProperty(History.prototype, 'length', {
  get() { return historyLength(this) - (isAfterAnother ? 1 : 0); },
  configurable: true,
  enumerable: true,
});

// Gives the document that a seat shows from its last visit another address, because to go to
// another fragment of the same one would only scroll it; false for a document of no origin.
const leave = () => {
  isLeaving = true;
  try { replaceState(null, '', LEFT_PATH); } catch { /* the caller is told */ }
  isLeft = true;
  return location.pathname === LEFT_PATH;
};
