// Which channels are plotted: a list by group and object, a button for each component.
import {report, runs} from './data.js';
import {element} from './format.js';
import {parseFormula} from './formula.js';

// And the whole system.
const groupNames = {
  joints: 'Joints',
  bodies: 'Bodies',
  modules: 'Modules',
  elements: 'Elements',
  reactions: 'Reactions',
  accelerations: 'Accelerations',
  violations: 'Violations',
};
const mostShown = 150; // objects

/** Words of a search: one with * or ? is a pattern of whole names, as on the command line; others are parts of names. */
function testOf(word) {
  if (!/[*?]/.test(word)) return (name) => name.includes(word);
  const pattern = word.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*').replaceAll('?', '.');
  const expression = new RegExp(`^${pattern}$`, 's');
  return (name) => expression.test(name);
}

const doubtsText = (doubts) => doubts.map((doubt) => `${doubt[0].toUpperCase()}${doubt.slice(1)}. `).join('');

/** Objects of all runs with their components: [{group, object, components}], by group. */
function objectsOfAllRuns() {
  const found = new Map();
  for (const run of runs)
    for (const {group, object, component, name, unit, ownName} of run.channels) {
      if (name === 'time') continue;
      const kind = group in groupNames ? group : undefined,
        key = `${kind}/${object}`;
      if (!found.has(key)) found.set(key, {group: kind, object, components: new Map()});
      found.get(key).components.set(component, {name, unit, ownName});
    }
  // Files have their objects in alphabetical order; the model's is the one that its author thinks in.
  const order = [...Object.keys(groupNames), undefined];
  const {bodies = [], joints = []} = report.mechanism ?? {};
  const place = new Map([...joints, ...bodies].map(({name}, k) => [name, k]));
  const rank = ({object}) => place.get(object) ?? Infinity;
  return [...found.values()].sort(
    (a, b) => order.indexOf(a.group) - order.indexOf(b.group) || (rank(a) === rank(b) ? 0 : rank(a) - rank(b)),
  );
}

export class Picker {
  constructor(list, search, clear, onChange, signal) {
    Object.assign(this, {list, search, onChange});
    this.objects = objectsOfAllRuns();
    this.picked = []; // names, in the order of picking
    search.addEventListener('input', () => this.show(), {signal});
    search.addEventListener('keydown', (event) => {
      const text = search.value.trim();
      if (event.key === 'Enter' && text.startsWith('=')) this.plotFormula(text);
    }, {signal});
    clear.addEventListener('click', () => this.pick([]), {signal});
    list.addEventListener('click', (event) => {
      const name = event.target.closest('button')?.dataset.channel;
      if (name) this.toggle(name);
    }, {signal});
    this.show();
  }

  toggle(name) {
    this.pick(this.picked.includes(name) ? this.picked.filter((other) => other !== name) : [...this.picked, name]);
  }

  /** quietly: nothing comes into view for it. */
  pick(names, quietly = false) {
    this.picked = names;
    for (const button of this.list.querySelectorAll('button[data-channel]'))
      button.setAttribute('aria-pressed', String(names.includes(button.dataset.channel)));
    this.onChange(names, quietly);
  }

  /** Those that match all words of the search, or of a part of it between commas; a word may be part of the object, or of the channel's whole name. */
  show() {
    const text = this.search.value.trim();
    if (text.startsWith('=')) return this.showFormula(text);
    const parts = text.toLowerCase().split(',').map((part) => part.split(/\s+/).filter(Boolean).map(testOf));
    const wanted = parts.length > 1 ? parts.filter((tests) => tests.length > 0) : parts;
    const matches = (name) => wanted.some((tests) => tests.every((test) => test(name.toLowerCase())));
    const rows = [];
    let group = null,
      left = 0;
    for (const {group: ofGroup, object, components} of this.objects) {
      const shown = [...components].filter(([, {name, ownName}]) => matches(name) || (ownName && matches(`${object}.${ownName}`)));
      if (shown.length === 0) continue;
      if (rows.length >= mostShown) {
        ++left;
        continue;
      }
      if (group !== ofGroup) rows.push(element('h4', {textContent: groupNames[ofGroup] ?? 'Whole system'}));
      group = ofGroup;
      rows.push(this.row(object, shown));
    }
    if (left > 0) rows.push(element('p', {className: 'note', textContent: `and ${left} more: search to see them`}));
    if (rows.length === 0)
      rows.push(element('p', {className: 'note', textContent: 'No channel has this in its name.'}));
    this.list.replaceChildren(...rows);
  }

  /** A formula in the place of a search: what is wrong with it, or how to plot it. */
  showFormula(text) {
    const note = element('p', {className: 'note'});
    this.list.replaceChildren(note);
    try {
      const {unit, doubts} = parseFormula(text, runs[0]);
      note.textContent = `${unit ? `In ${unit}. ` : ''}${doubtsText(doubts)}`;
      const button = element('button', {type: 'button', className: 'main', textContent: 'Plot it'});
      button.addEventListener('click', () => this.plotFormula(text));
      note.append(button, ' or press Enter.');
    } catch (problem) {
      const words = `${problem.message[0].toUpperCase()}${problem.message.slice(1)}.`;
      note.textContent = `${words} Names with characters other than letters, digits, _ . : [ ] need backticks: \`…\`.`;
    }
  }

  plotFormula(text) {
    if (!runs[0].has(text)) return;
    if (!this.picked.includes(text)) this.pick([...this.picked, text]);
    this.search.value = '';
    this.show();
    const doubts = doubtsText(parseFormula(text, runs[0]).doubts);
    if (doubts) this.list.prepend(element('p', {className: 'note', role: 'status', textContent: `${text}: ${doubts}`}));
  }

  row(object, components) {
    const buttons = components.map(([component, {name, unit, ownName}]) =>
      element('button', {
        type: 'button',
        className: 'chip',
        textContent: ownName ? `${component} ${ownName}` : component || object,
        title: unit === '1' ? name : `${name}, ${unit}`,
        'data-channel': name,
        'aria-label': ownName ? `${name} ${ownName}` : name,
        'aria-pressed': String(this.picked.includes(name)),
      }),
    );
    return element(
      'div',
      {className: 'object', role: 'group', 'aria-label': object},
      element('span', {className: 'name', textContent: object, title: object}),
      element('span', {className: 'chips'}, ...buttons),
    );
  }
}
