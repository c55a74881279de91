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
  const bytes = new Uint8Array(planes.length);
  for (let b = 0; b < 8; ++b) for (let i = 0; i < count; ++i) bytes[8 * i + b] = planes[b * count + i];
  return new Float64Array(bytes.buffer);
}

export const unpackText = (base64) => new TextDecoder().decode(unzlibSync(bytesOf(base64)));
export const textOf = (id) => document.getElementById(id).textContent;
