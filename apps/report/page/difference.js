// Runs against each other.
import {runs} from './data.js';

const sameTimes = (a, b) => a === b || (a.length === b.length && a.every((t, i) => t === b[i]));

/** Values of a run at the given times, straight between its rows; nothing outside of them. */
function valuesAt(run, values, times) {
  if (sameTimes(run.time, times)) return values;
  const t = run.time,
    out = new Float64Array(times.length);
  for (let i = 0, k = 0; i < times.length; ++i) {
    while (k + 2 < t.length && t[k + 1] <= times[i]) ++k;
    const w = t.length > 1 ? (times[i] - t[k]) / (t[k + 1] - t[k]) : 0;
    const outside = times[i] < t[0] || times[i] > t[t.length - 1];
    out[i] = outside
      ? NaN
      : w === 0 || t.length < 2
        ? values[k]
        : w === 1
          ? values[k + 1]
          : values[k] + w * (values[k + 1] - values[k]);
  }
  return out;
}

/**
 * The median of all runs that have the channel, at the given times: number by number what compare does with its rows,
 * where runs need not have the same times.
 */
function consensus(name, times) {
  const all = runs.filter((run) => run.has(name)).map((run) => valuesAt(run, run.column(name), times));
  const out = new Float64Array(times.length),
    now = [];
  for (let i = 0; i < times.length; ++i) {
    now.length = 0;
    for (const values of all) if (Number.isFinite(values[i])) now.push(values[i]);
    now.sort((a, b) => a - b);
    const half = now.length >> 1;
    out[i] = now.length === 0 ? NaN : now.length % 2 ? now[half] : (now[half - 1] + now[half]) / 2;
  }
  return out;
}

/** A run less the reference, at the rows of the run. The reference is a run, or null for the consensus. */
export function difference(run, name, reference) {
  const values = run.column(name);
  if (reference && !reference.has(name)) return null;
  const other = reference ? valuesAt(reference, reference.column(name), run.time) : consensus(name, run.time);
  return values.map((x, i) => x - other[i]);
}

/** Where a run is farthest from the consensus in the position of a body: how far, which body, when. */
export function largestDeviation(run) {
  const bodies = run.channels.filter((c) => c.group === 'bodies' && c.component === 'x').map((c) => c.object);
  let worst = {distance: 0, body: null, time: null};
  for (const body of bodies) {
    const [x, y, z] = ['x', 'y', 'z'].map((axis) => difference(run, `${body}.${axis}`, null));
    for (let i = 0; i < run.rows; ++i) {
      const distance = Math.hypot(x[i], y[i], z[i]);
      if (distance > worst.distance) worst = {distance, body, time: run.time[i]};
    }
  }
  return worst;
}
