// All plots: which panels there are, what they show, and their common stretch of time.
import {consensus, runs} from './data.js';
import {commonTimesText, difference} from './difference.js';
import {element} from './format.js';
import {Panel} from './panel.js';
import {onTheme, runColor} from './theme.js';

const modes = {values: 'Values', difference: 'Difference', logarithm: 'log |Difference|'};
const dashes = [undefined, [6, 3], [2, 3], [8, 3, 2, 3]];

export class Plots {
  constructor(parent, clock) {
    Object.assign(this, {parent, clock, panels: [], names: [], mode: 'values', reference: consensus ?? runs[0]});
    this.whole = this.range = [clock.start, clock.end];
    clock.onChange(() => this.panels.forEach((panel) => panel.showTime(clock.time)));
    onTheme(() => this.panels.forEach((panel) => panel.repaint()));
  }

  show(names) {
    this.names = names;
    this.rebuild();
  }

  setMode(mode, reference) {
    Object.assign(this, {mode, reference});
    this.rebuild();
  }

  rebuild() {
    for (const panel of this.panels) panel.remove();
    this.panels = [];
    this.parent.replaceChildren();
    if (this.names.length === 0)
      this.parent.append(element('p', {className: 'card note', textContent: 'Pick channels to plot them over time.'}));
    this.panels = this.groups().map(
      (group) =>
        new Panel(this.parent, {
          ...group,
          log: this.mode === 'logarithm',
          onTime: (time) => this.clock.seekRow(this.clock.rows.nearestRow(time)),
          onZoom: (range, from) => this.zoom(range, from),
        }),
    );
    this.zoom(this.range);
    for (const panel of this.panels) panel.showTime(this.clock.time);
  }

  /** One run: channels of one unit share a panel. Several: a panel for each channel, colours are those of the runs. */
  groups() {
    const groups = new Map();
    for (const name of this.names) {
      const unit = runs.find((run) => run.has(name)).unit(name);
      const key = runs.length > 1 ? name : unit;
      if (!groups.has(key)) groups.set(key, {unit: unit === '1' ? '' : unit, names: []});
      groups.get(key).names.push(name);
    }
    return [...groups.values()]
      .map(({unit, names}) => {
        const series =
          runs.length > 1 ? this.seriesOfRuns(names[0]) : names.map((name, k) => this.line(runs[0], name, name, k));
        return {title: this.title(names), unit, series};
      })
      .filter(({series}) => series.length > 0);
  }

  title(names) {
    const title = names.length > 3 ? `${names.slice(0, 3).join(', ')} …` : names.join(', ');
    if (this.mode === 'values') return title;
    const sign = `${title} − ${this.reference.label}`;
    return this.mode === 'difference' ? sign : `|${sign}|`;
  }

  seriesOfRuns(name) {
    const lines = runs
      .filter((run) => run.has(name) && !(this.mode !== 'values' && run === this.reference))
      .map((run) => this.line(run, name, run.label, run.index))
      .filter((line) => line);
    // Runs that agree lie on one another: the lower ones are wider, so that all can be seen.
    const more = this.mode === 'values' ? Math.min(0.8, 2 / lines.length) : 0;
    lines.forEach((line, k) => (line.width += more * (lines.length - 1 - k)));
    return lines;
  }

  /** Null where there is nothing to draw. */
  line(run, name, label, k) {
    const drawn = this.drawn(run, name);
    if (!drawn) return null;
    return {
      name: label,
      ...drawn,
      width: 1.5,
      stroke: () => runColor(k),
      dash: dashes[Math.floor(k / 8) % dashes.length],
    };
  }

  /** Of runs with the same times, the times of the first: panels then need not join them. */
  sharedTimes(times) {
    const same = runs.find(({time}) => time.length === times.length && time.every((t, i) => t === times[i]));
    return same ? same.time : times;
  }

  /** Times and values. */
  drawn(run, name) {
    if (this.mode === 'values') return {times: this.sharedTimes(run.time), values: run.column(name)};
    const apart = difference(run, name, this.reference);
    if (!apart) return null;
    const {times, values} = apart;
    return {times: this.sharedTimes(times), values: this.mode === 'difference' ? values : values.map(Math.abs)};
  }

  zoom(range, from) {
    if (this.zooming || !(range[1] > range[0])) return;
    this.zooming = true;
    this.range = [Math.max(range[0], this.whole[0]), Math.min(range[1], this.whole[1])];
    for (const panel of this.panels) {
      const {min, max} = panel.plot.scales.x;
      if (panel === from ? min < this.whole[0] || max > this.whole[1] : min !== this.range[0] || max !== this.range[1])
        panel.setRange(this.range);
    }
    this.zooming = false;
  }

  /** About the time shown where that is in sight, else about the middle. */
  zoomBy(factor) {
    const [min, max] = this.range,
      {time} = this.clock;
    const at = time >= min && time <= max ? time : (min + max) / 2;
    this.zoom([at + factor * (min - at), at + factor * (max - at)]);
  }

  zoomOut() {
    this.zoom(this.whole);
  }
}

/** The buttons above the plots. */
export function setUpModes(plots, buttons, choice, select, note) {
  choice.hidden = buttons.hidden = runs.length < 2;
  const references = [...(consensus ? [consensus] : []), ...runs];
  select.replaceChildren(...references.map(({label, index}) => new Option(label, index)));
  const apply = (mode) => {
    choice.classList.toggle('off', mode === 'values');
    select.disabled = mode === 'values';
    for (const button of buttons.children) {
      button.setAttribute('aria-checked', String(button.value === mode));
      button.tabIndex = button.value === mode ? 0 : -1;
    }
    const reference = references.find(({index}) => String(index) === select.value);
    note.hidden = mode === 'values';
    note.textContent = note.hidden ? '' : commonTimesText(reference);
    plots.setMode(mode, reference);
  };
  buttons.replaceChildren(
    ...Object.entries(modes).map(([mode, textContent]) => {
      const button = element('button', {type: 'button', role: 'radio', value: mode, textContent});
      button.addEventListener('click', () => apply(mode));
      return button;
    }),
  );
  buttons.addEventListener('keydown', (event) => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (!step) return;
    event.preventDefault();
    const all = [...buttons.children];
    const next = all[(all.indexOf(document.activeElement) + step + all.length) % all.length];
    next.focus();
    next.click();
  });
  select.addEventListener('change', () => apply(plots.mode));
  apply('values');
}
