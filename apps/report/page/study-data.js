// The table of a study: a column of numbers for each factor and quantity.
import {textOf, unpackNumbers, unpackText} from './packed.js';

export const study = JSON.parse(unpackText(textOf('study')));
const numbers = unpackNumbers(textOf('columns'));
export const cases = study.cases;

/** A factor or a quantity. words: what the numbers of its column stand for, where they count words. */
const columnAt = ({name, unit, words, kind}, place) => ({
  name,
  unit: unit ?? '',
  words: words ?? null,
  kind,
  label: unit ? `${name} (${unit})` : name,
  values: numbers.subarray(place * cases, (place + 1) * cases),
});
export const columns = study.columns.map(columnAt);
export const factors = columns.filter((column) => column.kind === 'factor');
export const quantities = columns.filter((column) => column.kind === 'quantity');
/** The numbers of the cases, and 1 for each that is done. */
export const caseNumbers = numbers.subarray(columns.length * cases, (columns.length + 1) * cases);
export const done = numbers.subarray((columns.length + 1) * cases, (columns.length + 2) * cases);

/** Least and greatest finite number; null where there is none. */
export function rangeOf(values) {
  let least = Infinity,
    greatest = -Infinity;
  for (const x of values)
    if (Number.isFinite(x)) {
      if (x < least) least = x;
      if (x > greatest) greatest = x;
    }
  return least <= greatest ? [least, greatest] : null;
}

/** Mean, deviation and quantiles of the finite numbers; null where there is none. */
export function summaryOf(values) {
  const finite = Float64Array.from(values).filter(Number.isFinite).sort();
  if (finite.length === 0) return null;
  let mean = 0,
    squares = 0;
  for (const x of finite) mean += x / finite.length;
  for (const x of finite) squares += ((x - mean) * (x - mean)) / finite.length;
  const quantile = (p) => {
    const at = p * (finite.length - 1),
      low = Math.floor(at);
    return finite[low] + (at - low) * (finite[Math.min(low + 1, finite.length - 1)] - finite[low]);
  };
  return {count: finite.length, mean, deviation: Math.sqrt(squares), quantile};
}

/** How many classes the values of a factor make for its influence: its levels, or equal shares of the cases. */
function classesOf(values) {
  const order = Uint32Array.from(values.keys()).sort((a, b) => values[a] - values[b]);
  const levels = new Set(values).size;
  const most = Math.max(2, Math.min(64, Math.floor(Math.sqrt(values.length))));
  const classes = new Int32Array(values.length);
  let level = -1,
    last = NaN;
  order.forEach((k, rank) => {
    if (values[k] !== last) ++level;
    last = values[k];
    classes[k] = levels <= most ? level : Math.floor((rank * most) / order.length);
  });
  return classes;
}

/** Classes of all cases, by factor: most quantities have a number in each case. */
const classesOfAll = new Map();
function classesOfCases(factor, chosen) {
  if (chosen.length < cases) return classesOf(Float64Array.from(chosen, (k) => factor.values[k]));
  if (!classesOfAll.has(factor)) classesOfAll.set(factor, classesOf(factor.values));
  return classesOfAll.get(factor);
}

/**
 * The first-order Sobol index of a factor, from the cases as they are: the share of the quantity's variance that the means
 * over the factor's classes have, less what means over so few cases have by chance. Null where nothing varies.
 */
export function influence(factor, quantity) {
  const chosen = [];
  for (let k = 0; k < cases; ++k) if (done[k] && Number.isFinite(quantity.values[k])) chosen.push(k);
  if (chosen.length < 4) return null;
  const y = chosen.map((k) => quantity.values[k]),
    classes = classesOfCases(factor, chosen);
  const mean = y.reduce((sum, x) => sum + x, 0) / y.length;
  const variance = y.reduce((sum, x) => sum + (x - mean) ** 2, 0);
  if (!(variance > 0)) return null;
  const count = new Map(),
    sums = new Map();
  y.forEach((x, i) => {
    count.set(classes[i], (count.get(classes[i]) ?? 0) + 1);
    sums.set(classes[i], (sums.get(classes[i]) ?? 0) + x);
  });
  let between = 0;
  for (const [c, n] of count) between += n * (sums.get(c) / n - mean) ** 2;
  const k = count.size;
  if (k < 2 || y.length <= k) return Math.min(1, between / variance);
  // Within a class the mean of n values varies by the variance within over n.
  const within = (variance - between) / (y.length - k);
  return Math.max(0, Math.min(1, (between - (k - 1) * within) / variance));
}

/**
 * Cases that differ in the solver alone: their places in the columns, and for each quantity the distance of the greatest
 * value from the least. Both come from all digits of the table.
 */
export const solverGroups = study.groups;
export const isSolver = (factor) => factor.name === study.solver;

/**
 * Of each quantity the first and total Sobol indices of each factor, each as [value, low, high] of its 95 % interval; none
 * where the cases do not allow it, with why_not.
 */
export const sobolIndices = study.indices ?? [];

/** Fans of trajectories: times, quantiles by level, and lines of some cases. */
export const trajectories = study.trajectories ?? {fans: []};
const fanNumbers = unpackNumbers(textOf('fan-numbers'));
let taken = 0;
const take = (count) => fanNumbers.subarray(taken, (taken += count));
export const fans = trajectories.fans.map(({name, unit, times: count, cases: numbers}) => ({
  name,
  label: unit && unit !== '1' ? `${name} (${unit})` : name,
  times: take(count),
  quantiles: trajectories.levels.map(() => take(count)),
  lines: numbers.map((number) => ({number, values: take(count)})),
}));
