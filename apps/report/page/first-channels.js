// What to look at first: what moves, and where several runs differ.
import {consensus, report, runs} from './data.js';
import {difference} from './difference.js';

/** Below it, in m or rad, channels move by round-off only. */
const atRest = 1e-12;
/** A difference, relative to the range of the channel, from which on it is worth a plot. */
const apart = 1e-6;
/** Part of the range of a channel within which it is a straight line. */
const straight = 1e-6;
const mostLooked = 60;

function spread(values) {
  let low = Infinity,
    high = -Infinity;
  for (const x of values) {
    if (x < low) low = x;
    if (x > high) high = x;
  }
  return high - low;
}
const range = (run, name) => spread(run.column(name));

const channelsOf = (run, group, components) =>
  run.channels
    .filter((c) => c.group === group && components.test(c.component))
    .slice(0, mostLooked)
    .map((c) => c.name);

/** How far it goes from the straight line that fits it best: uniform motion tells nothing. */
function wobble(run, name) {
  const {time} = run,
    values = run.column(name),
    count = values.length;
  let t = 0,
    x = 0,
    tt = 0,
    tx = 0;
  for (let k = 0; k < count; ++k) {
    t += time[k] / count;
    x += values[k] / count;
  }
  for (let k = 0; k < count; ++k) {
    tt += (time[k] - t) ** 2;
    tx += (time[k] - t) * (values[k] - x);
  }
  const slope = tt > 0 ? tx / tt : 0;
  const away = values.map((value, k) => value - x - slope * (time[k] - t));
  return spread(away) > straight * spread(values) ? spread(away) : 0;
}

/** Those that move, the widest first. */
const moving = (run, names) =>
  names
    .filter((name) => range(run, name) > atRest)
    .map((name) => [wobble(run, name), name])
    .sort(([a], [b]) => b - a)
    .map(([, name]) => name);

/** Whether two channels are the same curve but for its place and sign, as a slide and the body that is on it. */
function isSameCurve(run, a, b) {
  const [one, other] = [a, b].map((name) => run.column(name)),
    size = spread(one);
  return [1, -1].some((sign) => spread(one.map((x, k) => x - sign * other[k])) < apart * size);
}

/** The channel in which the runs differ most for its range, or none. */
function mostDifferent(names) {
  const reference = consensus ?? runs[0];
  let worst = [apart, null];
  for (const name of names) {
    const size = range(runs[0], name);
    if (!(size > atRest)) continue;
    for (const run of runs) {
      const found = run === reference ? null : difference(run, name, reference);
      const largest = found ? found.values.reduce((most, x) => Math.max(most, Math.abs(x)), 0) / size : 0;
      if (largest > worst[0]) worst = [largest, name];
    }
  }
  return worst[1];
}

export function firstChannels() {
  const run = runs[0];
  const energy = runs.length > 1 ? ['energy.total'] : ['energy.kinetic', 'energy.potential', 'energy.total'];
  // Components of quaternions, which have no unit, tell little.
  const free = freeJoints();
  const joints = channelsOf(run, 'joints', /^q(\[\d+\])?$/).filter((name) => !free.has(name.slice(0, name.lastIndexOf('.'))) && run.unit(name) !== '1'),
    places = channelsOf(run, 'bodies', /^[xyz]$/);
  const widest = (group, components) => moving(run, channelsOf(run, group, components))[0];
  const turning = moving(run, joints)[0],
    going = moving(run, places).find((name) => !turning || !isSameCurve(run, name, turning)),
    spinning = turning || going ? null : (widest('bodies', /^w[xyz]$/) ?? widest('bodies', /^q[xyz]$/));
  const bending = widest('bodies', /^eta\[\d+\]$/),
    pushing = widest('elements', /^fn$/) ?? widest('elements', /^tension$/);
  const differing = runs.length > 1 ? mostDifferent([...joints, ...places]) : null;
  const mechanical = [differing, turning, going, spinning, bending, pushing].filter(Boolean);
  const others = mechanical.length > 0 ? [] : moving(run, channelsOf(run, 'modules', /./)).slice(0, 3);
  return [...new Set([...mechanical, ...others, ...energy])].filter((name) => run.has(name));
}

/** Coordinates of a joint that allows all motion are the body's own. */
const freeJoints = () =>
  new Set((report.mechanism?.joints ?? []).filter((joint) => joint.freedom === 'all').map(({name}) => name));
