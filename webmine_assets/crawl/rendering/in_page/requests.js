// What the page asks for counts the moment it asks: on a busy machine we hear of it only later, and
// of what our cache answers not at all. An address asked for again is polling, no news.
const MAX_ADDRESSES = 1000;
// Every request passes through the one process that drives all seats: what asks without end is
// refused here, as if the network had failed.
const MAX_CALLS = 1000;
const asked = { addresses: Object.create(null), different: 0, pending: 0, calls: 0 };
const begins = (rawAddress) => {
  const address = slice(`${rawAddress}`, 0, 1000);
  let isPending = asked.different < MAX_ADDRESSES && !(address in asked.addresses);
  if (isPending) {
    asked.addresses[address] = true;
    asked.different += 1;
    asked.pending += 1;
  }
  return () => { if (isPending) { isPending = false; asked.pending -= 1; } };
};
const isOneTooMany = () => {
  asked.calls += 1;
  return asked.calls > MAX_CALLS;
};

const { fetch } = window;
window.fetch = function (...given) {
  if (isOneTooMany()) return rejected(new TypeError('Failed to fetch'));
  const ends = begins(given[0]?.url ?? given[0]);
  const answer = apply(fetch, this, given);
  then(answer, ends, ends);
  return answer;
};

const { open, send } = XMLHttpRequest.prototype;
const opened = Symbol('opened');
XMLHttpRequest.prototype.open = function (...given) {
  this[opened] = { address: given[1], isAsync: given.length < 3 || Boolean(given[2]) };
  return apply(open, this, given);
};
XMLHttpRequest.prototype.send = function (...given) {
  if (isOneTooMany()) {
    if (this[opened]?.isAsync === false) throw new DOMException('Failed to load', 'NetworkError');
    const fail = (kind) => dispatch(this, new ProgressEvent(kind));
    later(() => { fail('error'); fail('loadend'); }, 0);
    return undefined;
  }
  const ends = begins(this[opened]?.address);
  addListener(this, 'loadend', ends, { once: true });
  try { return apply(send, this, given); } catch (problem) { ends(); throw problem; }
};
