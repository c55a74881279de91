// Discrete Fourier transforms.

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
