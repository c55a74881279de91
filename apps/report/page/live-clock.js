// The time of a run that goes on. It is that of the last row, until somebody looks back.
export class LiveClock {
  /** ask: called with true to let the run go on, with false to let it wait; again: to begin it anew. */
  constructor(run, ask, again) {
    Object.assign(this, {rows: run, ask, again, isAtEnd: true, playing: true, hasEnded: false, listeners: [], speed: 1});
    this.refresh();
  }

  /** Rows have come. */
  refresh() {
    const {time} = this.rows;
    this.start = time[0] ?? 0;
    this.end = time[this.rows.rows - 1] ?? 0;
    if (this.isAtEnd || this.time === undefined) this.time = this.end;
    this.time = Math.max(this.time, this.start);
  }

  onChange(listener) {
    this.listeners.push(listener);
    return () => (this.listeners = this.listeners.filter((other) => other !== listener));
  }

  tell() {
    for (const listener of this.listeners) listener(this);
  }

  seek(time) {
    this.time = Math.min(this.end, Math.max(this.start, time));
    this.isAtEnd = this.time >= this.end;
    this.tell();
  }

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

  /** Goes on; a run that has come to its end begins anew. */
  play() {
    if (this.hasEnded) return this.again();
    this.playing = this.isAtEnd = true;
    this.ask(true);
    this.refresh();
    this.tell();
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.ask(false);
    this.tell();
  }
}
