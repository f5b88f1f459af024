import { call, complain, element, follow } from './tasks.js';
import './rules.js';

const find = (id) => document.getElementById(id);
const bench = find('bench');
const frame = find('picker');
const selector = find('selector');
const kind = find('type');
const saving = find('save')?.querySelector('button');
const percent = (share) => `${(100 * share).toFixed(share && share < 0.1 ? 1 : 0)} %`;
let turn = 0;

const ask = (path, values) => call(`${path}?${new URLSearchParams(values)}`);

function say(text, isBad = false) {
  find('status').textContent = text;
  find('status').className = isBad ? 'small notice bad' : 'small';
}

function choose(value, type = 'css_selector') {
  selector.value = value;
  kind.value = type;
  for (const chip of document.querySelectorAll('.chip')) {
    chip.setAttribute('aria-pressed', String(chip.dataset.selector === value));
  }
  return preview();
}

async function pick(number) {
  try {
    const { chosen, ancestors } = await ask('/api/rules/pick', { page: bench.dataset.page, element: number });
    if (!chosen) return say('That is the whole page.');
    find('ancestors').replaceChildren(...ancestors.map((ancestor) => {
      const item = document.createElement('li');
      const chip = element('button', ancestor.label, { type: 'button', className: 'chip', title: ancestor.selector });
      chip.dataset.selector = ancestor.selector;
      chip.addEventListener('click', () => choose(ancestor.selector));
      item.append(chip);
      return item;
    }));
    await choose(chosen.selector);
  } catch (problem) { say(problem.message, true); }
}

async function preview() {
  const mine = ++turn;
  if (!selector.value.trim()) return;
  say('Trying it on this page and on others…');
  find('outcome').classList.add('busy');
  saving.disabled = true;
  try {
    const result = await ask('/api/rules/preview', { page: bench.dataset.page, type: kind.value, value: selector.value });
    if (mine === turn) show(result);
  } catch (problem) {
    if (mine === turn) fail(problem);
  } finally {
    if (mine === turn) find('outcome').classList.remove('busy');
  }
}

function show(result) {
  find('outcome').hidden = find('figures').hidden = false;
  find('elements').textContent = result.elements;
  find('elements-unit').textContent = result.elements === 1 ? 'element here' : 'elements here';
  find('share').textContent = percent(result.textShare);
  find('touched').textContent = `${result.touched} of ${result.sampled}`;
  say(verdict(result));
  showWarning(result);
  showDiff(result);
  find('sample').replaceChildren(...mostFirst(result.pages).map(sampleRow));
  saving.disabled = isInUse() || !(result.elements || result.touched);
  frame.contentWindow.postMessage({ marked: result.marked, reveal: true }, '*');
}

function fail(problem) {
  // What the last selector did says nothing of this one.
  find('outcome').hidden = find('figures').hidden = true;
  frame.contentWindow.postMessage({ marked: [] }, '*');
  say(problem.message, true);
}

const isInUse = () => [...document.querySelectorAll('[data-remove]')].some(
  ({ dataset }) => dataset.remove === selector.value.trim() && dataset.type === kind.value,
);

function verdict({ elements, touched, sampled }) {
  if (isInUse()) return 'This is a rule already: the content is without it.';
  if (elements) return `Finds ${elements} element${elements === 1 ? '' : 's'} on this page.`;
  return touched ? `Finds nothing on this page, but something on ${touched} of ${sampled} others.` : 'Finds nothing, here and on the sampled pages: there is nothing to save.';
}

function showWarning(result) {
  const warning = find('warning');
  const harsh = result.warning || result.harsh;
  warning.hidden = !harsh;
  warning.textContent = !harsh ? '' : result.warning
    ? `This removes more than half of this page (${percent(Math.max(result.textShare, result.contentShare))}). Is it the right element?`
    : `This removes more than half of ${result.harsh} of ${result.sampled} sampled pages.`;
}

function showDiff(result) {
  const lines = result.diff.map((line) => element('div', line.text || ' ', { className: line.kind }));
  const none = result.elements ? 'The content stays the same: it did not contain this part.' : 'Nothing changes.';
  find('diff').replaceChildren(...(lines.length ? lines : [element('div', none, { className: 'none' })]));
}

const mostFirst = (pages) => pages.toSorted((a, b) => b.contentShare - a.contentShare || b.textShare - a.textShare || b.elements - a.elements);

function sampleRow(page) {
  const row = document.createElement('tr');
  const name = document.createElement('td');
  name.append(element('a', page.title, { href: `/rules/${page.id}?${new URLSearchParams({ selector: selector.value, type: kind.value })}` }));
  const cell = (text, bad) => {
    const made = element('td', '', { className: 'num' });
    made.append(bad ? element('span', text, { className: 'tag warn' }) : text);
    return made;
  };
  row.append(name, cell(String(page.elements)), cell(percent(page.textShare), page.textShare > 0.5), cell(percent(page.contentShare), page.contentShare > 0.5));
  return row;
}

async function propose(event) {
  event.preventDefault();
  const words = find('words').value.trim();
  if (!words) return;
  try {
    const { proposals, note } = await ask('/api/rules/propose', { page: bench.dataset.page, words });
    const shown = proposals.map((proposal) => {
      const button = element('button', '', { type: 'button', className: 'proposal' });
      button.append(element('code', proposal.selector), ` ${proposal.elements} element${proposal.elements === 1 ? '' : 's'}, ${percent(proposal.text_share)} of the text`,
        element('small', proposal.why), element('small', proposal.snippet));
      button.addEventListener('click', () => choose(proposal.selector));
      return button;
    });
    if (note) shown.push(element('p', note, { className: 'small soft' }));
    if (!proposals.length) shown.unshift(element('p', 'Nothing on this page goes by these words. Try others, or click it in the page.', { className: 'small soft' }));
    find('proposals').replaceChildren(...shown);
  } catch (problem) { complain(find('proposals'), problem); }
}

async function save(event) {
  event.preventDefault();
  saving.disabled = true;
  try {
    const { task } = await call('/api/rules', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ institution: bench.dataset.institution, type: kind.value, value: selector.value, description: find('description').value }),
    });
    await follow(task.number, find('task'), 'Saved.', { text: 'See the content', href: `/pages/${bench.dataset.page}` });
  } catch (problem) {
    saving.disabled = false;
    complain(find('task'), problem);
  }
}

function forget() {
  turn += 1;
  saving.disabled = true;
  find('outcome').classList.add('busy');
  say('Preview it to see what it does.');
}

if (bench) {
  // Only a number comes out of the sandbox, whatever the stored page is.
  window.addEventListener('message', (event) => {
    if (event.source !== frame.contentWindow) return;
    if (Number.isInteger(event.data?.picked)) pick(event.data.picked);
  });
  find('try').addEventListener('submit', (event) => { event.preventDefault(); preview(); });
  find('describe').addEventListener('submit', propose);
  find('save').addEventListener('submit', save);
  for (const block of document.querySelectorAll('[data-element]')) {
    block.addEventListener('click', () => pick(Number(block.dataset.element)));
  }
  // What was previewed is what may be saved.
  for (const field of [selector, kind]) field.addEventListener('input', forget);
  // No CSS selector begins so.
  selector.addEventListener('input', () => { if (/^\s*(\/|\.\/|\()/.test(selector.value)) kind.value = 'xpath'; });
  if (selector.value) preview();
}
