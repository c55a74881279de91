// Fans of trajectories: bands between quantiles of the cases, over time.
import {element} from './format.js';
import {axes, prepare, roomy} from './study-chart.js';
import {done, fans, rangeOf, trajectories} from './study-data.js';
import {color} from './theme.js';

const find = (id) => document.getElementById(id);

/** Fills the choices; false where there are no trajectories. */
export function setUpFans() {
  const column = find('fan-column'),
    {cases, used, columns, missing} = trajectories,
    ended = done.reduce((sum, ok) => sum + (ok ? 1 : 0), 0);
  find('trajectories').hidden = fans.length === 0 && !missing;
  find('fan-note').textContent = missing
    ? 'The files of the trajectories that this table joins were not there, or no case has any.'
    : `Quantiles over ${used.toLocaleString('en')}${used < cases ? ` of ${cases.toLocaleString('en')}` : ''} cases at each time.` +
      (cases < ended ? ` ${(ended - cases).toLocaleString('en')} more are done, and files with their trajectories were not there.` : '') +
      (columns > fans.length ? ` Of ${columns} columns the first ${fans.length} are here.` : '');
  if (fans.length === 0) return false;
  column.replaceChildren(...fans.map(({name, label}) => new Option(label, name)));
  column.addEventListener('change', drawFan);
  find('fan-lines').addEventListener('change', drawFan);
  find('fan-legend').replaceChildren(
    element('span', {}, element('i', {className: 'dot fan-outer'}), '5 to 95 %'),
    element('span', {}, element('i', {className: 'dot fan-inner'}), '25 to 75 %'),
    element('span', {}, element('i', {className: 'dot fan-middle'}), 'median'),
  );
  return true;
}

export function drawFan() {
  const fan = fans.find(({name}) => name === find('fan-column').value),
    withLines = find('fan-lines').checked;
  const shown = [...fan.quantiles, ...(withLines ? fan.lines.map(({values}) => values) : [])];
  const ranges = shown.map(rangeOf).filter((range) => range);
  const range = ranges.length > 0 ? [Math.min(...ranges.map(([low]) => low)), Math.max(...ranges.map(([, high]) => high))] : [0, 1];
  const size = prepare(find('fan-canvas')),
    {context} = size;
  const {toX, toY} = axes(size, {label: 'time (s)', range: rangeOf(fan.times) ?? [0, 1]}, {label: fan.label, range: roomy(range)});
  const times = [...fan.times.keys()].filter((k) => Number.isFinite(fan.quantiles[0][k]));
  const path = (values, indices) => indices.forEach((k) => context.lineTo(toX(fan.times[k]), toY(values[k])));
  const [lowest, low, middle, high, highest] = fan.quantiles;
  context.fillStyle = context.strokeStyle = color('--accent');
  for (const [below, above, strength] of [[lowest, highest, 0.18], [low, high, 0.3]]) {
    context.globalAlpha = strength;
    context.beginPath();
    path(below, times);
    path(above, [...times].reverse());
    context.fill();
  }
  context.globalAlpha = 0.5;
  context.lineWidth = 0.7;
  if (withLines)
    for (const {values} of fan.lines) {
      context.beginPath();
      path(values, times.filter((k) => Number.isFinite(values[k])));
      context.stroke();
    }
  context.globalAlpha = 1;
  context.lineWidth = 2;
  context.beginPath();
  path(middle, times);
  context.stroke();
}
