// Work and precision: for each solver the error it makes against what it takes for it, both logarithmic.
import {report, runs} from './data.js';
import {element, figure} from './format.js';

const space = 'http://www.w3.org/2000/svg';
const frame = {left: 66, right: 18, top: 14, bottom: 46, height: 400};

function svg(tag, properties = {}, ...children) {
  const made = document.createElementNS(space, tag);
  for (const [key, value] of Object.entries(properties)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/**
 * A logarithmic axis, in pixels, for all of these values and one decade at least. Ticks at the powers of ten, twice and
 * five times them too where there is room: px from one tick to the next.
 */
function axis(values, from, to, room) {
  const logs = values.map(Math.log10),
    least = Math.min(...logs),
    most = Math.max(...logs);
  const margin = Math.max(0.05 * (most - least), (1 - (most - least)) / 2),
    low = least - margin,
    high = most + margin;
  const decade = Math.abs(to - from) / (high - low),
    every = Math.ceil(room / decade);
  const ticks = [];
  for (let power = Math.floor(low / every) * every; power <= high; power += every)
    for (const factor of Math.log10(2) * decade < room ? [1] : [1, 2, 5]) {
      const log = power + Math.log10(factor);
      if (log >= low && log <= high) ticks.push({factor, power});
    }
  return {at: (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from), ticks};
}

/** What counts as work. Times of short runs are those of a busy machine; evaluations are the same everywhere. */
const works = {
  seconds: {title: 'wall time, s', told: (value) => `${figure(value, 4)} s`},
  evaluations: {title: 'evaluations of the equations of motion', told: (value) => `${value} evaluations`},
};

const text = (x, y, content, properties = {}) => svg('text', {x, y, ...properties}, content);
const valueOf = ({factor, power}) => factor * 10 ** power;
const tickText = ({factor, power}) =>
  svg(
    'tspan',
    {},
    factor > 1 ? `${factor}·10` : '10',
    svg('tspan', {dy: -4, 'font-size': 9}, String(power).replace('-', '−')),
  );

function axes(x, y, work, error, width) {
  const {left, right, top, bottom, height} = frame,
    g = svg('g', {class: 'axes'});
  for (const tick of x.ticks) {
    const at = x.at(valueOf(tick));
    g.append(
      svg('line', {x1: at, x2: at, y1: top, y2: height - bottom}),
      svg('text', {x: at, y: height - bottom + 18, 'text-anchor': 'middle'}, tickText(tick)),
    );
  }
  for (const tick of y.ticks) {
    const at = y.at(valueOf(tick));
    g.append(
      svg('line', {x1: left, x2: width - right, y1: at, y2: at}),
      svg('text', {x: left - 10, y: at + 4, 'text-anchor': 'end'}, tickText(tick)),
    );
  }
  const middle = (height - bottom + top) / 2;
  g.append(
    text((left + width - right) / 2, height - 8, work, {'text-anchor': 'middle'}),
    text(16, middle, error, {'text-anchor': 'middle', transform: `rotate(-90 16 ${middle})`}),
  );
  return g;
}

/** The points of a sweep that can be drawn for one kind of error, each with its height: that of the error, or of the floor. */
function pointsOf(sweep, kind) {
  const given = sweep.points
    .map(({errors, ...point}) => ({...point, error: errors[kind]}))
    .filter(({seconds, error}) => seconds > 0 && error !== null && error >= 0);
  const least = Math.min(...given.map(({error}) => error).filter((error) => error > 0));
  // No logarithm has a place for zero: such runs stand at the bottom, hollow.
  const floor = Number.isFinite(least) ? 10 ** (Math.floor(Math.log10(least)) - 1) : 1e-16;
  return given.map((point) => ({...point, height: point.error || floor}));
}

const colorOf = (solver, k) => `var(--run-${(runs.find(({label}) => label === solver)?.index ?? k) % 8})`;

/** The kind of error of which most runs have more than the reference itself may have: the others are noise. */
function tellingKind({errors, points}) {
  const told = errors.map(({reference}, kind) => points.filter((point) => point.errors[kind] > reference).length);
  return told.indexOf(Math.max(...told));
}

function drawing(sweep, points, solvers, kind, title, width) {
  const {left, right, top, bottom, height} = frame,
    work = works[kind];
  const x = axis(
      points.map((point) => point[kind]),
      left,
      width - right,
      44,
    ),
    y = axis(
      points.map((point) => point.height),
      height - bottom,
      top,
      28,
    );
  const made = svg(
    'svg',
    {
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      'aria-label': `Work and precision: ${title} against ${work.title}, one line a solver`,
    },
    axes(x, y, work.title, title, width),
  );
  solvers.forEach((solver, k) => {
    const color = colorOf(solver, k);
    const own = points.filter((point) => point.solver === solver).sort((a, b) => a.setting - b.setting);
    const places = own.map((point) => [x.at(point[kind]), y.at(point.height)]);
    // Solvers that do the same lie on one another: the lower ones are larger, so that all can be seen.
    const more = 0.8 * (solvers.length - 1 - k);
    made.append(
      svg('polyline', {
        points: places.map((place) => place.join()).join(' '),
        style: `stroke: ${color}; stroke-width: ${1.75 + more}`,
      }),
    );
    own.forEach(({error, setting, ...point}, i) => {
      const [cx, cy] = places[i];
      const style = error > 0 ? `fill: ${color}` : `fill: var(--card); stroke: ${color}; stroke-width: 2`;
      const told = `${solver}, ${sweep.setting} ${figure(setting)}: ${figure(error, 4)} in ${work.told(point[kind])}`;
      made.append(svg('circle', {cx, cy, r: 4 + more, style}, svg('title', {}, told)));
    });
  });
  return made;
}

export function setUpPrecision(section) {
  const {sweep} = report;
  const kinds = sweep?.errors.map((error, kind) => ({...error, kind, points: pointsOf(sweep, kind)})) ?? [];
  const drawn = kinds.filter(({points}) => points.length > 0);
  if (drawn.length === 0) return section.remove();
  const solvers = [...new Set(sweep.points.map(({solver}) => solver))];
  const legend = element('ul', {className: 'legend'});
  solvers.forEach((solver, k) => {
    const mark = element('i');
    mark.style.setProperty('--stroke', colorOf(solver, k));
    legend.append(element('li', {}, mark, solver));
  });
  const work = element('select', {id: 'work'}, ...Object.entries(works).map(([k, {title}]) => new Option(title, k)));
  const error = element('select', {id: 'error'}, ...drawn.map(({title, kind}) => new Option(title, kind)));
  error.value = tellingKind(sweep);
  const place = element('div'),
    note = element('p', {className: 'note'});
  // As wide as there is room, so that its texts keep their size.
  const draw = () => {
    const {points, title} = kinds[error.value];
    place.replaceChildren(drawing(sweep, points, solvers, work.value, title, Math.max(200, place.clientWidth)));
    const zeros = points.filter(({error}) => error === 0).length;
    note.textContent =
      `Each point is a run at one ${sweep.setting}; lower and further left is better.` +
      (zeros > 0 ? ` Hollow points at the bottom have no error at all: ${zeros} of ${points.length} runs.` : '');
  };
  for (const choice of [work, error]) choice.addEventListener('change', draw);
  const labelled = (text, choice) =>
    element('span', {className: 'choice'}, element('label', {htmlFor: choice.id, textContent: text}), choice);
  section.append(
    element(
      'div',
      {className: 'card precision'},
      element(
        'div',
        {className: 'bar'},
        legend,
        labelled('Work', work),
        labelled('Error', error),
      ),
      place,
      note,
    ),
  );
  draw();
  new ResizeObserver(draw).observe(place);
}
