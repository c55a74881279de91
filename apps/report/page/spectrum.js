// Spectra: the amplitude of each frequency in a stretch of a channel.

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

const most = 1 << 18;

/**
 * Frequencies in Hz, and the amplitude at each: a sine of amplitude A whose frequency is one of them has A there. The
 * mean and the straight trend are taken off, and a Hann window keeps what is between frequencies from spreading. Null
 * where there are fewer than eight rows.
 */
export function spectrum(times, values, [from, to] = [times[0], times.at(-1)]) {
  const inside = times.reduce((count, t) => count + (t >= from && t <= to), 0);
  const begin = Math.max(from, times[0]),
    end = Math.min(to, times.at(-1));
  if (inside < 8 || !(end > begin)) return null;
  let n = 8;
  while (n < inside && n < most) n *= 2;
  const re = resampled(times, values, begin, end, n),
    im = new Float64Array(n);
  if (!re.every(Number.isFinite)) return null;
  let mean = 0,
    slope = 0,
    square = 0;
  for (let k = 0; k < n; ++k) mean += re[k] / n;
  for (let k = 0; k < n; ++k) {
    const x = k - (n - 1) / 2;
    slope += x * (re[k] - mean);
    square += x * x;
  }
  slope /= square;
  for (let k = 0; k < n; ++k) {
    const window = 0.5 - 0.5 * Math.cos((2 * Math.PI * k) / n);
    re[k] = (re[k] - mean - slope * (k - (n - 1) / 2)) * window;
  }
  transform(re, im);
  // The window's mean is a half, and the amplitude is shared by a frequency and its negative.
  const count = n / 2;
  return {
    times: Float64Array.from({length: count}, (_, k) => k / (end - begin)),
    values: Float64Array.from({length: count}, (_, k) => ((k === 0 ? 2 : 4) * Math.hypot(re[k], im[k])) / n),
  };
}
