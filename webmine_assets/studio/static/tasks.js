// What the API answers, and how far an enhancement is: shared by the views that start one.
const WORDS = {
  queued: 'Waiting for its turn…', running: 'Enhancing the stored pages…',
  done: 'The stored pages are enhanced again. ', failed: 'Enhancement failed. ',
};
const KINDS = { done: 'good', failed: 'bad' };
const PAUSE_MS = 700;

export function element(tag, text, properties = {}) {
  const made = Object.assign(document.createElement(tag), properties);
  made.textContent = text;
  return made;
}

export async function call(address, options = {}) {
  const answer = await fetch(address, options);
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.detail);
  return body;
}

export function complain(place, problem) {
  const notice = element('p', problem.message, { className: 'notice bad' });
  notice.setAttribute('role', 'alert');
  place.replaceChildren(notice);
}

/** Show a task in `place` until it ended; `first` says what was done, `link` leads on. */
export async function follow(number, place, first, link) {
  for (;;) {
    const { tasks } = await call('/api/tasks');
    const task = tasks.find((one) => one.number === number);
    if (!task) return;
    const notice = element('p', '', { className: `notice ${KINDS[task.state] ?? ''}` });
    notice.append(element('strong', first), ` ${WORDS[task.state]}`, task.state === 'done' ? '' : task.note);
    if (task.state === 'done' && link) notice.append(element('a', link.text, { href: link.href }));
    notice.dataset.state = task.state;
    place.replaceChildren(notice);
    notice.scrollIntoView({ block: 'nearest' });
    if (task.state in KINDS) return;
    await new Promise((resolve) => { setTimeout(resolve, PAUSE_MS); });
  }
}
