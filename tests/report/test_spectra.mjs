// node test_spectra.mjs CHROMIUM POLYFORM MODELS FOLDER: spectra of rows at even and at uneven distances.
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {spectrum} from '../../apps/report/page/spectrum.js';
import {at, browser, command, page, report} from './page_tools.mjs';

const grid = (rows, step) => Float64Array.from({length: rows}, (_, k) => k * step);
const sorted = (times) => Float64Array.from(times).sort();
const sine = (times, f, size = 0.3) => times.map((t) => size * Math.sin(2 * Math.PI * f * t));
/** The amplitude at f (Hz), and the largest one further than four lines of the spectrum from there. */
function peaks({times, values}, f) {
  const width = 4.5 * times[1];
  const most = (inside) => values.reduce((top, x, k) => (Math.abs(times[k] - f) < width === inside ? Math.max(top, x) : top), 0);
  return [most(true), most(false)];
}

const even = grid(401, 0.01);
// All of 4 s, in which the frequencies make whole turns; the limit is none where rows are on a grid.
const cases = {
  'on a grid': even,
  'with a last row off the grid': sorted([...even, 4.003]),
  'with rows of events between those of the grid': sorted([...even, 1.2345, 1.2345, 2.005, 3.9999]),
};
const uneven = {
  'closer and closer': Float64Array.from({length: 2001}, (_, k) => 4 * (k / 2000) ** 1.5),
  'with rows missing from a grid': grid(4001, 0.001).filter((_, k) => k % 10 === 0 || Math.sin(7.3 * k) > 0),
};

const tests = {
  async 'the page tells how far a spectrum of uneven rows reaches'() {
    const model = (integrator) => `polyform: 1
name: shaken
gravity: [0, 0, 0]
bodies: [{name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}, {name: c, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}]
joints:
  - {name: s, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [1, 0, 0]}
  - {name: p, type: revolute, base: ground, moving: c, position: [0, 0, 1], axis: [0, 1, 0]}
constraints:
  - {name: m, type: prescribed-motion, joint: s, motion: {expression: "0.3*sin(2*pi*45*t)"}}
simulation: {duration: 4.003, output_interval: 0.01${integrator}}
`;
    writeFileSync(at('shaken.yaml'), model(''));
    command('run', 'shaken.yaml', '--quiet', '--report', 'shaken.html');
    await browser.open(at('shaken.html'));
    await page(`polyform.picker.pick(['b.x'])`);
    const choose = `(() => { const e = document.getElementById('over'); e.value = 'frequency'; e.dispatchEvent(new Event('change')); })()`;
    await page(choose);
    const drawn = await page(`(() => { const [{times, values}] = polyform.plots.panels[0].series; return {times: [...times], values: [...values]}; })()`);
    const [peak, rest] = peaks(drawn, 45);
    assert.ok(Math.abs(peak - 0.3) < 1e-4 && rest < 1e-4, `${peak}, ${rest}`);
    assert.ok(drawn.times.at(-1) < 50);
    const note = () => page(`document.getElementById('over-note').textContent`);
    assert.match(await note(), /Hann window\.$/);
    // Rows that come closer and closer.
    await page(`polyform.runs[0].time.forEach((t, k, times) => (times[k] = 4 * (k / (times.length - 1)) ** 1.2))`);
    await page('polyform.plots.rebuild()');
    assert.match(await note(), /uneven distances: the spectra are fits up to 33\.\d+ Hz/);
  },

  async 'a sine has its amplitude at its frequency up to half the frequency of the rows, and nothing elsewhere'() {
    for (const [what, times] of Object.entries(cases))
      for (const f of [3, 20, 40, 45, 49]) {
        const found = spectrum(times, sine(times, f)),
          [peak, rest] = peaks(found, f);
        assert.ok(Math.abs(peak - 0.3) < 1e-9 && rest < 1e-9, `${f} Hz ${what}: ${peak}, ${rest}`);
        assert.equal(found.limit, undefined, what);
        assert.ok(found.times.at(-1) < 50);
      }
  },

  async 'rows at uneven distances: the same, up to what their widest distance resolves'() {
    for (const [what, times] of Object.entries(uneven)) {
      const resolved = 0.5 / Math.max(...times.slice(1).map((t, k) => t - times[k]));
      const {limit} = spectrum(times, times);
      assert.ok(limit > 0.7 * resolved && limit < resolved, `${what}: ${limit} of ${resolved}`);
      for (const f of [3, 20, Math.floor(limit)]) {
        const [peak, rest] = peaks(spectrum(times, sine(times, f)), f);
        // Of the mean that the window sees, a little is left beside the frequency 0.
        assert.ok(Math.abs(peak - 0.3) < 1e-6 && rest < 1e-3, `${f} Hz ${what}: ${peak}, ${rest}`);
      }
    }
  },

  async 'of many rows, all are transformed: no peak is where there is no motion'() {
    const times = grid(450001, 0.001);
    const [peak, rest] = peaks(spectrum(times, sine(times, 450)), 450);
    assert.ok(Math.abs(peak - 0.3) < 1e-9 && rest < 1e-9, `${peak}, ${rest}`);
  },
};
await report(tests);
