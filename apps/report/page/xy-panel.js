// One plot of channels over another channel: phase portraits, paths, force over displacement.
import uPlot from 'uplot';
import {element, exactly, figure} from './format.js';
import {menu} from './menu.js';
import {legendOf, tickTexts, widthOf, withUnit} from './panel.js';
import {csvBlob, download, fileName, pngOf, svgBlob, svgOf} from './save.js';
import {color} from './theme.js';

const plotHeight = 320;

export class XYPanel {
  /** series: [{name, x, values, times, rowAt, width, stroke, dash}], x and values row by row. */
  constructor(parent, {title, unit, overTitle, overUnit, series, onWiden}) {
    Object.assign(this, {title: `${title} over ${overTitle}`, unit, overUnit: overUnit === '1' ? '' : overUnit, series, onWiden, left: 0});
    this.rows = series.map(({name, stroke, dash}) => {
      const mark = element('i', {className: dash ? 'dashed' : ''});
      mark.style.setProperty('--stroke', stroke());
      const value = element('span', {className: 'value figures'});
      return {item: element('li', {}, mark, element('span', {className: 'series', textContent: name}), value), mark, value};
    });
    this.place = element('div', {className: 'plot', 'aria-hidden': 'true'});
    this.place.style.minHeight = `${plotHeight}px`; // before it is drawn, so that nothing moves then
    this.heads = series.map(() => element('i', {className: 'head'}));
    this.figure = element(
      'figure',
      {className: 'card panel', 'aria-label': this.title},
      element(
        'figcaption',
        {},
        element('strong', {textContent: this.title}),
        element('span', {className: 'unit', textContent: [unit, overUnit].filter(Boolean).join(' over ')}),
        element('span', {className: 'at'}), // what follows is at the right, as in the other plots
        menu('Save', `Save the plot of ${this.title}`, [
          ['PNG', async () => download(fileName(this.title, 'png'), await pngOf(this.svg()))],
          ['SVG', () => download(fileName(this.title, 'svg'), svgBlob(this.svg()))],
          ['CSV', () => download(fileName(this.title, 'csv'), csvBlob(this.columns(overTitle)))],
        ]),
      ),
      legendOf(this.rows, series),
      this.place,
    );
    parent.append(this.figure);
    this.draw();
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(this.place);
  }

  draw() {
    const line = color('--line');
    const axis = {
      stroke: color('--muted'),
      grid: {stroke: line, width: 1},
      ticks: {stroke: line, width: 1, size: 4},
      font: '11px system-ui, sans-serif',
      values: tickTexts,
    };
    this.plot?.destroy();
    this.plot = new uPlot(
      {
        mode: 2,
        width: Math.max(200, this.place.clientWidth),
        height: plotHeight,
        legend: {show: false},
        padding: [10, 18, 0, 0],
        cursor: {drag: {x: true, y: true, uni: 30}, points: {show: false}},
        scales: {x: {time: false, range: () => this.range('x')}, y: {range: () => this.range('values')}},
        axes: [
          {...axis, size: 26, gap: 4, values: withUnit(this.overUnit)},
          {...axis, size: (_, texts) => this.widthOf(texts), gap: 6, space: 34},
        ],
        series: [
          null,
          ...this.series.map((s) => ({
            label: s.name,
            stroke: s.stroke(),
            width: s.width,
            dash: s.dash,
            facets: [
              {scale: 'x', auto: true},
              {scale: 'y', auto: true},
            ],
            paths: (plot, k) => {
              const {x, values} = this.series[k - 1],
                stroke = new Path2D();
              let pen = false;
              for (let i = 0; i < x.length; ++i) {
                const good = Number.isFinite(x[i]) && Number.isFinite(values[i]);
                if (good) {
                  const a = plot.valToPos(x[i], 'x', true),
                    b = plot.valToPos(values[i], 'y', true);
                  if (pen) stroke.lineTo(a, b);
                  else stroke.moveTo(a, b);
                }
                pen = good;
              }
              return {stroke, fill: null, clip: null, band: null, gaps: null, flags: 1};
            },
            points: {show: false},
          })),
        ],
        hooks: {draw: [() => this.showHeads()]},
      },
      [null, ...this.series.map(({x, values}) => [x, values])],
      this.place,
    );
    this.plot.over.append(...this.heads);
  }

  widthOf(texts) {
    this.wanted = widthOf(texts);
    if (this.wanted > this.left) this.onWiden?.();
    return Math.max(this.left, this.wanted);
  }

  /** All finite numbers, with a margin. */
  range(which) {
    let low = Infinity,
      high = -Infinity;
    for (const one of this.series)
      for (const x of one[which]) {
        if (x < low) low = x;
        if (x > high) high = x;
      }
    if (!(high >= low)) return [0, 1];
    const margin = 0.05 * (high - low) || 0.05 * Math.abs(high) || 1;
    return [low - margin, high + margin];
  }

  showTime(time) {
    this.shownTime = time;
    this.rows.forEach(({value}, k) => {
      const one = this.series[k],
        row = one.nearestRow(time);
      value.textContent = `${figure(one.x[row], 6)}, ${figure(one.values[row], 6)}`;
      value.dataset.value = value.title = exactly(one.values[row]);
    });
    this.showHeads();
  }

  /** The dots at the time shown. */
  showHeads() {
    if (!this.plot || this.shownTime === undefined) return;
    this.heads.forEach((head, k) => {
      const one = this.series[k],
        row = one.nearestRow(this.shownTime);
      head.style.background = one.stroke();
      head.style.transform = `translate(${this.plot.valToPos(one.x[row], 'x')}px, ${this.plot.valToPos(one.values[row], 'y')}px)`;
      head.hidden = !Number.isFinite(one.x[row]) || !Number.isFinite(one.values[row]);
    });
  }

  update(series) {
    series.forEach(({x, values, times}, k) => Object.assign(this.series[k], {x, values, times}));
    this.plot.setData([null, ...this.series.map(({x, values}) => [x, values])]);
    this.showTime(this.shownTime ?? 0);
  }

  align(left) {
    if (left <= this.left) return;
    this.left = left;
    this.plot.redraw(false, true);
  }

  resize() {
    const width = this.place.clientWidth;
    if (width > 0 && width !== this.plot.width) this.plot.setSize({width, height: plotHeight});
  }

  repaint() {
    this.rows.forEach(({mark}, k) => mark.style.setProperty('--stroke', this.series[k].stroke()));
    this.draw();
  }

  svg() {
    const {plot} = this,
      ratio = uPlot.pxRatio,
      {left, top, width, height} = plot.bbox;
    const ticks = (axis, scale) =>
      (axis._splits ?? [])
        .map((x, k) => [plot.valToPos(x, scale) + (scale === 'x' ? left : top) / ratio, axis._values?.[k] ?? ''])
        .filter(([, text]) => text !== '');
    return svgOf({
      title: this.title,
      unit: this.unit,
      width: plot.width,
      height: plot.height + 6,
      frame: {left: left / ratio, top: top / ratio, width: width / ratio, height: height / ratio},
      x: ticks(plot.axes[0], 'x'),
      y: ticks(plot.axes[1], 'y'),
      curves: this.series.map(({name, x, values, stroke, width: thick, dash}) => ({
        name,
        stroke: stroke(),
        width: thick,
        dash,
        points: Array.from(x, (a, i) =>
          Number.isFinite(a) && Number.isFinite(values[i])
            ? [plot.valToPos(a, 'x') + left / ratio, plot.valToPos(values[i], 'y') + top / ratio]
            : null,
        ),
      })),
    });
  }

  columns(overTitle) {
    return this.series.flatMap(({name, times, x, values}) => [
      {name: `${name} time`, values: times},
      {name: `${name} ${overTitle}`, values: x},
      {name, values},
    ]);
  }

  remove() {
    this.watcher.disconnect();
    this.plot.destroy();
    this.figure.remove();
  }
}
