// The time that all of the page shows.
import {runs} from './data.js';

/**
 * The speed at which a run can be watched: 1 where it takes from 2 s to 30 s, else the nearest of 1, 2 or 5 times a power
 * of ten with which it takes about 8 s.
 */
export function fittedSpeed(duration) {
  if (!(duration > 0) || (duration >= 2 && duration <= 30)) return 1;
  const wanted = duration / 8,
    power = 10 ** Math.floor(Math.log10(wanted));
  return Number(([1, 2, 5, 10].find((m) => m * power >= wanted * 0.75) * power).toPrecision(1));
}

export class Clock {
  constructor() {
    this.start = Math.min(...runs.map((run) => run.time[0]));
    this.end = Math.max(...runs.map((run) => run.time[run.rows - 1]));
    this.time = this.start;
    this.speed = fittedSpeed(this.end - this.start);
    this.playing = false;
    this.listeners = [];
    // Steps go by the rows of the run that has most of them.
    this.rows = runs.reduce((most, run) => (run.rows > most.rows ? run : most));
  }

  /** Gives a function that ends it. */
  onChange(listener) {
    this.listeners.push(listener);
    return () => (this.listeners = this.listeners.filter((other) => other !== listener));
  }

  tell() {
    for (const listener of this.listeners) listener(this);
  }

  seek(time) {
    this.time = Math.min(this.end, Math.max(this.start, time));
    this.tell();
  }

  /** Goes to a row: what is then shown is what the run has written. */
  seekRow(row) {
    this.seek(this.rows.time[Math.min(this.rows.rows - 1, Math.max(0, row))]);
  }

  step(count) {
    this.pause();
    this.seekRow(this.rows.nearestRow(this.time) + count);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.playing || this.end === this.start) return;
    if (this.time >= this.end) this.time = this.start;
    this.playing = true;
    let before = performance.now();
    const frame = (now) => {
      if (!this.playing) return;
      const next = this.time + (this.speed * Math.max(0, now - before)) / 1000;
      before = now;
      if (next >= this.end) this.playing = false;
      this.seek(next);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    this.tell();
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.seekRow(this.rows.nearestRow(this.time));
  }
}
