// Tables: what compare found, and the records of the runs.
import {allRuns, report} from './data.js';
import {element, figure, words} from './format.js';

// Counts are exact.
const digitsOf = (value) => (Number.isInteger(value) ? 15 : 4);

// A reason is a sentence or more, which a narrow column would make a tower of words.
const isLong = (value) => typeof value === 'string' && value.length > 60;

const cell = (value, ofNumbers) =>
  typeof value === 'number'
    ? element('td', {className: 'figures', textContent: figure(value, digitsOf(value)), title: String(value)})
    : element('td', {className: `${ofNumbers ? 'figures' : 'words'}${isLong(value) ? ' long' : ''}`, textContent: value ?? '–'});

/** A row without a name goes on with the one above it. */
const named = (text, run) => {
  const name = text ? element('th', {scope: 'row'}) : element('td');
  if (run) {
    const mark = element('i', {className: 'mark'});
    mark.style.setProperty('--stroke', `var(--run-${run.index % 8})`);
    name.append(mark);
  }
  name.append(text);
  return name;
};

const withUnit = (unit) => (unit ? [' ', element('span', {className: 'unit', textContent: unit})] : []);

/** columns: [{title, unit}]; rows: lists of values, of which the first names the row. */
function table({caption, columns, rows, notes = []}) {
  const ofNumbers = columns.map((_, k) => rows.some((row) => typeof row[k] === 'number'));
  const head = columns.map(({title, unit}, k) =>
    element(
      'th',
      {scope: 'col', className: ofNumbers[k] ? 'figures' : ''},
      title,
      ...withUnit(unit),
    ),
  );
  const body = rows.map(([name, ...values]) =>
    element(
      'tr',
      {},
      named(
        name,
        allRuns.find(({label}) => label === name),
      ),
      ...values.map((value, k) => cell(value, ofNumbers[k + 1])),
    ),
  );
  return element(
    'div',
    {className: 'card'},
    element(
      'div',
      {className: 'scroll', tabIndex: 0, role: 'region', 'aria-label': caption},
      element(
        'table',
        {},
        element('caption', {textContent: caption}),
        element('thead', {}, element('tr', {}, ...head)),
        element('tbody', {}, ...body),
      ),
    ),
    ...notes.map((textContent) => element('p', {className: 'note', textContent})),
  );
}

export function setUpComparison(section) {
  if (report.tables.length === 0) return section.remove();
  section.append(...report.tables.map(table));
}

/** A record's number with all digits: it is what the file says. */
const fact = (value) =>
  typeof value === 'number'
    ? element('td', {className: 'figures', textContent: String(value)})
    : element('td', {textContent: value ?? '–'});

/** Of the record's fields that have one, and do not say it by their names. */
const units = {
  step: 's',
  duration: 's',
  output_interval: 's',
  time: 's',
  constraint_violation: 'm or rad',
  correction_position: 'm or rad',
  correction_velocity: 'm/s or rad/s',
};

export function setUpRecords(section) {
  const fields = [...new Set(allRuns.flatMap((run) => Object.keys(run.record)))];
  const groups = [
    ['model', 'model_file', 'solver', 'status', 'failure', 'started', 'polyform'],
    ['integrator', 'step', 'relative_tolerance', 'absolute_tolerance', 'duration', 'output_interval', 'time'],
  ];
  const order = [
    ...groups.flat().filter((name) => fields.includes(name)),
    ...fields.filter((name) => !groups.flat().includes(name)),
  ];
  const head = element(
    'tr',
    {},
    element('th', {scope: 'col', textContent: 'record'}),
    ...allRuns.map((run) => {
      const th = named(run.label, run);
      th.scope = 'col';
      return th;
    }),
  );
  const rows = order.map((name) =>
    element(
      'tr',
      {},
      element(
        'th',
        {scope: 'row'},
        words(name),
        ...withUnit(units[name]),
      ),
      ...allRuns.map((run) => fact(run.record[name])),
    ),
  );
  rows.push(
    element('tr', {}, element('th', {scope: 'row', textContent: 'rows'}), ...allRuns.map((run) => fact(run.rows))),
    element(
      'tr',
      {},
      element('th', {scope: 'row', textContent: 'columns'}),
      ...allRuns.map((run) => fact(run.channels.length)),
    ),
  );
  section.append(
    element(
      'div',
      {className: 'card'},
      element(
        'div',
        {className: 'scroll', tabIndex: 0, role: 'region', 'aria-label': 'Records of the runs'},
        element(
          'table',
          {className: 'record'},
          element('caption', {className: 'hidden', textContent: 'Records of the runs'}),
          element('thead', {}, head),
          element('tbody', {}, ...rows),
        ),
      ),
    ),
  );
}
