// node test_loads.mjs CHROMIUM POLYFORM MODELS FOLDER: arrows of forces and moments point where those do, and gaps of plots.
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {at, browser, command, gapsDrawn, frames, page, report, run} from './page_tools.mjs';

const all = ['--columns', 'joints,bodies,energy,elements,reactions'];
const body = (name, more = '') => `{name: ${name}, mass: 2, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}${more}}`;
async function opened(name, text) {
  writeFileSync(at(`${name}.yaml`), `polyform: 1\nname: ${name}\n${text}\n`);
  command('run', `${name}.yaml`, '--quiet', '--report', `${name}.html`, ...all);
  await browser.open(at(`${name}.html`));
  await page(`document.getElementById('forces').click()`);
}
/** [{name, kind, at, vector}] at a row; −1: the last. */
const loads = (row) =>
  page(`(() => {
    const {arrows, main} = polyform.view, k = ${row} < 0 ? polyform.runs[0].rows + ${row} : ${row};
    main.motion.place(polyform.runs[0].time[k]);
    return arrows.loads.map((load) => ({name: load.name, kind: load.kind, ...arrows.vectorOf(load, k)}));
  })()`);
const near = (found, wanted, least = 1e-9) =>
  wanted.forEach((x, k) => assert.ok(Math.abs(found[k] - x) < least * (1 + Math.max(...wanted.map(Math.abs))), `${found} is not ${wanted}`));
const value = (name, row) => page(`polyform.runs[0].column('${name}').at(${row})`);

const tests = {
  async 'a reaction holds the body that it is drawn on, whichever end of the joint is ground'() {
    for (const ends of ['base: ground, moving: rod', 'base: rod, moving: ground']) {
      await opened('held', `bodies: [${body('rod', ', center_of_mass: [0.5, 0, 0]')}]
joints: [{name: wall, type: fixed, ${ends}, position: [0, 0, 0]}]
simulation: {duration: 0.1, output_interval: 0.05}`);
      const [force, moment] = await loads(1);
      near(force.vector, [0, 0, 2 * 9.81]);
      // The weight turns the rod down about y; the wall turns it up.
      near(moment.vector, [0, -2 * 9.81 * 0.5, 0]);
    }
  },

  async 'a force at a point, and the effort of a spring in a joint'() {
    await opened('loaded', `gravity: [0, 0, 0]
bodies: [${body('brick', ', geometry: [{type: box, size: [0.4, 0.3, 0.1]}]')}, ${body('arm')}]
joints:
  - {name: fly, type: free, base: ground, moving: brick}
  - {name: pin, type: revolute, base: arm, moving: ground, position: [1, 0, 0], axis: [0, 0.6, 0.8], initial: {position: 0.5}}
forces:
  - {name: shove, type: point-force, body: brick, point: [0.2, 0, 0], force: [0, 2, 0], moment: [0, 0, 0.1]}
  - {name: turn, type: joint-spring-damper, joint: pin, stiffness: 3}
simulation: {duration: 0.1, output_interval: 0.05}`);
    const found = await loads(0),
      of = (name, kind) => found.find((one) => one.name === name && one.kind === kind);
    near(of('shove', 'force').vector, [0, 2, 0]);
    near(of('shove', 'force').at, [0.2, 0, 0]);
    near(of('shove', 'moment').vector, [0, 0, 0.1]);
    // −3 · 0.5 on ground about the axis, hence the opposite on the arm, which has turned about that axis alone.
    near(of('turn', 'moment').vector, [0, 0.6 * 1.5, 0.8 * 1.5]);
    near(of('turn', 'moment').at, [1, 0, 0]);
  },

  async 'bushings carry the weight of what stands on them'() {
    await opened('mounted', `bodies: [${body('block')}]
joints: [{name: loose, type: free, base: ground, moving: block}]
forces:
  - {name: left, type: bushing, a: {body: ground, point: [-0.2, 0, 0]}, b: {body: block, point: [-0.2, 0, 0]},
     orientation: {axis: [1, 0, 0], angle: 1}, stiffness: [1e4, 1e4, 1e4, 10, 10, 10], damping: [300, 300, 300, 5, 5, 5]}
  - {name: right, type: bushing, a: {body: ground, point: [0.2, 0, 0]}, b: {body: block, point: [0.2, 0, 0]},
     orientation: {axis: [0, 1, 0], angle: -0.7}, stiffness: [1e4, 1e4, 1e4, 10, 10, 10], damping: [300, 300, 300, 5, 5, 5]}
simulation: {duration: 3, output_interval: 0.5}`);
    const forces = (await loads(-1)).filter(({name, kind}) => kind === 'force' && ['left', 'right'].includes(name));
    assert.equal(forces.length, 2);
    near([0, 1, 2].map((k) => forces[0].vector[k] + forces[1].vector[k]), [0, 0, 2 * 9.81], 1e-5);
  },

  async 'tyres push where they touch the road; a cylinder pushes its ends apart'() {
    run('lane_change', '--duration', '1.2', '--output-interval', '0.01', '--report', 'lane.html', ...all);
    await browser.open(at('lane.html'));
    await page(`document.getElementById('forces').click()`);
    const row = 100,
      [front, rear] = (await loads(row)).filter(({name, kind}) => kind === 'force' && ['front', 'rear'].includes(name));
    for (const {name, at: place, vector} of [front, rear]) {
      const [load, fx, fy] = [await value(`${name}.load`, row), await value(`${name}.fx`, row), await value(`${name}.fy`, row)];
      assert.ok(Math.abs(place[2]) < 0.03, `${name} touches at ${place}`);
      near([vector[2], Math.hypot(vector[0], vector[1])], [load, Math.hypot(fx, fy)]);
    }
    // Wheels that push the car to the left turn it there.
    const [y0, y1] = await page(`(() => { const r = polyform.runs[0]; return [r.column('car.vy')[${row - 1}], r.column('car.vy')[${row + 1}]]; })()`);
    assert.ok((front.vector[1] + rear.vector[1]) * (y1 - y0) > 0);
    run('hydraulic_lift', '--duration', '0.2', '--report', 'lift.html', ...all);
    await browser.open(at('lift.html'));
    await page(`document.getElementById('forces').click()`);
    const [a, b] = (await loads(-1)).filter(({name}) => name === 'cylinder'),
      size = await value('cylinder.force', -1);
    const out = a.at.map((x, k) => x - b.at[k]),
      long = Math.hypot(...out);
    near(a.vector, out.map((x) => (size * x) / long), 1e-6);
    near(b.vector, out.map((x) => (-size * x) / long), 1e-6);
  },

  async 'what has no arrow though its columns have a force is named'() {
    run('belt_slips', '--duration', '0.1', '--report', 'belt.html', ...all);
    await browser.open(at('belt.html'));
    await page(`document.getElementById('forces').click()`);
    assert.match(await page(`document.getElementById('scene-message').textContent`), /^No arrow for belt: the columns tell a size/);
  },

  async 'a plot over time stops where a formula has no value'() {
    await opened('gap', `gravity: [0, 0, 0]
bodies: [${body('cart')}]
joints: [{name: way, type: prismatic, base: ground, moving: cart, position: [0, 0, 0], axis: [1, 0, 0]}]
constraints: [{name: m, type: prescribed-motion, joint: way, motion: {expression: "sin(2*pi*t) + 0.5"}}]
simulation: {duration: 1, output_interval: 0.001}`);
    await page(`polyform.picker.pick(['= sqrt(cart.x)'])`);
    await frames(2);
    // sin(2 pi t) < -0.5 from 7/12 to 11/12.
    const gaps = (await gapsDrawn(0)).filter(([from, to]) => to - from > 0.02);
    assert.equal(gaps.length, 1, JSON.stringify(gaps));
    [7 / 12, 11 / 12].forEach((x, k) => assert.ok(Math.abs(gaps[0][k] - x) < 0.01, JSON.stringify(gaps)));
    assert.match(await page(`document.querySelector('.panel .zeros').textContent`), /no finite number: = sqrt\(cart\.x\) at 33\d of 1,001 times/);
    await page(`polyform.picker.pick(['cart.x'])`);
    assert.equal(await page(`document.querySelector('.panel .zeros')`), null);
  },
};
await report(tests);
