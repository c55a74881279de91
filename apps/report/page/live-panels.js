// Messages about a model, and sliders for its parameters.
import {element, figure} from './format.js';

/** messages: [{severity, file, line, column, path, message, remedy}]. */
export function showMessages(section, messages) {
  section.hidden = messages.length === 0;
  section.classList.toggle('mild', messages.every(({severity}) => severity !== 'error'));
  const rows = messages.map(({severity, file, line, column, path, message, remedy}) =>
    element(
      'li',
      {},
      element('span', {
        className: 'where',
        textContent: [[file, line || null, line && column ? column : null].filter(Boolean).join(':'), severity, path]
          .filter(Boolean)
          .join(': '),
      }),
      element('span', {className: 'message', textContent: message}),
      element('span', {className: 'remedy', textContent: remedy ?? ''}),
    ),
  );
  section.replaceChildren(...(rows.length > 0 ? [element('ul', {}, ...rows)] : []));
}

const wait = 120; // ms between values that are sent

export class Parameters {
  /** send: takes a name and a value. */
  constructor(section, list, reset, send, sendReset) {
    Object.assign(this, {section, list, send, rows: new Map(), own: new Set()});
    reset.addEventListener('click', () => {
      this.own.clear();
      this.rows.clear();
      sendReset();
    });
  }

  /** What the model has now; those that somebody moves stay under the hand. */
  show(parameters) {
    const names = Object.keys(parameters);
    this.section.hidden = names.length === 0;
    for (const name of [...this.rows.keys()]) if (!(name in parameters)) this.rows.delete(name);
    for (const name of names) {
      const row = this.rows.get(name);
      if (!row) this.rows.set(name, this.row(name, parameters[name]));
      else if (!this.own.has(name)) row.set(parameters[name]);
    }
    const wanted = names.map((name) => this.rows.get(name).item);
    if (wanted.length !== this.list.children.length || wanted.some((item, k) => item !== this.list.children[k]))
      this.list.replaceChildren(...wanted);
  }

  row(name, value) {
    const slider = element('input', {type: 'range', step: 'any', 'aria-label': `${name}, slider`});
    const number = element('input', {type: 'number', step: 'any', 'aria-label': name});
    const set = (x) => {
      const [low, high] = x === 0 ? [-1, 1] : [Math.min(0, 2 * x), Math.max(0, 2 * x)];
      Object.assign(slider, {min: low, max: high, value: x});
      number.value = String(Number(x.toPrecision(12)));
    };
    let later = null,
      next = null;
    const give = (x) => {
      this.own.add(name);
      next = x;
      if (later) return;
      this.send(name, next);
      next = null;
      later = setTimeout(() => {
        later = null;
        if (next !== null) give(next);
      }, wait);
    };
    slider.addEventListener('input', () => {
      const x = Number(Number(slider.value).toPrecision(4));
      number.value = String(x);
      slider.setAttribute('aria-valuetext', figure(x, 4));
      give(x);
    });
    number.addEventListener('change', () => {
      const x = Number(number.value);
      if (number.value === '' || !Number.isFinite(x)) return;
      slider.min = Math.min(slider.min, x);
      slider.max = Math.max(slider.max, x);
      slider.value = x;
      give(x);
    });
    set(value);
    return {item: element('div', {className: 'slider'}, element('span', {textContent: name, title: name}), slider, number), set};
  }
}
