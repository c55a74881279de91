// Puts the page of a study to work.
import {element, figure} from './format.js';
import {axes, density, histogram, prepare, ramp, rampStyle, roomy} from './study-chart.js';
import {caseNumbers, cases, columns, done, factors, fans, influence, isSolver, quantities, rangeOf, solverGroups, study, summaryOf} from './study-data.js';
import {drawFan, setUpFans} from './study-fans.js';
import {setUpInfluence} from './study-influence.js';
import {color, onTheme, runColor, setUpTheme} from './theme.js';

const find = (id) => document.getElementById(id);
const drawings = [];
/** Draws now, and again when colours or sizes change. */
function drawn(draw) {
  drawings.push(draw);
  draw();
}

const counted = (count, one, more = `${one}s`) => `${count.toLocaleString('en')} ${count === 1 ? one : more}`;

function setUpHeading() {
  const failed = done.reduce((sum, ok) => sum + (ok ? 0 : 1), 0);
  find('title').textContent = study.title;
  find('summary').textContent =
    [counted(cases, 'case'), counted(factors.length, 'factor'), counted(quantities.length, 'quantity', 'quantities'), `${failed.toLocaleString('en')} failed`].join(' · ');
  find('origin').textContent =
    `Written by polyform ${study.polyform} on ${study.written.replace('T', ' ').replace('Z', ' UTC')}. Numbers are rounded to 32 bits for this page; the table has all digits.`;
  for (const section of document.querySelectorAll('main > section:not([hidden])'))
    find('sections').append(element('a', {href: `#${section.id}`, textContent: section.querySelector('h2').textContent}));
}

const options = (list) => list.map((column) => new Option(column.label, column.name));
const named = (select) => columns.find((column) => column.name === select.value);
const axisOf = (column) => ({
  label: column.label,
  words: column.words,
  range: roomy(rangeOf(column.values) ?? [0, 1]),
});
const valueText = (column, k) => (column.words ? column.words[column.values[k]] : figure(column.values[k], 6));

/** The colours of a column's values, and the legend for them. */
function colouring(column, legend) {
  legend.replaceChildren();
  const failed = () => {
    if (done.every(Boolean)) return;
    legend.append(element('span', {}, element('i', {className: 'dot', style: `background:${color('--run-6')}`}), 'failed'));
  };
  if (!column) {
    failed();
    return () => color('--accent');
  }
  if (column.words) {
    column.words.forEach((word, k) => legend.append(element('span', {}, element('i', {className: 'dot', style: `background:${runColor(k)}`}), word)));
    failed();
    return (k) => runColor(column.values[k]);
  }
  const range = rangeOf(column.values) ?? [0, 1];
  legend.append(column.label, element('span', {className: 'figures', textContent: figure(range[0], 5)}), element('i', {className: 'ramp', style: `background:${rampStyle}`}), element('span', {className: 'figures', textContent: figure(range[1], 5)}));
  failed();
  return (k) => (Number.isFinite(column.values[k]) ? ramp((column.values[k] - range[0]) / (range[1] - range[0] || 1)) : color('--muted'));
}

function setUpMap() {
  const [x, y, tint] = ['map-x', 'map-y', 'map-color'].map(find),
    canvas = find('map-canvas');
  x.replaceChildren(...options(columns));
  y.replaceChildren(...options(columns));
  tint.replaceChildren(new Option('none', ''), ...options(columns));
  const varied = factors.filter((factor) => new Set(factor.values).size > 1);
  x.value = (varied[0] ?? columns[0]).name;
  y.value = (varied[1] ?? quantities[0] ?? columns.at(-1)).name;
  tint.value = varied.length > 1 && quantities.length > 0 ? quantities[0].name : '';
  let points = [];
  const draw = () => {
    const size = prepare(canvas),
      across = named(x),
      up = named(y);
    const {toX, toY} = axes(size, axisOf(across), axisOf(up)),
      colorAt = colouring(named(tint), find('map-legend'));
    const radius = cases > 20000 ? 1 : cases > 2000 ? 2 : cases > 300 ? 3.5 : 6;
    points = [];
    for (const failedOnes of [false, true])
      for (let k = 0; k < cases; ++k) {
        if (!done[k] !== failedOnes) continue;
        const px = toX(across.values[k]),
          py = Number.isFinite(up.values[k]) ? toY(up.values[k]) : size.height - 40;
        points.push([px, py, k]);
        if (failedOnes) {
          size.context.strokeStyle = color('--run-6');
          size.context.lineWidth = 1.5;
          size.context.beginPath();
          size.context.moveTo(px - 4, py - 4);
          size.context.lineTo(px + 4, py + 4);
          size.context.moveTo(px + 4, py - 4);
          size.context.lineTo(px - 4, py + 4);
          size.context.stroke();
        } else {
          size.context.fillStyle = colorAt(k);
          size.context.beginPath();
          size.context.arc(px, py, radius, 0, 7);
          size.context.fill();
        }
      }
  };
  for (const select of [x, y, tint]) select.addEventListener('change', draw);
  canvas.addEventListener('mousemove', (event) => {
    let best = null,
      nearest = 144;
    for (const [px, py, k] of points) {
      const distance = (px - event.offsetX) ** 2 + (py - event.offsetY) ** 2;
      if (distance < nearest) [nearest, best] = [distance, k];
    }
    find('map-case').textContent =
      best === null ? '' : `case ${caseNumbers[best]}: ` + columns.map((column) => `${column.name} ${valueText(column, best)}`).join(', ');
  });
  drawn(draw);
}

function setUpDisagreement() {
  const groups = solverGroups,
    section = find('disagreement');
  const others = factors.filter((factor) => !isSolver(factor));
  section.hidden = groups.length === 0 || quantities.length === 0 || others.length === 0;
  if (section.hidden) return;
  const [quantity, x, y] = ['dis-quantity', 'dis-x', 'dis-y'].map(find);
  quantity.replaceChildren(...options(quantities));
  x.replaceChildren(...options(others));
  y.replaceChildren(...options(others.length > 1 ? others : [...others, ...quantities]));
  if (others.length > 1) y.value = others[1].name;
  else y.value = quantities[0].name;
  const draw = () => {
    const of = named(quantity),
      across = named(x),
      up = named(y);
    const size = prepare(find('dis-canvas')),
      {toX, toY} = axes(size, axisOf(across), axisOf(up));
    const whole = rangeOf(of.values) ?? [0, 1],
      scale = Math.max(Math.abs(whole[0]), Math.abs(whole[1])) || 1;
    let worst = [-Infinity, null],
      broken = 0;
    const place = quantities.indexOf(of);
    const parts = groups.map(({cases: group, spreads}) => {
      const missing = group.some((k) => !done[k]);
      if (missing) ++broken;
      const spread = spreads[place] === null ? NaN : spreads[place] / scale;
      if (spread > worst[0]) worst = [spread, group];
      return {group, spread, missing};
    });
    // From round-off to a tenth, by powers of ten.
    const low = -16,
      high = -1;
    for (const {group, spread, missing} of parts) {
      const k = group[0];
      size.context.fillStyle = missing ? color('--run-6') : ramp((Math.log10(Math.max(spread, 1e-16)) - low) / (high - low));
      size.context.beginPath();
      size.context.arc(toX(across.values[k]), toY(up.values[k]), groups.length > 2000 ? 2 : groups.length > 300 ? 4 : 7, 0, 7);
      size.context.fill();
    }
    find('dis-legend').replaceChildren(
      `difference of solvers, relative to ${figure(scale, 4)} ${of.unit}`,
      element('span', {textContent: '1e−16'}),
      element('i', {className: 'ramp', style: `background:${rampStyle}`}),
      element('span', {textContent: '0.1'}),
      ...(broken > 0 ? [element('span', {}, element('i', {className: 'dot', style: `background:${color('--run-6')}`}), 'a solver failed')] : []),
    );
    find('disagreement-note').textContent =
      `${groups.length} variants went through several solvers. ` +
      (worst[1] ? `They differ most in case ${worst[1].map((k) => caseNumbers[k]).join(', ')}: by ${figure(worst[0] * scale, 3)} ${of.unit}. ` : '') +
      (broken > 0 ? `In ${broken} variants a solver failed.` : '');
  };
  for (const select of [quantity, x, y]) select.addEventListener('change', draw);
  drawn(draw);
}

function setUpDistributions() {
  for (const quantity of quantities) {
    const summary = summaryOf(quantity.values),
      canvas = element('canvas', {role: 'img', 'aria-label': `Histogram of ${quantity.name}`});
    const tile = element('div', {className: 'card tile'}, element('h3', {textContent: quantity.label}));
    find('histograms').append(tile);
    if (!summary) {
      tile.append(element('p', {textContent: 'No case has a number.'}));
      continue;
    }
    const [q05, q50, q95] = [0.05, 0.5, 0.95].map(summary.quantile);
    tile.append(
      canvas,
      element('p', {textContent: `mean ${figure(summary.mean, 6)}, deviation ${figure(summary.deviation, 4)}`}),
      element('p', {textContent: `quantiles 5 %, 50 %, 95 %: ${[q05, q50, q95].map((q) => figure(q, 6)).join(', ')}`}),
    );
    drawn(() => histogram(canvas, quantity.values, rangeOf(quantity.values), [q05, q50, q95]));
  }
}

/** Beyond so many columns the cells would be too many to look at. */
const mostInMatrix = 9;

function setUpMatrix() {
  const shown = [...factors.filter((factor) => new Set(factor.values).size > 1), ...quantities].filter((column) => rangeOf(column.values)).slice(0, mostInMatrix),
    grid = find('matrix-cells');
  find('matrix').hidden = shown.length < 2;
  if (shown.length < 2) return;
  grid.style.gridTemplateColumns = `repeat(${shown.length + 1}, max-content)`;
  grid.append(element('span'), ...shown.map((column) => element('span', {textContent: column.label})));
  for (const row of shown) {
    grid.append(element('span', {textContent: row.label}));
    for (const column of shown) {
      const canvas = element('canvas', {role: 'img', 'aria-label': `${row.name} over ${column.name}`});
      grid.append(canvas);
      const [across, up] = [column, row].map((c) => ({values: c.values, range: rangeOf(c.values)}));
      drawn(() => (row === column ? histogram(canvas, row.values, up.range, []) : density(canvas, across, up, done)));
    }
  }
}

function setUpReasons() {
  find('failures').hidden = study.reasons.length === 0;
  const rows = study.reasons.map(({text, count, first, done: warned}) =>
    element('tr', {}, element('td', {className: 'figures', textContent: count.toLocaleString('en')}), element('td', {className: 'words long', textContent: text}), element('td', {textContent: warned ? 'done' : 'failed'}), element('td', {className: 'figures', textContent: first})),
  );
  const head = element('tr', {}, ...['cases', 'reason', 'status', 'first'].map((textContent) => element('th', {textContent})));
  find('reasons').append(element('table', {}, element('thead', {}, head), element('tbody', {}, ...rows)));
}

function setUpRecord() {
  const rows = Object.entries(study.record).filter(([name]) => name !== 'model');
  find('record-table').append(
    element('table', {className: 'record'}, element('tbody', {}, ...rows.map(([name, value]) => element('tr', {}, element('th', {textContent: name}), element('td', {className: 'words', textContent: value}))))),
    element('pre', {className: 'code', tabIndex: 0, role: 'region', 'aria-label': 'Model file', style: 'padding:12px 16px', textContent: study.record.model ?? ''}),
  );
}

setUpTheme(find('theme'));
find('print').addEventListener('click', () => window.print());
setUpMap();
setUpDisagreement();
setUpDistributions();
if (setUpFans()) drawn(drawFan);
setUpMatrix();
setUpInfluence();
setUpReasons();
setUpRecord();
setUpHeading();
const redraw = () => drawings.forEach((draw) => draw());
onTheme(redraw);
let waiting = 0;
window.addEventListener('resize', () => {
  clearTimeout(waiting);
  waiting = setTimeout(redraw, 120);
});

// What tests of the page ask.
window.polyform = {study, columns, influence, fans};
