// Spectra of rows at unequal distances.
import {transform} from './fourier.js';

/** Part of the frequency that two rows a period resolve at the widest distance, up to which a fit is well determined. */
const resolved = 0.8;
/** Rows times frequencies that a page may take: about a second of work. */
const mostProducts = 2e8;
const mostIterations = 200;
/** Size of what is left of the equations, relative to their right-hand side, at which the fit is done. */
const fitted = 1e-9;

/** Sums over rows of weights[i] (re + i im)[i] e^(-2 pi i k x[i]), k = 0 … count-1. */
function sums(x, re, im, count) {
  const outRe = new Float64Array(count),
    outIm = new Float64Array(count);
  for (let i = 0; i < x.length; ++i) {
    const cos = Math.cos(2 * Math.PI * x[i]),
      sin = Math.sin(2 * Math.PI * x[i]);
    let a = re[i],
      b = im ? im[i] : 0;
    for (let k = 0; k < count; ++k) {
      outRe[k] += a;
      outIm[k] += b;
      [a, b] = [a * cos + b * sin, b * cos - a * sin];
    }
  }
  return [outRe, outIm];
}

/** The product of a Hermitian Toeplitz matrix with vectors, given by its first column (of 2 count - 1 sums). */
function toeplitz([re, im], count) {
  let m = 1;
  while (m < 2 * count) m *= 2;
  const tr = new Float64Array(m),
    ti = new Float64Array(m);
  for (let k = 0; k < count; ++k) {
    tr[k] = re[k];
    ti[k] = im[k];
    if (k === 0) continue;
    tr[m - k] = re[k];
    ti[m - k] = -im[k];
  }
  transform(tr, ti);
  return (vr, vi) => {
    const a = new Float64Array(m),
      b = new Float64Array(m);
    a.set(vr);
    b.set(vi);
    transform(a, b);
    for (let k = 0; k < m; ++k) [a[k], b[k]] = [a[k] * tr[k] - b[k] * ti[k], -(a[k] * ti[k] + b[k] * tr[k])];
    transform(a, b);
    for (let k = 0; k < count; ++k) {
      vr[k] = a[k] / m;
      vi[k] = -b[k] / m;
    }
    return [vr.subarray(0, count), vi.subarray(0, count)];
  };
}

const dot = (a, b, c, d) => a.reduce((sum, x, k) => sum + x * c[k] + b[k] * d[k], 0);

/**
 * The trigonometric polynomial of period `long` (s) that fits the windowed values best: {re, im} of its coefficients
 * from frequency 0 on, at k/long, up to `limit` (Hz). Each row weighs as much as the time it stands for, and the
 * equations are solved by conjugate gradients (Feichtinger, Groechenig and Strohmer 1995, Numerische Mathematik 69), which
 * converge as long as no two rows are further apart than half a period of the highest frequency.
 */
export function fittedSpectrum(times, values) {
  const rows = times.length,
    long = times[rows - 1] - times[0];
  let widest = 0;
  for (let i = 1; i < rows; ++i) widest = Math.max(widest, times[i] - times[i - 1]);
  const most = Math.min(Math.floor((resolved * long) / (2 * widest)), Math.floor(mostProducts / (6 * rows)));
  if (!(most >= 4)) return null;
  const x = times.map((t) => (t - times[0]) / long);
  // The window is 0 at both ends, which the period joins.
  const weights = x.map((_, i) => (x[Math.min(i + 1, rows - 1)] - x[Math.max(i - 1, 0)]) / 2);
  const mean = values.reduce((sum, v, i) => sum + v * weights[i], 0);
  const windowed = values.map((v, i) => (v - mean) * weights[i] * (0.5 - 0.5 * Math.cos(2 * Math.PI * x[i])));
  // Unknowns are the coefficients of -most … most, in this order: a shift in frequency turns the values.
  const count = 2 * most + 1;
  const product = toeplitz(sums(x, weights, null, count), count);
  const turnedRe = windowed.map((v, i) => v * Math.cos(2 * Math.PI * most * x[i])),
    turnedIm = windowed.map((v, i) => v * Math.sin(2 * Math.PI * most * x[i]));
  const [rr, ri] = sums(x, turnedRe, turnedIm, count);
  const cr = new Float64Array(count),
    ci = new Float64Array(count);
  let pr = rr.slice(),
    pi = ri.slice(),
    left = dot(rr, ri, rr, ri);
  const enough = fitted ** 2 * left;
  for (let step = 0; step < mostIterations && left > enough; ++step) {
    const [qr, qi] = product(pr.slice(), pi.slice());
    const alpha = left / dot(pr, pi, qr, qi);
    for (let k = 0; k < count; ++k) {
      cr[k] += alpha * pr[k];
      ci[k] += alpha * pi[k];
      rr[k] -= alpha * qr[k];
      ri[k] -= alpha * qi[k];
    }
    const now = dot(rr, ri, rr, ri);
    for (let k = 0; k < count; ++k) {
      pr[k] = rr[k] + (now / left) * pr[k];
      pi[k] = ri[k] + (now / left) * pi[k];
    }
    left = now;
  }
  return {re: cr.slice(most), im: ci.slice(most), long, limit: most / long};
}
