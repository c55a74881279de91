// A run: its channels by name, and formulas of them.
import {formulaOf} from './formula.js';

/** Of rising times the last up to this one, or the first: its place. */
export function lastUpTo(times, time) {
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

/** What runs of a report and of a live view have in common; they differ in where the numbers of a channel are. */
export class Run {
  /** columns: [[group, name, unit, own name], …]. */
  constructor(index, label, columns, record = {}) {
    Object.assign(this, {index, label, record});
    this.channels = columns.map(([group, name, unit, ownName]) => {
      // No component has a dot in it, while names of bodies and joints may.
      const dot = name.lastIndexOf('.');
      return {group, name, unit, ownName, object: dot < 0 ? name : name.slice(0, dot), component: name.slice(dot + 1)};
    });
    this.places = new Map(this.channels.map((channel, place) => [channel.name, place]));
    this.formulas = new Map();
  }

  /** Whether the run has the channel, or all those of a formula, which begins with "=". */
  has(name) {
    return this.places.has(name) || (name.startsWith('=') && formulaOf(name, this) !== null);
  }

  unit(name) {
    if (this.places.has(name)) return this.channels[this.places.get(name)].unit;
    return (name.startsWith('=') && formulaOf(name, this)?.unit) || '';
  }

  /** All numbers of a channel or formula, one per row; null where the run has none. */
  column(name) {
    if (this.places.has(name)) return this.numbers(this.places.get(name));
    if (!this.has(name)) return null;
    const kept = this.formulas.get(name);
    if (kept?.length === this.rows) return kept;
    const values = formulaOf(name, this).values(this);
    this.formulas.set(name, values);
    return values;
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

/** A run that goes on: rows come at its end. Of very long ones the first half is dropped. */
export class LiveRun extends Run {
  constructor(label, columns) {
    super(0, label, columns);
    this.rows = 0;
    this.room = 256;
    this.most = Math.max(2000, Math.floor(6e6 / columns.length));
    this.values = columns.map(() => new Float64Array(this.room));
  }

  numbers(place) {
    return this.values[place].subarray(0, this.rows);
  }

  /** numbers: row after row. */
  append(numbers) {
    const width = this.values.length,
      count = Math.floor(numbers.length / width);
    if (this.rows + count > this.most) {
      const dropped = this.rows >> 1;
      for (const values of this.values) values.copyWithin(0, dropped, this.rows);
      this.rows -= dropped;
    }
    if (this.rows + count > this.room) {
      while (this.rows + count > this.room) this.room *= 2;
      this.values = this.values.map((values) => {
        const larger = new Float64Array(this.room);
        larger.set(values.subarray(0, this.rows));
        return larger;
      });
    }
    for (let row = 0; row < count; ++row)
      for (let k = 0; k < width; ++k) this.values[k][this.rows + row] = numbers[row * width + k];
    this.rows += count;
    this.formulas.clear();
  }
}
