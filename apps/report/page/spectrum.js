// Spectra: the amplitude of each frequency in a stretch of a channel.
import {transform, transformAny} from './fourier.js';
import {fittedSpectrum} from './uneven-spectrum.js';

/** Part of a step by which rows of a grid may be off it: times have been rounded. */
const offGrid = 1e-4;
/** Rows that a spectrum can be made of. */
const least = 8,
  most = 1 << 22;

/** The distance of rows that is the most frequent, but for rounding. */
function usualStep(times) {
  const steps = times.slice(1).map((t, k) => t - times[k]);
  const sorted = steps.filter((step) => step > 0).sort();
  let best = 0,
    count = 0;
  for (let from = 0, to = 0; from < sorted.length; from = to) {
    while (to < sorted.length && sorted[to] - sorted[from] <= offGrid * sorted[from]) ++to;
    // Of equally many the widest.
    if (to - from >= count) [count, best] = [to - from, sorted[(from + to) >> 1]];
  }
  return best;
}

/**
 * The longest stretch of rows at equal distances: {rows, step}. Rows between those of the grid, as events have them, are
 * left out of it; of several rows at one time it has the last.
 */
function evenStretch(times) {
  const step = usualStep(times);
  let best = {rows: [], step};
  for (let first = 0; first < times.length - 1; ) {
    const rows = [first];
    let own = step;
    for (let k = first + 1; k < times.length; ++k) {
      const place = (times[k] - times[first]) / own;
      if (place < rows.length - offGrid) {
        if (place > rows.length - 1 - offGrid && place < rows.length - 1 + offGrid) rows[rows.length - 1] = k;
        continue;
      }
      if (place > rows.length + offGrid) break;
      rows.push(k);
      own = (times[k] - times[first]) / (rows.length - 1);
    }
    if (rows.length > best.rows.length) best = {rows, step: own};
    first = Math.max(first + 1, rows.at(-1));
  }
  return best;
}

/** Of rows at equal distances. */
function evenSpectrum(re, step) {
  const n = re.length,
    im = new Float64Array(n);
  const mean = re.reduce((sum, x) => sum + x / n, 0);
  for (let k = 0; k < n; ++k) re[k] = (re[k] - mean) * (0.5 - 0.5 * Math.cos((2 * Math.PI * k) / n));
  if ((n & (n - 1)) === 0) transform(re, im);
  else transformAny(re, im);
  return {re: re.map((x) => x / n), im: im.map((x) => x / n), long: n * step, count: Math.floor(n / 2)};
}

/**
 * Frequencies in Hz, and the amplitude at each: a sine of amplitude A whose frequency is one of them has A there. The
 * mean is taken off, and a Hann window keeps what is between frequencies from spreading. Rows at equal distances are
 * transformed as they are, without those that events have put between them and without a last or first row off the
 * grid. To others a trigonometric polynomial is fitted, up to the frequency that their widest distance resolves, which
 * `limit` (Hz) tells then. Null where there are fewer than eight rows, or one is no finite number.
 */
export function spectrum(times, values, [from, to] = [times[0], times.at(-1)]) {
  const places = [];
  for (let k = 0; k < times.length; ++k) if (times[k] >= from && times[k] <= to) places.push(k);
  if (places.length < least || places.length > most || !places.every((k) => Number.isFinite(values[k]))) return null;
  const at = Float64Array.from(places, (k) => times[k]),
    of = Float64Array.from(places, (k) => values[k]);
  const {rows, step} = evenStretch(at);
  const outside = rows.length > 0 ? at.at(-1) - at[rows.at(-1)] + (at[rows[0]] - at[0]) : Infinity;
  const isEven = rows.length > least && outside < 2 * step;
  // The window is 0 at both ends of a period, so the last row would say nothing.
  const found = isEven ? evenSpectrum(Float64Array.from(rows.slice(0, -1), (k) => of[k]), step) : fittedSpectrum(at, of);
  if (!found) return null;
  const {re, im, long, limit, count = re.length} = found;
  // The window's mean is a half, and the amplitude is shared by a frequency and its negative.
  return {
    times: Float64Array.from({length: count}, (_, k) => k / long),
    values: Float64Array.from({length: count}, (_, k) => (k === 0 ? 2 : 4) * Math.hypot(re[k], im[k])),
    ...(limit && {limit}),
  };
}
