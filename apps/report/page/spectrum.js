// Spectra: the amplitude of each frequency in a stretch of a channel.

/** Values of one spectrum at most. */
const most = 1 << 18;

/** The discrete Fourier transform, in place, for a power of two (Cooley and Tukey 1965). */
export function transform(re, im) {
  const n = re.length;
  for (let i = 1, j = 0; i < n; ++i) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j], re[i]];
      [im[i], im[j]] = [im[j], im[i]];
    }
  }
  for (let size = 2; size <= n; size *= 2) {
    const half = size / 2,
      cos = new Float64Array(half),
      sin = new Float64Array(half);
    for (let k = 0; k < half; ++k) {
      cos[k] = Math.cos((-2 * Math.PI * k) / size);
      sin[k] = Math.sin((-2 * Math.PI * k) / size);
    }
    for (let first = 0; first < n; first += size)
      for (let k = 0; k < half; ++k) {
        const a = first + k,
          b = a + half;
        const x = re[b] * cos[k] - im[b] * sin[k],
          y = re[b] * sin[k] + im[b] * cos[k];
        re[b] = re[a] - x;
        im[b] = im[a] - y;
        re[a] += x;
        im[a] += y;
      }
  }
}

/** The same for any length, as a convolution (Bluestein 1970). */
export function transformAny(re, im) {
  const n = re.length;
  let m = 1;
  while (m < 2 * n) m *= 2;
  const cos = new Float64Array(n),
    sin = new Float64Array(n);
  for (let k = 0; k < n; ++k) {
    const angle = (Math.PI * ((k * k) % (2 * n))) / n;
    cos[k] = Math.cos(angle);
    sin[k] = Math.sin(angle);
  }
  const [ar, ai, br, bi] = Array.from({length: 4}, () => new Float64Array(m));
  for (let k = 0; k < n; ++k) {
    ar[k] = re[k] * cos[k] + im[k] * sin[k];
    ai[k] = im[k] * cos[k] - re[k] * sin[k];
    br[k] = br[(m - k) % m] = cos[k];
    bi[k] = bi[(m - k) % m] = sin[k];
  }
  transform(ar, ai);
  transform(br, bi);
  // The inverse is the transform of the conjugate.
  for (let k = 0; k < m; ++k)
    [ar[k], ai[k]] = [ar[k] * br[k] - ai[k] * bi[k], -(ar[k] * bi[k] + ai[k] * br[k])];
  transform(ar, ai);
  for (let k = 0; k < n; ++k) {
    const x = ar[k] / m,
      y = -ai[k] / m;
    re[k] = x * cos[k] + y * sin[k];
    im[k] = y * cos[k] - x * sin[k];
  }
}

/** Rows of a stretch of time at equal distances, without the last: [values, step]; null where distances differ. */
function evenRows(times, values, from, to) {
  const first = times.findIndex((t) => t >= from);
  let last = times.length - 1;
  while (last > first && times[last] > to) --last;
  const count = last - first,
    step = (times[last] - times[first]) / count;
  for (let k = 0; k <= count; ++k)
    if (Math.abs(times[first + k] - times[first] - k * step) > 1e-4 * step) return null;
  return count >= 4 && count <= most ? [Float64Array.from(values.subarray(first, last)), step] : null;
}

/** Values at equal distances in time, by straight lines between rows. */
function resampled(times, values, from, to, count) {
  const out = new Float64Array(count),
    step = (to - from) / count;
  for (let i = 0, k = 0; i < count; ++i) {
    const t = from + i * step;
    while (k + 2 < times.length && times[k + 1] <= t) ++k;
    const width = times[k + 1] - times[k];
    const w = width > 0 ? Math.min(1, Math.max(0, (t - times[k]) / width)) : 0;
    out[i] = values[k] + w * (values[k + 1] - values[k]);
  }
  return out;
}

/**
 * Frequencies in Hz, and the amplitude at each: a sine of amplitude A whose frequency is one of them has A there. Rows at
 * unequal distances are joined by straight lines first. The
 * mean is taken off, and a Hann window keeps what is between frequencies from spreading. Null where there are fewer than
 * eight rows.
 */
export function spectrum(times, values, [from, to] = [times[0], times.at(-1)]) {
  const inside = times.reduce((count, t) => count + (t >= from && t <= to), 0);
  const begin = Math.max(from, times[0]),
    end = Math.min(to, times.at(-1));
  if (inside < 8 || !(end > begin)) return null;
  let n = 8;
  while (n < inside && n < most) n *= 2;
  const even = evenRows(times, values, begin, end);
  const re = even ? even[0] : resampled(times, values, begin, end, n),
    long = even ? even[0].length * even[1] : end - begin;
  n = re.length;
  const im = new Float64Array(n);
  if (!re.every(Number.isFinite)) return null;
  const mean = re.reduce((sum, x) => sum + x / n, 0);
  for (let k = 0; k < n; ++k) re[k] = (re[k] - mean) * (0.5 - 0.5 * Math.cos((2 * Math.PI * k) / n));
  if ((n & (n - 1)) === 0) transform(re, im);
  else transformAny(re, im);
  // The window's mean is a half, and the amplitude is shared by a frequency and its negative.
  const count = Math.floor(n / 2);
  return {
    times: Float64Array.from({length: count}, (_, k) => k / long),
    values: Float64Array.from({length: count}, (_, k) => ((k === 0 ? 2 : 4) * Math.hypot(re[k], im[k])) / n),
  };
}
