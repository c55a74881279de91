// One plot over time or frequency, with its legend.
import uPlot from 'uplot';
import {element, exactly, figure} from './format.js';
import {broken, drawable, gapsText, table} from './gaps.js';
import {menu} from './menu.js';
import {nearest} from './run.js';
import {csvBlob, download, fileName, pngOf, svgBlob, svgOf} from './save.js';
import {color} from './theme.js';

/** What a plot is over. */
export const overTime = {letter: 't', name: 'time', unit: 's', cursors: uPlot.sync('time')};
export const overFrequency = {letter: 'f', name: 'frequency', unit: 'Hz', cursors: uPlot.sync('frequency')};
const plotHeight = 190;

/** The legend of a panel; its columns are as wide as the longest name asks. */
export function legendOf(rows, series) {
  const legend = element('ul', {className: 'legend'}, ...rows.map(({item}) => item));
  legend.style.setProperty('--longest', Math.min(40, Math.max(10, ...series.map(({name}) => name.length))));
  return legend;
}

/** Ticks of one axis with as many decimals as tell them apart. */
export function tickTexts(_, ticks, axis, space, step) {
  let decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  if (Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6) ++decimals; // 0.25
  const largest = Math.max(...ticks.map((x) => Math.abs(x ?? 0)));
  const plain = decimals <= 9 && largest < 1e6 && (decimals <= 4 || largest > 0.1);
  const digits = Math.min(17, Math.max(8, 2 + Math.ceil(Math.log10(largest / step))));
  return ticks.map((x) => (x === null ? '' : plain ? x.toFixed(decimals).replace('-', '−') : figure(x, digits)));
}
/** The same with the unit of the axis at the last one. */
export const withUnit = (unit) => (...ticks) => {
  const texts = tickTexts(...ticks),
    last = texts.findLastIndex((text) => text !== '');
  if (unit && last >= 0) texts[last] += ` ${unit}`;
  return texts;
};
export const widthOf = (texts) => Math.max(52, 18 + 6.6 * Math.max(0, ...(texts ?? []).map((text) => text?.length ?? 0)));
const powers = (_, ticks) => ticks.map((x) => (Number.isInteger(Math.round(1e9 * Math.log10(x)) / 1e9) ? x : null));
const powerTexts = (_, ticks) =>
  ticks.map((x) => (x === null ? '' : x.toExponential(0).replace('e+', 'e').replaceAll('-', '−')));

/** A single row has some room about it. */
const wide = (_, min, max) => (min === max && min !== null ? [min - 0.5, max + 0.5] : [min, max]);

/** Rounding of a large number is no curve: ticks between neighbouring numbers would never end. */
export function tall(_, min, max) {
  if (min === null || min === undefined) return [null, null];
  const size = Math.max(Math.abs(min), Math.abs(max)),
    least = 1e-10 * size || 1,
    margin = max - min < least ? least : 0.1 * (max - min);
  // What rangeNum rounds to could be one number.
  return max - min < 1e-5 * size || size === 0 ? [min - margin, max + margin] : uPlot.rangeNum(min, max, 0.1, true);
}

export class Panel {
  /**
   * title, unit; series: [{name, times, values, width, stroke, dash}], with frequencies for times over frequency; log:
   * whether the values, all positive, are drawn on a logarithmic axis; over: overTime or overFrequency; onTime, onZoom:
   * what the user asks for; onWiden: called when the axis at the left needs more room.
   */
  constructor(parent, {title, unit, series, log, over = overTime, onTime, onZoom, onWiden}) {
    Object.assign(this, {title, unit, series, log, over, onTime, onZoom, onWiden, hidden: new Set(), left: 0});
    this.rows = series.map((s, k) => this.legendRow(s, k));
    this.time = element('span', {className: 'at figures'});
    this.place = element('div', {className: 'plot', 'aria-hidden': 'true'}); // its numbers are in the legend
    this.place.style.minHeight = `${plotHeight}px`; // before it is drawn, so that nothing moves then
    this.head = element('div', {className: 'cursor', hidden: true});
    this.figure = element(
      'figure',
      {className: 'card panel', 'aria-label': `${title}${unit ? ` in ${unit}` : ''} over ${over.name}`},
      element(
        'figcaption',
        {},
        element('strong', {textContent: title}),
        element('span', {className: 'unit', textContent: unit}),
        this.time,
        menu('Save', `Save the plot of ${title}`, [
          ['PNG', async () => download(fileName(title, 'png'), await pngOf(this.svg()))],
          ['SVG', () => download(fileName(title, 'svg'), svgBlob(this.svg()))],
          ['CSV', () => download(fileName(title, 'csv'), csvBlob(this.columns()))],
        ]),
      ),
      legendOf(this.rows, series),
      this.place,
    );
    this.tellGaps();
    parent.append(this.figure);
    this.draw();
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(this.place);
  }

  tellGaps() {
    const text = this.over === overTime ? gapsText(this.series, this.log) : '';
    if (!text && !this.gaps) return;
    if (!this.gaps) this.figure.append((this.gaps = element('p', {className: 'zeros'})));
    this.gaps.textContent = text;
  }

  legendRow(series, k) {
    const value = element('span', {className: 'value figures'});
    const mark = element('i', {className: series.dash ? 'dashed' : ''});
    mark.style.setProperty('--stroke', series.stroke());
    const button = element(
      'button',
      {type: 'button', 'aria-pressed': 'true', title: 'Show or hide'},
      mark,
      element('span', {className: 'series', textContent: series.name}),
    );
    button.addEventListener('click', () => {
      const show = this.hidden.delete(k);
      if (!show) this.hidden.add(k);
      button.setAttribute('aria-pressed', String(show));
      this.plot.setSeries(k + 1, {show});
    });
    return {
      item: element('li', {}, button, value),
      value,
      mark,
    };
  }

  draw(range) {
    const began = performance.now();
    const line = color('--line'),
      text = color('--muted');
    const axis = {
      stroke: text,
      grid: {stroke: line, width: 1},
      ticks: {stroke: line, width: 1, size: 4},
      font: '11px system-ui, sans-serif',
    };
    this.plot?.destroy();
    this.plot = new uPlot(
      {
        width: Math.max(200, this.place.clientWidth),
        height: plotHeight,
        legend: {show: false},
        padding: [10, 22, 0, 0],
        scales: {x: {time: false, range: wide, ...(range && {min: range[0], max: range[1]})}, y: this.log ? {distr: 3} : {distr: 1, range: tall}},
        axes: [
          {...axis, size: 26, gap: 4, values: withUnit(this.over.unit)},
          {
            ...axis,
            size: (_, texts) => {
              this.wanted = widthOf(texts);
              if (this.wanted > this.left) this.onWiden?.();
              return Math.max(this.left, this.wanted);
            },
            gap: 6,
            space: 34,
            values: this.log ? powerTexts : tickTexts,
            ...(this.log && {grid: {...axis.grid, filter: powers}, ticks: {...axis.ticks, filter: powers}}),
          },
        ],
        cursor: {
          sync: {key: this.over.cursors.key, scales: ['x', null]},
          drag: {x: true, y: false},
          points: {size: 6, width: 1.5},
        },
        series: [
          {},
          ...this.series.map((s, k) => ({
            label: s.name,
            stroke: s.stroke(),
            width: s.width,
            dash: s.dash,
            show: !this.hidden.has(k),
            pxAlign: 0,
            spanGaps: true, // a row that only others have is none
            points: {show: false},
            ...(this.over === overTime && broken(s, drawable(this.log))),
          })),
        ],
        hooks: {
          setCursor: [
            (plot) =>
              this.showValues(plot.cursor.idx === null || plot.cursor.left < 0 ? null : plot.data[0][plot.cursor.idx]),
          ],
          setScale: [(plot, key) => key === 'x' && this.onZoom?.([plot.scales.x.min, plot.scales.x.max], this)],
          draw: [() => this.showHead()],
          ready: [(plot) => this.listen(plot)],
        },
      },
      table(this.series, this.log),
      this.place,
    );
    this.plot.over.append(this.head);
    this.drawMilliseconds = performance.now() - began;
  }

  listen(plot) {
    let down = null;
    plot.over.addEventListener('mousedown', (event) => (down = event.button === 0 ? event.clientX : null));
    plot.over.addEventListener('mouseup', (event) => {
      if (down !== null && Math.abs(event.clientX - down) < 3) this.onTime?.(plot.posToVal(plot.cursor.left, 'x'));
      down = null;
    });
    plot.over.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        const at = plot.posToVal(event.offsetX, 'x'),
          factor = event.deltaY < 0 ? 0.8 : 1.25;
        this.setRange([at + factor * (plot.scales.x.min - at), at + factor * (plot.scales.x.max - at)]);
      },
      {passive: false},
    );
  }

  /**
   * Numbers under the pointer, or at the time shown: of each series at its nearest row, with its time where that is
   * another than the first's; none before its first row and after its last.
   */
  showValues(hovered) {
    this.hovered = hovered;
    if (this.over === overFrequency && hovered === null) return this.showPeaks();
    const time = hovered ?? this.shownTime;
    if (time === undefined) return;
    let at = null;
    this.rows.forEach(({value}, k) => {
      const {times, values} = this.series[k];
      const row = nearest(times, time),
        rounding = 1e-9 * Math.max(Math.abs(time), times.at(-1) - times[0]);
      const outside = time < times[0] - rounding || time > times.at(-1) + rounding;
      if (!outside) at ??= times[row];
      const elsewhere = !outside && Math.abs(times[row] - at) > rounding;
      value.textContent = outside ? '–' : `${figure(values[row])}${elsewhere ? ` at ${figure(times[row], 6)} ${this.over.unit}` : ''}`;
      value.dataset.value = value.title = outside ? '' : exactly(values[row]);
    });
    this.time.textContent = `${this.over.letter} = ${figure(at ?? time)} ${this.over.unit}`;
  }

  /** Of a spectrum, the largest amplitude of each series, and where it is. */
  showPeaks() {
    this.time.textContent = 'peaks';
    this.rows.forEach(({value}, k) => {
      const {times, values} = this.series[k];
      const peak = values.reduce((best, x, i) => (x > values[best] ? i : best), 0);
      value.textContent = `${figure(values[peak], 4)} at ${figure(times[peak], 4)} Hz`;
      value.dataset.value = value.title = exactly(times[peak]);
    });
  }

  /** New numbers of the same series, as those of a run that goes on, over a range of time; null: over all. */
  update(series, range) {
    series.forEach(({times, values}, k) => Object.assign(this.series[k], {times, values}));
    this.plot.setData(table(this.series, this.log), !range);
    this.tellGaps();
    if (range) this.setRange(range);
    this.showValues(this.hovered ?? null);
  }

  /** The left ends of all plots on one line: at least so wide is the axis. */
  align(left) {
    if (left <= this.left) return;
    this.left = left;
    this.plot.redraw(false, true);
  }

  shownSeries() {
    return this.series.filter((_, k) => !this.hidden.has(k));
  }

  svg() {
    const {plot} = this,
      ratio = uPlot.pxRatio,
      {left, top, width, height} = plot.bbox;
    const ticks = (axis, scale) =>
      (axis._splits ?? [])
        .map((x, k) => [plot.valToPos(x, scale) + (scale === 'x' ? left : top) / ratio, axis._values?.[k] ?? ''])
        .filter(([, text]) => text !== '');
    const {min, max} = plot.scales.x;
    return svgOf({
      title: this.title,
      unit: this.unit,
      width: plot.width,
      height: plot.height + 6,
      frame: {left: left / ratio, top: top / ratio, width: width / ratio, height: height / ratio},
      x: ticks(plot.axes[0], 'x'),
      y: ticks(plot.axes[1], 'y'),
      curves: this.shownSeries().map(({name, times, values, stroke, width: thick, dash}) => ({
        name,
        stroke: stroke(),
        width: thick,
        dash,
        points: Array.from(times, (t, i) => {
          if (t < min - (max - min) / 50 || t > max + (max - min) / 50 || !Number.isFinite(values[i])) return null;
          if (this.log && !(values[i] > 0)) return null;
          return [plot.valToPos(t, 'x') + left / ratio, plot.valToPos(values[i], 'y') + top / ratio];
        }),
      })),
      below: '',
    });
  }

  /** What it shows as a table, at the times of all series together. */
  columns() {
    const shown = this.shownSeries();
    const [times, ...values] = table(shown, false);
    return [
      {name: this.over === overTime ? 'time' : 'frequency', values: times},
      ...shown.map(({name}, k) => ({name: name === this.title || this.rows.length < 2 ? this.title : `${this.title} ${name}`, values: values[k]})),
    ];
  }

  showTime(time) {
    if (this.over === overFrequency) return;
    this.shownTime = time;
    this.showHead();
    if (this.hovered == null) this.showValues(null);
  }

  /** The line at the time shown. */
  showHead() {
    if (!this.plot || this.shownTime === undefined) return;
    const {min, max} = this.plot.scales.x;
    this.head.hidden = !(this.shownTime >= min && this.shownTime <= max);
    if (!this.head.hidden) this.head.style.transform = `translateX(${this.plot.valToPos(this.shownTime, 'x')}px)`;
  }

  setRange([min, max]) {
    this.plot.setScale('x', {min, max});
  }

  resize() {
    const width = this.place.clientWidth;
    if (width > 0 && width !== this.plot.width) this.plot.setSize({width, height: plotHeight});
  }

  /** After a change of colours. */
  repaint() {
    this.rows.forEach(({mark}, k) => mark.style.setProperty('--stroke', this.series[k].stroke()));
    const {min, max} = this.plot.scales.x;
    this.draw([min, max]);
  }

  remove() {
    this.watcher.disconnect();
    this.plot.destroy();
    this.figure.remove();
  }
}
