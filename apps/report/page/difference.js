// Runs against each other, at the times that they have in common: between its rows a run says nothing.
import {runs} from './data.js';

/** How far two times of rows may be apart and be the same: of the whole time. */
const sameTime = 1e-9;

/**
 * The times that all of some runs have that have not ended before, two at least, and the row of each run there: -1 after
 * its end.
 */
function makeCommonRows(these) {
  const end = (run) => run.time[run.rows - 1];
  const longest = these.reduce((a, b) => (end(b) > end(a) || (end(b) === end(a) && b.rows < a.rows) ? b : a));
  const rounding = sameTime * (end(longest) - longest.time[0]);
  const next = these.map(() => 0),
    found = these.map(() => []),
    times = [];
  for (const time of longest.time) {
    const here = these.map((run, r) => {
      while (next[r] < run.rows && run.time[next[r]] < time - rounding) ++next[r];
      return next[r] < run.rows && run.time[next[r]] <= time + rounding ? next[r] : -1;
    });
    const lasting = these.filter((run) => run.time[0] <= time + rounding && end(run) >= time - rounding).length;
    if (lasting < 2 || here.filter((row) => row >= 0).length < lasting) continue;
    times.push(time);
    here.forEach((row, r) => found[r].push(row));
  }
  const all = times.length === longest.rows ? longest.time : Float64Array.from(times);
  return {times: all, rows: new Map(these.map((run, r) => [run, found[r]]))};
}

const known = new Map();
export function commonRows(these) {
  const key = these.map(({index}) => index).join();
  if (!known.has(key)) known.set(key, makeCommonRows(these));
  return known.get(key);
}

/** Of the finite numbers among these; none of less than two. */
function median(numbers) {
  const all = numbers.filter(Number.isFinite).sort((a, b) => a - b);
  const half = all.length >> 1;
  return all.length < 2 ? NaN : all.length % 2 ? all[half] : (all[half - 1] + all[half]) / 2;
}

/**
 * A run less the reference, which is another run, or null for the median of all runs, at the times that they have in
 * common: times and values, or null where there are none.
 */
export function difference(run, name, reference) {
  const others = (reference ? [reference] : runs).filter((other) => other.has(name));
  if (!run.has(name) || others.length < (reference ? 1 : 2)) return null;
  const {times, rows} = commonRows(reference ? [run, reference] : runs);
  const values = run.column(name),
    own = rows.get(run);
  const theirs = others.map((other) => ({column: other.column(name), rows: rows.get(other)}));
  const here = [...times.keys()].filter((i) => own[i] >= 0);
  const agreed = (i) => {
    const numbers = theirs.map((other) => (other.rows[i] < 0 ? NaN : other.column[other.rows[i]]));
    return reference ? numbers[0] : median(numbers);
  };
  if (here.length === 0) return null;
  return {
    times: here.length === times.length ? times : Float64Array.from(here, (i) => times[i]),
    values: Float64Array.from(here, (i) => values[own[i]] - agreed(i)),
  };
}

/** Where a run is farthest from the consensus in the position of a body: how far, which body, when; or null. */
export function largestDeviation(run) {
  let worst = null;
  for (const {object: body} of run.channels.filter((c) => c.group === 'bodies' && c.component === 'x')) {
    const [x, y, z] = ['x', 'y', 'z'].map((axis) => difference(run, `${body}.${axis}`, null));
    if (!x || !y || !z) continue;
    x.times.forEach((time, i) => {
      const distance = Math.hypot(x.values[i], y.values[i], z.values[i]);
      if (Number.isFinite(distance) && !(distance <= worst?.distance)) worst = {distance, body, time};
    });
  }
  return worst;
}

/** At which times differences are taken, as a sentence. */
export function commonTimesText(reference) {
  const count = (these) => commonRows(these).times.length;
  const times = (n) => `${n.toLocaleString('en')} ${n === 1 ? 'time' : 'times'}`;
  if (!reference)
    return `Differences at the ${times(count(runs))} that all runs have which have not ended before, two at least.`;
  const each = runs
    .filter((run) => run !== reference)
    .map((run) => `${run.label} at ${times(count([run, reference]))}`)
    .join(', ');
  return `Differences at the times that a run and ${reference.label} both have: ${each}.`;
}
