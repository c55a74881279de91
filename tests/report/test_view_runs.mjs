// node test_view_runs.mjs CHROMIUM POLYFORM MODELS FOLDER: what `polyform view` shows of runs: pushes, the header, plots.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {at, browser, columns, command, folder, models, page, polyform, settled} from './page_tools.mjs';

const rod = (more = '', duration = 20) => `polyform: 1
name: rod
gravity: [0, 0, 0]
bodies:
  - {name: rod, type: flexible-beam, length: 1, linear_density: 1, bending_stiffness: 20, modes: 3, boundary: clamped-free, damping_ratio: 0.7}
  - {name: tip, position: [1, 0, 0], mass: 0, inertia: {xx: 0, yy: 0, zz: 0}, geometry: [{type: sphere, radius: 0.03}]}
joints:
  - {name: wall, type: fixed, base: ground, moving: rod, position: [0, 0, 0]}
  - {name: end, type: fixed, base: rod, moving: tip, position: [1, 0, 0]}
simulation: {duration: ${duration}, output_interval: 0.005}
${more}
`;
const file = at('model.yaml');
writeFileSync(file, rod());
const server = spawn(polyform, ['view', 'model.yaml'], {cwd: folder, stdio: ['ignore', 'pipe', 'inherit']});
const url = await new Promise((done, fail) => {
  let text = '';
  server.stdout.on('data', (chunk) => {
    text += chunk;
    const found = /http:\S+/.exec(text);
    if (found && text.includes('\n')) done(found[0]);
  });
  server.on('exit', () => fail(new Error('polyform view has ended')));
});
/** The process of the run: the last of the chain that `view` has begun. */
function worker(id = server.pid) {
  const children = readFileSync(`/proc/${id}/task/${id}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return children.length > 0 ? worker(children.at(-1)) : Number(id);
}
const send = (message) => page(`polyform.send(${JSON.stringify(message)})`);
const summary = `document.getElementById('summary').textContent`;
const ended = () => settled(`/come to its end/.test(${summary})`);
const last = (name) => page(`polyform.run.column('${name}').at(-1)`);
/** Another model at full speed from its start. */
async function load(text, begun = `polyform.run !== window.before`) {
  await page('window.before = polyform.run');
  writeFileSync(file, text);
  await settled(begun);
}

const tests = {
  async 'a push on a flexible body bends it as a force at that point does'() {
    await browser.open(url);
    await settled(`window.polyform?.run.rows > 0`);
    await send({do: 'speed', value: null});
    for (const [k, x] of [1, 0.5, 0.51].entries()) {
      // The run waits for the push.
      await send({do: 'pause', value: true});
      await load(rod('', 21 + k));
      await send({do: 'push', body: 0, point: [x, 0, 0], force: [0, 20, 0]});
      await send({do: 'pause', value: false});
      await ended();
      const found = await last('tip.y');
      writeFileSync(at('force.yaml'), rod(`forces: [{name: f, type: point-force, body: rod, point: [${x}, 0, 0], force: [0, 20, 0]}]`));
      command('run', 'force.yaml', '--quiet', '--output', 'force.csv', '--columns', 'bodies,energy');
      const csv = columns('force.csv'),
        wanted = csv['tip.y'].at(-1);
      // F a² (3 l - a)/(6 EI) but for the modes that are left out.
      assert.ok(Math.abs(wanted - (20 * x * x * (3 - x)) / 120) < 0.01 * wanted);
      // Between the points of the lines, 1/24 m apart, their mean stands for a curve.
      const part = x === 0.51 ? 2e-3 : 2e-4;
      assert.ok(Math.abs(found - wanted) < part * wanted, `at ${x}: ${found} is not ${wanted}`);
      // What the force has done beside the losses of the damper is stored.
      const balance = await page(`polyform.run.column('energy.balance')`);
      const stored = await last('energy.total');
      assert.ok(Object.values(balance).every((b) => Math.abs(b) < 1e-3 * stored));
    }
  },

  async 'pushes in quick succession: no row is lost, and the run comes to its end'() {
    await load(rod('', 60));
    await page(`window.pushing = setInterval(() => polyform.send({do: 'push', body: 1, point: [0, 0, 0], force: [0, Math.sin(performance.now() / 50), 0]}), 4)`);
    await ended();
    await page('clearInterval(window.pushing)');
    const times = Object.values(await page(`polyform.run.time`));
    assert.equal(times.at(-1), 60);
    times.slice(1).forEach((t, k) => assert.ok(Math.abs(t - times[k] - 0.005) < 1e-9, `${times[k]}, ${t}`));
  },

  async 'the first plots are those of the report'() {
    for (const model of ['tutorial/07_bending_rod', 'double_pendulum']) {
      const text = readFileSync(`${models}/${model}.yaml`, 'utf8').replace('output_interval: 0.005', 'output_interval: 0.01');
      await load(text);
      await ended();
      command('run', 'model.yaml', '--quiet', '--report', 'first.html');
      const names = await page('polyform.plots.names');
      await browser.open(at('first.html'));
      assert.deepEqual(names, await page('polyform.plots.names'), model);
      await browser.open(url);
      await settled(`window.polyform?.run.rows > 0 && /come to its end/.test(${summary})`);
    }
  },

  async 'the header tells a step that takes long, and why a run has failed'() {
    await send({do: 'speed', value: 1});
    await load(rod('', 1000));
    await settled(`/ · running$/.test(${summary}) && polyform.run.rows > 5`);
    const id = worker();
    process.kill(id, 'SIGSTOP');
    try {
      await settled(`/slow steps: the one after t = [\\d.]+ s has taken more than \\d+ s/.test(${summary})`);
    } finally {
      process.kill(id, 'SIGCONT');
    }
    await settled(`/ · running$/.test(${summary})`);
    await page(`document.getElementById('play').click()`);
    await settled(`/ · paused$/.test(${summary})`);
    await page(`document.getElementById('play').click()`);
    const broken = 'forces: [{name: f, type: point-force, body: rod, point: [1, 0, 0], force: [0, {expression: "sqrt(0.5 - t)"}, 0]}]';
    writeFileSync(file, rod(broken, 100));
    await settled(`/^The run has failed: .{10,}/.test(${summary})`);
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    assert.deepEqual(browser.complaints ?? [], [], 'errors in the console');
    console.log(`ok    ${name}`);
  } catch (problem) {
    ++failed;
    console.log(`FAIL  ${name}\n      ${problem.message}`);
  }
}
await browser.close();
server.removeAllListeners('exit');
server.kill('SIGINT');
console.log(failed ? `${failed} failed` : `all ${Object.keys(tests).length} passed`);
process.exit(failed ? 1 : 0);
