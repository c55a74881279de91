// Numbers and text that packed_column.hpp packs.
import {unzlibSync} from 'fflate';

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Eight planes of bytes, the least significant first. */
export function unpackNumbers(base64) {
  const planes = unzlibSync(bytesOf(base64)),
    count = planes.length / 8;
  const [a, b, c, d, e, f, g, h] = Array.from({length: 8}, (_, k) => planes.subarray(k * count, (k + 1) * count));
  // Two halves of each number, as browsers have them: the lower one first.
  const halves = new Uint32Array(2 * count);
  for (let i = 0; i < count; ++i) {
    halves[2 * i] = a[i] | (b[i] << 8) | (c[i] << 16) | (d[i] << 24);
    halves[2 * i + 1] = e[i] | (f[i] << 8) | (g[i] << 16) | (h[i] << 24);
  }
  return new Float64Array(halves.buffer);
}

export const unpackText = (base64) => new TextDecoder().decode(unzlibSync(bytesOf(base64)));
export const textOf = (id) => document.getElementById(id).textContent;
