// A button that opens a short list of actions.
import {element} from './format.js';

/** actions: [[text, action], …]. */
export function menu(text, label, actions) {
  const list = element(
    'div',
    {className: 'menu-list'},
    ...actions.map(([textContent, action]) => {
      const button = element('button', {type: 'button', textContent});
      button.addEventListener('click', () => {
        box.open = false;
        action();
      });
      return button;
    }),
  );
  const summary = element('summary', {className: 'quiet', textContent: text, 'aria-label': label});
  const box = element('details', {className: 'menu'}, summary, list);
  box.addEventListener('focusout', (event) => {
    if (!box.contains(event.relatedTarget)) box.open = false;
  });
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !box.open) return;
    event.stopPropagation();
    box.open = false;
    summary.focus();
  });
  return box;
}
