// Same page, same DOM: seeded random, nothing left by the page before in this seat, nothing that
// waits for a person or opens windows, no channel besides requests.
const isNewVisit = performance.navigation.type === 0 && !document.referrer;
if (window === top && isNewVisit) {
  window.name = '';
  try { localStorage.clear(); sessionStorage.clear(); } catch { /* no storage here */ }
}
let state = 0x9e3779b9;
const multiply = Math.imul;
Math.random = () => {
  state = (state + 0x6d2b79f5) | 0;
  let t = multiply(state ^ (state >>> 15), 1 | state);
  t = (t + multiply(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};
const nothing = undefined;
const answers = {
  alert: nothing, confirm: false, prompt: null, print: nothing, open: null, close: nothing,
};
for (const [name, answer] of Object.entries(answers)) window[name] = () => answer;
for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport'])
  delete window[name];
