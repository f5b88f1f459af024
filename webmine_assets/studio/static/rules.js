import { call, complain, follow } from './tasks.js';

const place = document.getElementById('task');

async function remove(button) {
  const { institution, type, remove: value } = button.dataset;
  if (!window.confirm(`Remove the rule ${value} from ${institution}? Its stored pages are then enhanced again.`)) return;
  button.disabled = true;
  try {
    const query = new URLSearchParams({ institution, type, value });
    const { task } = await call(`/api/rules?${query}`, { method: 'DELETE' });
    const count = button.closest('.card').querySelector('[data-count]');
    button.closest('tr, li').remove();
    if (count) count.textContent = Number(count.textContent) - 1;
    await follow(task.number, place, 'Removed.');
  } catch (problem) {
    button.disabled = false;
    complain(place, problem);
  }
}

for (const button of document.querySelectorAll('[data-remove]')) {
  button.addEventListener('click', () => remove(button));
}
