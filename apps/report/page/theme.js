// Light and dark: as the system, until the button says otherwise.
const choices = ['', 'light', 'dark'];
const listeners = [];
const probe = document.createElement('i');

/** The colour that a custom property of the style sheet has now. */
export function color(name) {
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

/** The colour of a run. */
export const runColor = (index) => color(`--run-${index % 8}`);

/** Gives a function that ends it. */
export function onTheme(listener) {
  listeners.push(listener);
  return () => listeners.splice(listeners.indexOf(listener), 1);
}

export function setUpTheme(button) {
  probe.hidden = true;
  document.body.append(probe);
  const tell = () => listeners.forEach((listener) => listener());
  const show = (choice) => {
    document.documentElement.dataset.theme = choice;
    const said = choice ? choice[0].toUpperCase() + choice.slice(1) : 'Auto';
    button.textContent = said;
    button.setAttribute('aria-label', `${said} colours`);
    tell();
  };
  button.addEventListener('click', () => {
    show(choices[(choices.indexOf(document.documentElement.dataset.theme) + 1) % choices.length]);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', tell);
  show('');
}
