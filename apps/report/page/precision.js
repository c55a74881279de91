// Work and precision: for each solver the error it makes against the time it takes, both logarithmic.
import {report, runs} from './data.js';
import {element, figure} from './format.js';

const space = 'http://www.w3.org/2000/svg';
const frame = {left: 72, right: 18, top: 14, bottom: 46, width: 760, height: 400};

function svg(tag, properties = {}, ...children) {
  const made = document.createElementNS(space, tag);
  for (const [key, value] of Object.entries(properties)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** From a range of powers of ten to pixels. */
function axis(values, from, to) {
  const logs = values.map(Math.log10);
  const low = Math.floor(Math.min(...logs) - 0.05),
    high = Math.max(low + 1, Math.ceil(Math.max(...logs) + 0.05));
  const every = Math.ceil((high - low) / 8);
  return {
    at: (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from),
    ticks: Array.from({length: Math.floor((high - low) / every) + 1}, (_, k) => 10 ** (low + k * every)),
  };
}

const text = (x, y, content, properties = {}) => svg('text', {x, y, ...properties}, content);
const power = (x) =>
  svg('tspan', {}, '10', svg('tspan', {dy: -4, 'font-size': 9}, String(Math.round(Math.log10(x))).replace('-', '−')));

function axes(x, y, {setting, error}) {
  const {left, right, top, bottom, width, height} = frame,
    g = svg('g', {class: 'axes'});
  for (const tick of x.ticks)
    g.append(
      svg('line', {x1: x.at(tick), x2: x.at(tick), y1: top, y2: height - bottom}),
      svg('text', {x: x.at(tick), y: height - bottom + 18, 'text-anchor': 'middle'}, power(tick)),
    );
  for (const tick of y.ticks)
    g.append(
      svg('line', {x1: left, x2: width - right, y1: y.at(tick), y2: y.at(tick)}),
      svg('text', {x: left - 10, y: y.at(tick) + 4, 'text-anchor': 'end'}, power(tick)),
    );
  const middle = (height - bottom + top) / 2;
  g.append(
    text((left + width - right) / 2, height - 8, 'wall time, s', {'text-anchor': 'middle'}),
    text(16, middle, error, {'text-anchor': 'middle', transform: `rotate(-90 16 ${middle})`}),
  );
  return g;
}

export function setUpPrecision(section) {
  const {sweep} = report;
  const given = sweep?.points.filter(({seconds, error}) => seconds > 0 && error >= 0) ?? [];
  const least = Math.min(...given.map(({error}) => error).filter((error) => error > 0));
  if (!Number.isFinite(least)) return section.remove();
  // No logarithm has a place for zero: such runs stand at the bottom, hollow.
  const floor = 10 ** (Math.floor(Math.log10(least)) - 1);
  const points = given.map((point) => ({...point, height: point.error || floor}));
  const zeros = points.filter(({error}) => error === 0).length;
  const {left, right, top, bottom, width, height} = frame;
  const x = axis(
      points.map(({seconds}) => seconds),
      left,
      width - right,
    ),
    y = axis(
      points.map(({height}) => height),
      height - bottom,
      top,
    );
  const drawing = svg(
    'svg',
    {
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      'aria-label': `Work and precision: ${sweep.error} against wall time, one line a solver`,
    },
    axes(x, y, sweep),
  );
  const solvers = [...new Set(points.map(({solver}) => solver))];
  const legend = element('ul', {className: 'legend'});
  solvers.forEach((solver, k) => {
    const color = `var(--run-${(runs.find(({label}) => label === solver)?.index ?? k) % 8})`;
    const own = points.filter((point) => point.solver === solver).sort((a, b) => a.setting - b.setting);
    drawing.append(
      svg('polyline', {
        points: own.map(({seconds, height}) => `${x.at(seconds)},${y.at(height)}`).join(' '),
        style: `stroke: ${color}`,
      }),
    );
    for (const {seconds, error, setting, height} of own)
      drawing.append(
        svg(
          'circle',
          {
            cx: x.at(seconds),
            cy: y.at(height),
            r: 4,
            style: error > 0 ? `fill: ${color}` : `fill: var(--card); stroke: ${color}; stroke-width: 2`,
          },
          svg(
            'title',
            {},
            `${solver}, ${sweep.setting} ${figure(setting)}: ${figure(error, 4)} in ${figure(seconds, 4)} s`,
          ),
        ),
      );
    const mark = element('i');
    mark.style.setProperty('--stroke', color);
    legend.append(element('li', {}, mark, solver));
  });
  section.append(
    element(
      'div',
      {className: 'card precision'},
      legend,
      drawing,
      element('p', {
        className: 'note',
        textContent:
          `Each point is a run at one ${sweep.setting}; lower and further left is better.` +
          (zeros > 0 ? ` Hollow points at the bottom: no error at all, ${zeros} of ${points.length} runs.` : ''),
      }),
    ),
  );
}
