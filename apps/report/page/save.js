// Files that the page hands over: pictures, tables, videos.
import {element, exactly} from './format.js';
import {color} from './theme.js';

export function download(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = element('a', {href: url, download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** A file name from a title. */
export const fileName = (title, extension) =>
  `${title.replace(/[^\p{L}\p{N}.-]+/gu, '_').replace(/^_+|_+$/g, '').slice(0, 80) || 'polyform'}.${extension}`;

const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Columns of numbers as CSV: [{name, values}], all of one length; null, undefined and NaN are empty. */
export function csvOf(columns) {
  const lines = [columns.map(({name}) => quoted(name)).join()];
  const rows = columns[0]?.values.length ?? 0;
  for (let row = 0; row < rows; ++row)
    lines.push(columns.map(({values}) => (Number.isFinite(values[row]) ? exactly(values[row]) : '')).join());
  return `${lines.join('\n')}\n`;
}

const escaped = (text) => String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const place = (x) => Number(x.toFixed(2));

/**
 * The path of a curve through points on the paper; null breaks it. Of points within a pixel's width those at the ends,
 * the highest and the lowest stand for all.
 */
export function pathOf(points) {
  const parts = [];
  let pen = 'M',
    column = [];
  const flush = () => {
    if (column.length > 4) {
      const ys = column.map(([, y]) => y),
        low = ys.indexOf(Math.min(...ys)),
        high = ys.indexOf(Math.max(...ys));
      column = [0, Math.min(low, high), Math.max(low, high), column.length - 1].map((k) => column[k]);
    }
    for (const [x, y] of column) {
      parts.push(`${pen}${place(x)} ${place(y)}`);
      pen = 'L';
    }
    column = [];
  };
  for (const point of points) {
    if (!point) {
      flush();
      pen = 'M';
      continue;
    }
    if (column.length > 0 && Math.floor(point[0]) !== Math.floor(column[0][0])) flush();
    column.push(point);
  }
  flush();
  return parts.join('');
}

/**
 * A plot as a picture of its own. frame: {left, top, width, height} of the drawing within width × height; ticks of x and
 * y: [[place, text], …]; curves: [{name, stroke, width, dash, points}].
 */
export function svgOf({title, unit, width, height, frame, x, y, curves, below = ''}) {
  const head = 26 + 18 * Math.ceil(curves.length / 4);
  const [text, muted, line, card] = ['--text', '--muted', '--line', '--card'].map(color);
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height + head}" viewBox="0 0 ${width} ${height + head}" font-family="system-ui, sans-serif" font-size="11">`,
    `<rect width="100%" height="100%" fill="${card}"/>`,
    `<text x="10" y="18" font-size="13" font-weight="600" fill="${text}">${escaped(title)}<tspan dx="8" font-weight="400" fill="${muted}">${escaped(unit)}</tspan></text>`,
  ];
  curves.forEach(({name, stroke, dash}, k) => {
    const at = 10 + ((k % 4) * (width - 20)) / 4,
      down = 33 + 18 * Math.floor(k / 4);
    out.push(
      `<path d="M${at} ${down}h16" stroke="${stroke}" stroke-width="2.5"${dash ? ` stroke-dasharray="${dash}"` : ''}/>`,
      `<text x="${at + 22}" y="${down + 4}" fill="${muted}">${escaped(name)}</text>`,
    );
  });
  const {left, top, width: wide, height: high} = frame;
  out.push(`<g transform="translate(0 ${head})"><g fill="${muted}">`);
  for (const [at, label] of x)
    out.push(
      `<path d="M${place(at)} ${top}v${high}" stroke="${line}"/><text x="${place(at)}" y="${top + high + 16}" text-anchor="middle">${escaped(label)}</text>`,
    );
  for (const [at, label] of y)
    out.push(
      `<path d="M${left} ${place(at)}h${wide}" stroke="${line}"/><text x="${left - 8}" y="${place(at) + 4}" text-anchor="end">${escaped(label)}</text>`,
    );
  if (below) out.push(`<text x="${left + wide}" y="${top + high + 16}" text-anchor="end">${escaped(below)}</text>`);
  out.push(`</g><clipPath id="frame"><rect x="${left}" y="${top}" width="${wide}" height="${high}"/></clipPath>`);
  out.push('<g clip-path="url(#frame)" fill="none" stroke-linejoin="round">');
  for (const {stroke, width: thick, dash, points} of curves)
    out.push(
      `<path d="${pathOf(points)}" stroke="${stroke}" stroke-width="${thick}"${dash ? ` stroke-dasharray="${dash}"` : ''}/>`,
    );
  out.push('</g></g></svg>');
  return out.join('\n');
}

/** The same drawn into pixels, twice as many each way. */
export async function pngOf(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = element('canvas', {width: 2 * image.width, height: 2 * image.height});
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, 'image/png'));
}

export const svgBlob = (svg) => new Blob([svg], {type: 'image/svg+xml'});
export const csvBlob = (columns) => new Blob([csvOf(columns)], {type: 'text/csv'});

/** Whether this browser makes videos. */
export const makesVideo = () => typeof MediaRecorder !== 'undefined' && 'captureStream' in HTMLCanvasElement.prototype;

/**
 * A WebM of the canvas from the start of the run to its end, at the speed of playback. tell: told the part that is done.
 * Ends early when playback is stopped.
 */
export function record(canvas, clock, tell) {
  const type = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'].find((t) =>
    MediaRecorder.isTypeSupported(t),
  );
  const recorder = new MediaRecorder(canvas.captureStream(30), {mimeType: type, videoBitsPerSecond: 8e6});
  const pieces = [];
  let begun = false;
  recorder.addEventListener('dataavailable', ({data}) => pieces.push(data));
  return new Promise((done, fail) => {
    recorder.addEventListener('error', () => fail(new Error('this browser could not record')));
    recorder.addEventListener('stop', () => done(new Blob(pieces, {type: 'video/webm'})));
    clock.pause();
    clock.seek(clock.start);
    recorder.start(500);
    const forget = clock.onChange(() => {
      tell((clock.time - clock.start) / (clock.end - clock.start));
      begun ||= clock.playing;
      if (clock.playing || !begun) return;
      forget();
      // The last picture is drawn in the next frame.
      setTimeout(() => recorder.stop(), 400);
    });
    // The first picture is to be seen, too.
    setTimeout(() => clock.play(), 200);
  });
}
