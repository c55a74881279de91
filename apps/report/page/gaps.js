// Where lines of plots stop: at values that have no place on the axis.
import uPlot from 'uplot';
import {nearest} from './run.js';

const linear = uPlot.paths.linear();

/** Whether a plot has a place for the value. */
export const drawable = (log) => (log ? (x) => x > 0 && x < Infinity : Number.isFinite);

/** Times of all series together, and each series at them: undefined where it has no row, null where it has no place. */
export function table(series, log) {
  const isGood = drawable(log);
  const drawn = series.map(({values}) => (values.every(isGood) ? values : Array.from(values, (x) => (isGood(x) ? x : null))));
  const same = series.every(({times}) => times === series[0].times);
  return same ? [series[0].times, ...drawn] : uPlot.join(series.map(({times}, k) => [times, drawn[k]]));
}

/** Where there is no line: from a row that has a place to the next one, where there are others between. */
function gapsOf({times, values}, isGood) {
  const gaps = [];
  let from = -Infinity;
  values.forEach((value, row) => {
    if (!isGood(value)) return;
    if (row === 0 || !isGood(values[row - 1])) gaps.push([from, times[row]]);
    from = times[row];
  });
  gaps.push([from, Infinity]);
  return gaps;
}

/** For a series: a line that stops at gaps wider than a pixel, and dots for rows between two of them. */
export function broken(series, isGood) {
  let of = null,
    gaps = [];
  return {
    paths(plot, k, first, last) {
      if (of !== series.values) gaps = gapsOf(series, isGood); // a run that goes on has new ones
      of = series.values;
      if (gaps.length === 2 && isGood(of[0]) && isGood(of.at(-1))) return linear(plot, k, first, last);
      const {min, max} = plot.scales.x;
      const place = (time) => plot.valToPos(time, 'x', true);
      const wide = gaps.filter(([from, to]) => to >= min && from <= max && place(to) - place(from) > 1);
      const clip = new Path2D();
      let left = place(min);
      for (const [from, to] of [...wide, [max]]) {
        if (place(from) > left) clip.rect(left, 0, place(from) - left, plot.ctx.canvas.height);
        left = place(to);
      }
      return Object.assign(linear(plot, k, first, last), {clip, gaps: wide});
    },
    points: {
      show: false,
      size: 3.5,
      width: 0,
      filter: (plot, k, show, wide) =>
        wide?.filter(([, to], i) => to === wide[i + 1]?.[0]).map(([, time]) => nearest(plot.data[0], time)) ?? null,
    },
  };
}

/** What the gaps of plots are; empty where none has any. */
export function gapsText(series, log) {
  const isGap = log ? (x) => x === 0 : (x) => !Number.isFinite(x);
  const found = series
    .map(({name, values}) => [name, values.reduce((count, value) => count + isGap(value), 0), values.length])
    .filter(([, count]) => count > 0)
    .map(([name, count, all]) => `${name} at ${count.toLocaleString('en')} of ${all.toLocaleString('en')} times`);
  return found.length > 0 ? `Gaps are where it is ${log ? 'exactly 0' : 'no finite number'}: ${found.join(', ')}.` : '';
}
