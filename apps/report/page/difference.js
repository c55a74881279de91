// Runs against each other, at the times that they have in common: between its rows a run says nothing.
import {consensus, runs} from './data.js';

/** How far two times of rows may be apart and be the same: of the shorter run's time, as in result_comparison.hpp. */
const sameTime = 1e-9;
const span = ({time, rows}) => time[rows - 1] - time[0];

/** The times that both of two runs have, and the rows of each there. */
function makeCommonRows(a, b) {
  const rounding = sameTime * Math.min(span(a), span(b));
  const times = [],
    rows = [[], []];
  let next = 0;
  a.time.forEach((time, row) => {
    while (next < b.rows && b.time[next] < time - rounding) ++next;
    if (next === b.rows || b.time[next] > time + rounding) return;
    times.push(time);
    rows[0].push(row);
    rows[1].push(next);
  });
  return {times: times.length === a.rows ? a.time : Float64Array.from(times), rows};
}

const known = new Map();
function commonRows(a, b) {
  const key = `${a.index},${b.index}`;
  if (!known.has(key)) known.set(key, makeCommonRows(a, b));
  return known.get(key);
}

/** A run less the reference, which is another run or the consensus: times and values, or null where there are none. */
export function difference(run, name, reference) {
  if (!run.has(name) || !reference.has(name)) return null;
  const {times, rows} = commonRows(run, reference);
  if (times.length === 0) return null;
  const values = run.column(name),
    theirs = reference.column(name);
  return {times, values: Float64Array.from(times, (_, i) => values[rows[0][i]] - theirs[rows[1][i]])};
}

/** At which times differences are taken, as a sentence. */
export function commonTimesText(reference) {
  const times = (n) => `${n.toLocaleString('en')} ${n === 1 ? 'time' : 'times'}`;
  if (reference === consensus) return `Differences at the ${times(consensus.rows)} that all runs compared have.`;
  const each = runs
    .filter((run) => run !== reference)
    .map((run) => `${run.label} at ${times(commonRows(run, reference).times.length)}`)
    .join(', ');
  return `Differences at the times that a run and ${reference.label} both have: ${each}.`;
}
