// What the tests of the page work with: reports made by the command, a browser, and questions to the page.
import {execFileSync} from 'node:child_process';
import {mkdirSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {Browser} from './browser.mjs';

export const [chromium, polyform, models, folder] = process.argv.slice(2);
rmSync(folder, {recursive: true, force: true});
mkdirSync(folder, {recursive: true});

export const at = (name) => join(folder, name);
export const command = (...words) =>
  execFileSync(polyform, words, {cwd: folder, stdio: ['ignore', 'ignore', 'inherit']});
export const run = (model, ...words) =>
  command('run', join(models, /\.[a-z]+$/.test(model) ? model : `${model}.yaml`), '--quiet', ...words);

/** A CSV file as columns of numbers. */
export function columns(name) {
  const [head, ...rows] = readFileSync(at(name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  return Object.fromEntries(head.map((channel, k) => [channel, rows.map((row) => Number(row[k]))]));
}

export const browser = new Browser(chromium);
export const page = (expression) => browser.evaluate(expression);
export const frames = (count) =>
  page(
    `new Promise((done) => { let n = ${count}; const next = () => (n-- > 0 ? requestAnimationFrame(next) : done()); next(); })`,
  );
export const legend = () =>
  page(
    `[...document.querySelectorAll('.panel')].map((panel) => [...panel.querySelectorAll('.value')].map((value) => Number(value.dataset.value)))`,
  );
export const settled = (condition) =>
  page(
    `new Promise((done, fail) => { const end = performance.now() + 20000; const look = () => (${condition}) ? done() : performance.now() > end ? fail(new Error('never: ' + ${JSON.stringify(condition)})) : setTimeout(look, 30); look(); })`,
  );

/** Where along the time of the first panel, from 0 to 1, a series has no colour: the ends of each gap. */
export const gapsDrawn = (series) =>
  page(`(() => {
  const {plot, series} = polyform.plots.panels[0], {left, top, width, height} = plot.bbox;
  const probe = document.createElement('canvas').getContext('2d');
  probe.fillStyle = series[${series}].stroke();
  probe.fillRect(0, 0, 1, 1);
  const stroke = probe.getImageData(0, 0, 1, 1).data, {data} = plot.ctx.getImageData(left, top, width, height);
  const near = (i) => [0, 1, 2].every((k) => Math.abs(data[i + k] - stroke[k]) < 40) && data[i + 3] > 90;
  const gaps = [];
  for (let x = 0, open = false; x < width; ++x) {
    let drawn = false;
    for (let y = 0; y < height && !drawn; ++y) drawn = near(4 * (y * width + x));
    if (!drawn && !open) gaps.push([x / width, 1]);
    if (drawn && open) gaps.at(-1)[1] = x / width;
    open = !drawn;
  }
  return gaps;
})()`);

/** What screen readers find on the page: the role and name of each thing. */
export async function accessible() {
  await browser.send('Accessibility.enable');
  const {nodes} = await browser.send('Accessibility.getFullAXTree');
  return nodes.filter(({ignored}) => !ignored).map(({role, name}) => ({role: role.value, name: name?.value ?? ''}));
}

/** Processor time that the page has taken, s: what other programs do is not in it. */
export async function processorTime() {
  const {metrics} = await browser.send('Performance.getMetrics');
  return metrics.find(({name}) => name === 'ThreadTime').value;
}

/** How many colours the drawing has: a mechanism has many, an empty canvas one. */
export const coloursDrawn = () =>
  page(`(() => {
  const {canvas} = polyform.view;
  polyform.view.draw();
  const copy = document.createElement('canvas');
  Object.assign(copy, {width: 160, height: 120});
  const pen = copy.getContext('2d');
  pen.drawImage(canvas, 0, 0, 160, 120);
  const {data} = pen.getImageData(0, 0, 160, 120);
  const seen = new Set();
  for (let i = 0; i < data.length; i += 4) seen.add(data[i] << 24 | data[i + 1] << 16 | data[i + 2] << 8 | data[i + 3]);
  return seen.size;
})()`);

/** Runs the tests one after the other, and ends the program. */
export async function report(tests) {
  const {deepEqual, equal} = await import('node:assert/strict');
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      const figures = await test();
      deepEqual(browser.complaints, [], 'errors in the console');
      equal(
        browser.requests.filter((url) => !/^(data|blob):/.test(url)).length,
        1,
        'requests other than the page itself',
      );
      console.log(`ok    ${name}${figures ? ` (${figures})` : ''}`);
    } catch (problem) {
      ++failed;
      console.log(`FAIL  ${name}\n      ${problem.message}`);
    }
  }
  await browser.close();
  console.log(`${Object.keys(tests).length - failed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
}
