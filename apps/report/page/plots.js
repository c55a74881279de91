// All plots: which panels there are, what they show, and their common stretch of time.
import {seenTogether} from './common-axis.js';
import {consensus, runs} from './data.js';
import {commonTimesText, difference} from './difference.js';
import {element, figure} from './format.js';
import {overFrequency, Panel} from './panel.js';
import {csvBlob, download} from './save.js';
import {spectrum} from './spectrum.js';
import {onTheme, runColor} from './theme.js';
import {XYPanel} from './xy-panel.js';

const modes = {values: 'Values', difference: 'Difference', logarithm: 'log |Difference|'};
const dashes = [undefined, [6, 3], [2, 3], [8, 3, 2, 3]];

export class Plots {
  constructor(parent, clock) {
    Object.assign(this, {parent, clock, panels: [], names: [], mode: 'values', over: 'time', reference: consensus ?? runs[0]});
    this.listeners = [];
    this.zoomListeners = [];
    this.whole = this.range = [clock.start, clock.end];
    this.forgetClock = clock.onChange(() => {
      // A run that goes on is plotted less often than it is drawn.
      const time = Math.min(clock.time, this.whole[1]);
      this.panels.forEach((panel) => panel.showTime(time));
    });
    this.forgetTheme = onTheme(() => this.panels.forEach((panel) => panel.repaint()));
  }

  dispose() {
    this.forgetClock();
    this.forgetTheme();
    for (const panel of this.panels) panel.remove();
    this.panels = [];
  }

  /** Whether some run has the channel or the formula. */
  knows(name) {
    return runs.some((run) => run.has(name));
  }

  /** listener: called when what is plotted changes. */
  onChange(listener) {
    this.listeners.push(listener);
  }

  /** listener: called when another stretch of time is shown. */
  onZoom(listener) {
    this.zoomListeners.push(listener);
  }

  get isZoomed() {
    return this.range[0] > this.whole[0] || this.range[1] < this.whole[1];
  }

  /** The plot of a channel that is new among them comes into view. */
  show(names, quietly = false) {
    const added = names.find((name) => !this.names.includes(name));
    const first = this.names.length === 0;
    this.names = names;
    this.rebuild();
    if (!added || first || quietly) return;
    const panel = this.panels.find(({names: shown}) => shown?.includes(added));
    panel?.figure.scrollIntoView({block: 'nearest', behavior: 'instant'});
  }

  setMode(mode, reference) {
    Object.assign(this, {mode, reference});
    this.rebuild();
  }

  /** over: "time", "frequency", or the name of a channel. */
  setOver(over) {
    this.over = over;
    this.rebuild();
  }

  rebuild() {
    for (const panel of this.panels) panel.remove();
    this.panels = [];
    this.parent.replaceChildren();
    if (this.names.length === 0)
      this.parent.append(element('p', {className: 'card note', textContent: 'Pick channels to plot them over time.'}));
    this.panels = this.groups().map((group) => this.panel(group));
    if (this.names.length > 0 && this.panels.length === 0)
      this.parent.append(element('p', {className: 'card note', textContent: this.whyNone()}));
    this.zoom(this.range);
    for (const panel of this.panels) panel.showTime(this.clock.time);
    this.align();
    for (const listener of this.listeners) listener();
  }

  panel(found) {
    const group = {...found, onWiden: () => this.alignSoon()};
    const made =
      this.over === 'time'
        ? new Panel(this.parent, {
            ...group,
            log: this.mode === 'logarithm',
            onTime: (time) => this.clock.seekRow(this.clock.rows.nearestRow(time)),
            onZoom: (range, from) => this.zoom(range, from),
          })
        : this.over === 'frequency'
          ? new Panel(this.parent, {...group, title: `Amplitude of ${group.title}`, log: true, over: overFrequency})
          : new XYPanel(this.parent, {...group, overTitle: this.over, overUnit: unitOf(this.over)});
    return Object.assign(made, {names: group.names, isTimed: this.over === 'time'});
  }

  whyNone() {
    if (this.over === 'frequency') return 'A spectrum needs eight rows of finite numbers at least in the stretch of time shown, and no other ones.';
    if (this.over !== 'time') return `Nothing else is picked: pick channels to plot them over ${this.over}.`;
    return 'There is nothing to draw of these channels.';
  }

  alignSoon() {
    if (this.aligning) return;
    this.aligning = true;
    queueMicrotask(() => {
      this.aligning = false;
      this.align();
    });
  }

  /** The left ends of all plots on one line. */
  align() {
    const left = Math.max(0, ...this.panels.map(({wanted}) => wanted ?? 0));
    for (const panel of this.panels) panel.align(left);
  }

  /** Rows have come to the end of a run. */
  refresh() {
    const atEnd = this.range[1] >= this.whole[1];
    this.whole = [this.clock.start, this.clock.end];
    this.range = [Math.max(this.range[0], this.whole[0]), atEnd ? this.whole[1] : this.range[1]];
    const groups = this.groups();
    const shown = (all) => all.map(({names}) => names.join()).join(';');
    if (shown(groups) !== shown(this.panels)) return this.rebuild();
    // One row has no range yet.
    const range = this.over === 'time' && this.range[1] > this.range[0] ? this.range : null;
    this.zooming = true;
    this.panels.forEach((panel, k) => panel.update(groups[k].series, range));
    this.zooming = false;
    this.align();
  }

  /** All that is plotted, of all runs, as a table: one block of columns for each run. */
  save(title) {
    const columns = runs.flatMap((run) => {
      const names = ['time', ...this.names.filter((name) => run.has(name))];
      return names.map((name) => ({name: runs.length > 1 ? `${run.label} ${name}` : name, values: run.column(name)}));
    });
    const longest = columns.reduce((most, column) => (column.values.length > most.values.length ? column : most));
    download(`${title}.csv`, csvBlob([longest, ...columns.filter((column) => column !== longest)]));
  }

  /** One run: channels of one unit share a panel that shows how they move. Several: a panel for each channel. */
  groups() {
    const groups = [];
    for (const name of this.names) {
      const unit = unitOf(name);
      let group = runs.length > 1 ? null : groups.find((one) => one.unit === unit && this.showsMotion([...one.names, name]));
      if (!group) groups.push((group = {unit, names: []}));
      group.names.push(name);
    }
    return groups
      .map(({unit: inUnit, names}) => {
        const unit = inUnit === '1' ? '' : inUnit;
        const drawn = this.over === 'time' || this.over === 'frequency' ? names : names.filter((name) => name !== this.over);
        if (drawn.length === 0) return {series: []};
        const series =
          runs.length > 1
            ? this.seriesOfRuns(drawn[0])
            : drawn.map((name, k) => this.line(runs[0], name, name, k)).filter((line) => line);
        return {title: this.title(drawn), unit, series, names};
      })
      .filter(({series}) => series.length > 0);
  }

  /** Whether channels of one run, on a common axis, are seen to move as far as they do. Spectra have logarithmic axes. */
  showsMotion(names) {
    return this.over === 'frequency' || seenTogether(names.map((name) => runs[0].column(name)));
  }

  title(names) {
    const title = names.length > 3 ? `${names.slice(0, 3).join(', ')} …` : names.join(', ');
    if (this.mode === 'values' || !['time', 'frequency'].includes(this.over)) return title;
    const sign = `${title} − ${this.reference.label}`;
    return this.mode === 'difference' ? sign : `|${sign}|`;
  }

  seriesOfRuns(name) {
    const lines = runs
      .filter((run) => run.has(name) && !(this.mode !== 'values' && run === this.reference && ['time', 'frequency'].includes(this.over)))
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
    const same = runs.find(({time}) => time === times) ?? runs.find(({time}) => time.length === times.length && time.every((t, i) => t === times[i]));
    return same ? same.time : times;
  }

  /** Times and values. */
  drawn(run, name) {
    if (this.over === 'time') return this.drawnOverTime(run, name);
    if (this.over === 'frequency') {
      const of = this.drawnOverTime(run, name);
      return of && spectrum(of.times, of.values, this.range);
    }
    if (!run.has(this.over)) return null;
    return {
      times: run.time,
      x: run.column(this.over),
      values: run.column(name),
      nearestRow: (time) => run.nearestRow(time),
    };
  }

  drawnOverTime(run, name) {
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
    for (const panel of this.panels.filter(({isTimed}) => isTimed)) {
      const {min, max} = panel.plot.scales.x;
      if (panel === from ? min < this.whole[0] || max > this.whole[1] : min !== this.range[0] || max !== this.range[1])
        panel.setRange(this.range);
    }
    this.zooming = false;
    for (const listener of this.zoomListeners) listener();
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

const unitOf = (name) => runs.find((run) => run.has(name))?.unit(name) ?? '';

/** What spectra are of, and how far they reach where rows are at uneven distances. */
function spectraText({panels, range}) {
  const text = `Amplitude spectra of the stretch of time shown, ${range.map((t) => figure(t, 6)).join(' to ')} s, without the mean, by a Hann window.`;
  const limits = panels.flatMap(({series}) => series.map(({limit}) => limit)).filter(Boolean);
  if (limits.length === 0) return text;
  return `${text} Rows are at uneven distances: the spectra are fits up to ${figure(Math.min(...limits), 4)} Hz, which the widest distance resolves. Faster motion shows as noise in them.`;
}

/** What plots are over: time, frequency, or one of the channels that are picked. */
export function setUpOver(plots, select, note) {
  const tell = () => {
    note.hidden = plots.over !== 'frequency';
    note.textContent = note.hidden ? '' : spectraText(plots);
  };
  const apply = (over) => {
    select.value = over;
    if (over !== plots.over) plots.setOver(over);
  };
  const list = () => {
    const names = [...new Set([...plots.names, ...(['time', 'frequency'].includes(plots.over) ? [] : [plots.over])])];
    const channels = element('optgroup', {label: 'a channel'}, ...names.map((name) => new Option(name, name)));
    select.replaceChildren(
      new Option('time', 'time'),
      new Option('frequency', 'frequency'),
      ...(names.length > 0 ? [channels] : []),
    );
    select.value = plots.over;
    tell();
  };
  select.onchange = () => apply(select.value);
  plots.onChange(list);
  list();
  return apply;
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
  buttons.onkeydown = (event) => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (!step) return;
    event.preventDefault();
    const all = [...buttons.children];
    const next = all[(all.indexOf(document.activeElement) + step + all.length) % all.length];
    next.focus();
    next.click();
  };
  select.onchange = () => apply(plots.mode);
  apply('values');
  return (mode, index) => {
    if (!(mode in modes)) return;
    if (references.some((reference) => String(reference.index) === String(index))) select.value = index;
    apply(mode);
  };
}
