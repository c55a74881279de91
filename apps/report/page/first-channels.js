// What to look at first: what moves, and where several runs differ.
import {consensus, report, runs} from './data.js';
import {difference} from './difference.js';

/** Below it, in m or rad, channels move by round-off only. */
const atRest = 1e-12;
/** A difference, relative to the range of the channel, from which on it is worth a plot. */
const apart = 1e-6;
const mostLooked = 60;

function range(run, name) {
  let low = Infinity,
    high = -Infinity;
  for (const x of run.column(name)) {
    if (x < low) low = x;
    if (x > high) high = x;
  }
  return high - low;
}

const channelsOf = (run, group, components) =>
  run.channels
    .filter((c) => c.group === group && components.test(c.component))
    .slice(0, mostLooked)
    .map((c) => c.name);

/** Those that move, the widest first. */
const moving = (run, names) =>
  names
    .map((name) => [range(run, name), name])
    .filter(([moves]) => moves > atRest)
    .sort(([a], [b]) => b - a)
    .map(([, name]) => name);

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
  const joints = channelsOf(run, 'joints', /^q(\[\d+\])?$/).filter((name) => !isFree(name)),
    places = channelsOf(run, 'bodies', /^[xyz]$/);
  const turning = moving(run, joints)[0],
    going = moving(run, places)[0] ?? moving(run, channelsOf(run, 'bodies', /^q[xyz]$/))[0];
  const touching = moving(run, channelsOf(run, 'elements', /^fn$/))[0];
  const differing = runs.length > 1 ? mostDifferent([...joints, ...places]) : null;
  const names = [differing, turning, going, touching, ...energy];
  return [...new Set(names)].filter((name) => name && run.has(name));
}

/** Coordinates of a joint that allows all motion are the body's own. */
const free = () => new Set((report.mechanism?.joints ?? []).filter((joint) => joint.freedom === 'all').map(({name}) => name));
let freeJoints = null;
function isFree(name) {
  freeJoints ??= free();
  return freeJoints.has(name.slice(0, name.lastIndexOf('.')));
}
