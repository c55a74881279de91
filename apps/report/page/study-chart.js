// Points, densities and histograms on a canvas.
import {figure} from './format.js';
import {color} from './theme.js';

/** Makes the canvas as sharp as the screen and gives its context and size, in pixels of the page. */
export function prepare(canvas) {
  const ratio = window.devicePixelRatio || 1,
    width = canvas.clientWidth,
    height = canvas.clientHeight;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d');
  context.scale(ratio, ratio);
  context.font = '11px system-ui, sans-serif';
  return {context, width, height};
}

/** A range with room at its ends; of one value, about that. */
export function roomy([low, high]) {
  const room = high > low ? 0.04 * (high - low) : Math.abs(low) * 0.1 || 1;
  return [low - room, high + room];
}

/** Round numbers across a range. */
function ticks([low, high], count) {
  const raw = (high - low) / count,
    power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const out = [];
  for (let x = Math.ceil(low / step) * step; x <= high; x += step) out.push(Math.abs(x) < step / 1e6 ? 0 : x);
  return out;
}

/** Axes with ticks and names; gives the functions from values to pixels. */
export function axes({context, width, height}, x, y) {
  const left = 78,
    right = width - 14,
    top = 12,
    bottom = height - 40;
  const scale = ([low, high], from, to) => (value) => from + ((value - low) / (high - low)) * (to - from);
  const toX = scale(x.range, left, right),
    toY = scale(y.range, bottom, top);
  context.strokeStyle = color('--line');
  context.fillStyle = color('--muted');
  context.lineWidth = 1;
  const marks = (axis, count) => (axis.words ? axis.words.map((_, k) => k) : ticks(axis.range, count));
  const text = (axis, value) => (axis.words ? axis.words[value] : figure(value, 5));
  context.textAlign = 'center';
  for (const value of marks(x, 7)) {
    context.beginPath();
    context.moveTo(toX(value), top);
    context.lineTo(toX(value), bottom);
    context.stroke();
    context.fillText(text(x, value), toX(value), bottom + 15);
  }
  context.textAlign = 'right';
  for (const value of marks(y, 6)) {
    context.beginPath();
    context.moveTo(left, toY(value));
    context.lineTo(right, toY(value));
    context.stroke();
    context.fillText(text(y, value), left - 6, toY(value) + 4);
  }
  context.fillStyle = color('--text');
  context.textAlign = 'center';
  context.fillText(x.label, (left + right) / 2, height - 6);
  context.save();
  context.translate(12, (top + bottom) / 2);
  context.rotate(-Math.PI / 2);
  context.fillText(y.label, 0, 0);
  context.restore();
  return {toX, toY};
}

/** Colours from low to high that keep their order without hue: violet, green, yellow. */
const stops = [
  [68, 1, 84],
  [59, 82, 139],
  [33, 145, 140],
  [94, 201, 98],
  [253, 231, 37],
];
export function ramp(share) {
  const at = Math.max(0, Math.min(1, share)) * (stops.length - 1),
    low = Math.min(Math.floor(at), stops.length - 2);
  const mixed = stops[low].map((c, i) => Math.round(c + (at - low) * (stops[low + 1][i] - c)));
  return `rgb(${mixed.join(' ')})`;
}
export const rampStyle = `linear-gradient(to right, ${stops.map((s) => `rgb(${s.join(' ')})`).join(', ')})`;

/** How many points fall on each pixel, as darkness. */
export function density(canvas, x, y, keep) {
  const {context, width, height} = prepare(canvas);
  const [lowX, highX] = roomy(x.range),
    [lowY, highY] = roomy(y.range);
  const across = Math.max(1, Math.round(width / 2)),
    up = Math.max(1, Math.round(height / 2));
  const counts = new Uint32Array(across * up);
  let most = 0;
  for (let k = 0; k < x.values.length; ++k) {
    if (!keep[k] || !Number.isFinite(y.values[k]) || !Number.isFinite(x.values[k])) continue;
    const i = Math.min(across - 1, Math.floor(((x.values[k] - lowX) / (highX - lowX)) * across)),
      j = Math.min(up - 1, Math.floor(((highY - y.values[k]) / (highY - lowY)) * up));
    most = Math.max(most, ++counts[j * across + i]);
  }
  context.fillStyle = color('--accent');
  for (let j = 0; j < up; ++j)
    for (let i = 0; i < across; ++i) {
      const n = counts[j * across + i];
      if (n === 0) continue;
      context.globalAlpha = 0.35 + 0.65 * (Math.log(n) / Math.log(most + 1));
      context.fillRect(2 * i, 2 * j, 2, 2);
    }
}

/** Bars over equal intervals, with lines at the quantiles. */
export function histogram(canvas, values, range, quantiles) {
  const size = prepare(canvas);
  const {context, width, height} = size;
  const bins = Math.max(8, Math.min(60, Math.round(Math.sqrt(values.length))));
  const counts = new Uint32Array(bins);
  const [low, high] = range[1] > range[0] ? range : roomy(range);
  for (const x of values) if (Number.isFinite(x)) ++counts[Math.min(bins - 1, Math.floor(((x - low) / (high - low)) * bins))];
  const most = Math.max(...counts),
    bottom = height - 18;
  context.fillStyle = color('--accent');
  counts.forEach((n, i) => {
    const top = bottom - (n / most) * (bottom - 4);
    context.fillRect((i * width) / bins + 0.5, top, width / bins - 1, bottom - top);
  });
  context.strokeStyle = color('--anchor');
  for (const q of quantiles) {
    const x = ((q - low) / (high - low)) * width;
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, bottom);
    context.stroke();
  }
  context.fillStyle = color('--muted');
  context.textAlign = 'left';
  context.fillText(figure(low, 5), 0, height - 4);
  context.textAlign = 'right';
  context.fillText(figure(high, 5), width, height - 4);
}
