// Tables: what compare found, and the records of the runs.
import {report, runs} from './data.js';
import {commonTimesText, largestDeviation} from './difference.js';
import {element, figure, words} from './format.js';

const cell = (value, ofNumbers) =>
  typeof value === 'number'
    ? element('td', {className: 'figures', textContent: figure(value, 4), title: String(value)})
    : element('td', {className: ofNumbers ? 'figures' : 'words', textContent: value ?? '–'});

const named = (text, run) => {
  const name = element('th', {scope: 'row'});
  if (run) {
    const mark = element('i', {className: 'mark'});
    mark.style.setProperty('--stroke', `var(--run-${run.index % 8})`);
    name.append(mark);
  }
  name.append(text);
  return name;
};

/** columns: [{title, unit}]; rows: lists of values, of which the first names the row. */
function table({caption, columns, rows, notes = []}) {
  const ofNumbers = columns.map((_, k) => rows.some((row) => typeof row[k] === 'number'));
  const head = columns.map(({title, unit}, k) =>
    element(
      'th',
      {scope: 'col', className: ofNumbers[k] ? 'figures' : ''},
      title,
      ...(unit ? [element('span', {className: 'unit', textContent: unit})] : []),
    ),
  );
  const body = rows.map(([name, ...values]) =>
    element(
      'tr',
      {},
      named(
        name,
        runs.find(({label}) => label === name),
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

const columnsOfRecords = [
  ['integrator', ''],
  ['state_size', 'states'],
  ['steps', ''],
  ['evaluations', ''],
  ['wall_seconds', 'wall time', 's'],
  ['energy_drift', 'energy drift'],
  ['constraint_violation', 'constraint violation', 'm or rad'],
];

/** From the records of the runs, and from their rows how far they part. */
function comparisonOfRuns() {
  const columns = [
    {title: 'run'},
    ...columnsOfRecords.map(([name, title, unit]) => ({title: title || words(name), unit})),
    {title: 'farthest from consensus', unit: 'm'},
    {title: 'body'},
    {title: 'at', unit: 's'},
  ];
  const rows = runs.map((run) => {
    const worst = largestDeviation(run);
    return [
      run.label,
      ...columnsOfRecords.map(([name]) => run.record[name] ?? null),
      worst?.distance,
      ...(worst?.distance > 0 ? [worst.body, worst.time] : [null, null]),
    ];
  });
  return {
    caption: 'The runs side by side',
    columns,
    rows,
    notes: [
      'Consensus: the median of the runs, number by number. Farthest: the largest distance of a body from its place there.',
      commonTimesText(null),
    ],
  };
}

export function setUpComparison(section) {
  const given = report.tables;
  if (given.length === 0 && runs.length < 2) return section.remove();
  const all = given.length > 0 ? given : [comparisonOfRuns()];
  section.append(...all.map(table));
}

/** A record's number with all digits: it is what the file says. */
const fact = (value) =>
  typeof value === 'number'
    ? element('td', {className: 'figures', textContent: String(value)})
    : element('td', {textContent: value ?? '–'});

export function setUpRecords(section) {
  const fields = [...new Set(runs.flatMap((run) => Object.keys(run.record)))];
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
    ...runs.map((run) => {
      const th = named(run.label, run);
      th.scope = 'col';
      return th;
    }),
  );
  const rows = order.map((name) =>
    element(
      'tr',
      {},
      element('th', {scope: 'row', textContent: words(name)}),
      ...runs.map((run) => fact(run.record[name])),
    ),
  );
  rows.push(
    element('tr', {}, element('th', {scope: 'row', textContent: 'rows'}), ...runs.map((run) => fact(run.rows))),
    element(
      'tr',
      {},
      element('th', {scope: 'row', textContent: 'columns'}),
      ...runs.map((run) => fact(run.channels.length)),
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
