// The runs of the page. Columns stand in blocks, each in an element of its own, which is unpacked when one of them is
// first asked for.
import {textOf, unpackNumbers, unpackText} from './packed.js';

const description = JSON.parse(unpackText(textOf('report')));

/** Of rising times the last up to this one, or the first: its place. */
function lastUpTo(times, time) {
  let low = 0,
    high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Of rising times the nearest to this one: its place. */
export function nearest(times, time) {
  const k = lastUpTo(times, time);
  return k + 1 < times.length && times[k + 1] - time < time - times[k] ? k + 1 : k;
}

class Run {
  constructor(index, {label, rows, record, columns, columns_per_block: perBlock}) {
    Object.assign(this, {index, label, rows, record, perBlock});
    this.channels = columns.map(([group, name, unit]) => {
      // No component has a dot in it, while names of bodies and joints may.
      const dot = name.lastIndexOf('.');
      return {group, name, unit, object: dot < 0 ? name : name.slice(0, dot), component: name.slice(dot + 1)};
    });
    this.places = new Map(this.channels.map((channel, place) => [channel.name, place]));
    this.blocks = new Map();
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
    const place = this.places.get(name),
      block = Math.floor(place / this.perBlock),
      first = (place % this.perBlock) * this.rows;
    if (!this.blocks.has(block)) this.blocks.set(block, unpackNumbers(textOf(`columns-${this.index}-${block}`)));
    if (!this.unpacked.has(name)) this.unpacked.set(name, this.blocks.get(block).subarray(first, first + this.rows));
    return this.unpacked.get(name);
  }

  get time() {
    return this.column('time');
  }

  /** The last row at or before the time, or the first. */
  rowAt(time) {
    return lastUpTo(this.time, time);
  }

  nearestRow(time) {
    return nearest(this.time, time);
  }
}

export const report = description;
export const allRuns = description.runs.map((run, index) => new Run(index, run));
/** Those that have something to show. */
export const runs = allRuns.filter((run) => run.rows > 0);
/** What the runs agree on, as a run; or null. */
export const consensus = description.consensus ? new Run(description.runs.length, description.consensus) : null;
