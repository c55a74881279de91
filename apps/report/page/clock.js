// The time that all of the page shows.
import {runs} from './data.js';

export class Clock {
  constructor() {
    this.start = Math.min(...runs.map((run) => run.time[0]));
    this.end = Math.max(...runs.map((run) => run.time[run.rows - 1]));
    this.time = this.start;
    this.speed = 1;
    this.playing = false;
    this.listeners = [];
    // Steps go by the rows of the run that has most of them.
    this.rows = runs.reduce((most, run) => (run.rows > most.rows ? run : most));
  }

  onChange(listener) {
    this.listeners.push(listener);
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
