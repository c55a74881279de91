// The runs of the page. Each column stands in an element of its own and is unpacked when it is first asked for.
import {unzlibSync} from 'fflate';

const description = JSON.parse(document.getElementById('report').textContent);

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** The numbers of packed_column.hpp: eight planes of bytes, the least significant first. */
function unpack(base64, rows) {
  const planes = unzlibSync(bytesOf(base64), {out: new Uint8Array(8 * rows)});
  const bytes = new Uint8Array(8 * rows);
  for (let b = 0; b < 8; ++b) for (let i = 0; i < rows; ++i) bytes[8 * i + b] = planes[b * rows + i];
  return new Float64Array(bytes.buffer);
}

class Run {
  constructor(index, {label, rows, record, columns}) {
    Object.assign(this, {index, label, rows, record});
    this.channels = columns.map(([group, name, unit]) => {
      // No component has a dot in it, while names of bodies and joints may.
      const dot = name.lastIndexOf('.');
      return {group, name, unit, object: dot < 0 ? name : name.slice(0, dot), component: name.slice(dot + 1)};
    });
    this.places = new Map(this.channels.map((channel, place) => [channel.name, place]));
    this.unpacked = new Map();
  }

  has(name) {
    return this.places.has(name);
  }

  unit(name) {
    return this.channels[this.places.get(name)]?.unit ?? '';
  }

  /** All numbers of a channel, one per row; null where the run has no such channel. */
  column(name) {
    if (!this.has(name)) return null;
    if (!this.unpacked.has(name)) {
      const element = document.getElementById(`column-${this.index}-${this.places.get(name)}`);
      this.unpacked.set(name, unpack(element.textContent, this.rows));
    }
    return this.unpacked.get(name);
  }

  get time() {
    return this.column('time');
  }

  /** The last row at or before the time, or the first. */
  rowAt(time) {
    const t = this.time;
    let low = 0,
      high = this.rows - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (t[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  nearestRow(time) {
    const row = this.rowAt(time),
      t = this.time;
    return row + 1 < this.rows && t[row + 1] - time < time - t[row] ? row + 1 : row;
  }
}

export const report = description;
export const runs = description.runs.map((run, index) => new Run(index, run)).filter((run) => run.rows > 0);
