// node test_firefox.mjs FIREFOX POLYFORM MODELS FOLDER: a report in Firefox.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdirSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {Firefox} from './firefox.mjs';

const [program, polyform, models, folder] = process.argv.slice(2);
rmSync(folder, {recursive: true, force: true});
mkdirSync(folder, {recursive: true});
execFileSync(
  polyform,
  ['run', join(models, 'vehicle.yaml'), '--quiet', '--duration', '1', '--output', 'vehicle.csv', '--report', 'vehicle.html'],
  {cwd: folder, stdio: ['ignore', 'ignore', 'inherit']},
);
const [head, ...rows] = readFileSync(join(folder, 'vehicle.csv'), 'utf8').trim().split('\n').map((line) => line.split(','));
const column = (name) => rows.map((row) => Number(row[head.indexOf(name)]));

const browser = await Firefox.start(program);
const page = (expression) => browser.evaluate(expression);
const tests = {
  async 'the page is there, with its plots'() {
    await browser.open(`file://${join(folder, 'vehicle.html')}#plot=chassis.z&plot=energy.total`);
    assert.equal(await page('document.title'), 'vehicle · Polyform report');
    assert.deepEqual(await page('polyform.plots.names'), ['chassis.z', 'energy.total']);
    assert.ok(await page(`document.querySelectorAll('.panel canvas').length === 2`));
  },
  async 'picked values are those of the CSV file'() {
    await page(`polyform.picker.pick(['chassis.z', '= chassis.z * 2'])`);
    for (const row of [0, 7, 50]) {
      await page(`polyform.clock.seekRow(${row})`);
      const values = await page(`[...document.querySelectorAll('.panel .value')].map((value) => Number(value.dataset.value))`);
      assert.deepEqual(values, [column('chassis.z')[row], 2 * column('chassis.z')[row]]);
    }
  },
  async 'the mechanism is drawn, or the page says that this browser cannot'() {
    const [view, note] = await page(`[!!polyform.view, document.getElementById('scene-note').textContent]`);
    if (view) return 'drawn';
    assert.match(note, /could not draw in 3-D/);
    return 'no 3-D here';
  },
  async 'a spectrum, and a plot over a channel'() {
    for (const over of ['frequency', 'chassis.z']) {
      await page(`(() => { const e = document.getElementById('over'); e.value = '${over}'; e.dispatchEvent(new Event('change')); })()`);
      assert.ok((await page('polyform.plots.panels.length')) >= 1, over);
    }
  },
};
let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    const figures = await test();
    console.log(`ok    ${name}${figures ? ` (${figures})` : ''}`);
  } catch (problem) {
    ++failed;
    console.log(`FAIL  ${name}\n      ${problem.message}`);
  }
}
await browser.close();
process.exit(failed ? 1 : 0);
