// node test_features.mjs CHROMIUM POLYFORM MODELS FOLDER AXE: what a page offers beyond looking at curves over time.
import assert from 'node:assert/strict';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {at, browser, coloursDrawn, columns, command, frames, models, page, report, run, settled} from './page_tools.mjs';

const axe = process.argv[6];
const choose = (id, value) =>
  page(`(() => { const e = document.getElementById('${id}'); e.value = ${JSON.stringify(value)}; e.dispatchEvent(new Event('change')); })()`);
const close = (a, b, part) => assert.ok(Math.abs(a - b) <= part * Math.abs(b), `${a} is not ${b}`);
const click = (id) => page(`document.getElementById('${id}').click()`);

/** What the page hands over next, as text. */
const saved = (panel, what) =>
  page(`new Promise((done) => {
    const make = URL.createObjectURL;
    URL.createObjectURL = (blob) => {
      URL.createObjectURL = make;
      blob.text().then((text) => done({type: blob.type, size: blob.size, text}));
      return make.call(URL, blob);
    };
    HTMLAnchorElement.prototype.click = function () { window.savedName = this.download; };
    [...document.querySelectorAll('${panel} .menu-list button')].find((b) => b.textContent.startsWith('${what}')).click();
  })`);

const tests = {
  async 'arithmetic: formulas of channels have the values and units of their arithmetic'() {
    run('double_pendulum', '--output', 'two.csv', '--report', 'two.html', '--duration', '4', '--output-interval', '0.01', '--columns', 'joints,bodies,energy,reactions');
    await browser.open(at('two.html'));
    const csv = columns('two.csv');
    const of = (text) => page(`(() => { const run = polyform.runs[0]; return {unit: run.unit('${text}'), values: [...run.column('${text}')]}; })()`);
    const sum = await of('= energy.kinetic + energy.potential - energy.total');
    assert.equal(sum.unit, 'J');
    assert.ok(sum.values.every((x) => Math.abs(x) < 1e-12));
    const rate = await of('= d(j1.q)');
    assert.equal(rate.unit, 'rad/s');
    // Central differences are wrong by h²/6 times the third derivative of the angle.
    const v = csv['j1.v'];
    const bend = Math.max(...v.slice(1, -1).map((_, k) => Math.abs(v[k] - 2 * v[k + 1] + v[k + 2])));
    rate.values.slice(1, -1).forEach((x, k) => assert.ok(Math.abs(x - v[k + 1]) < (1.2 * bend) / 6));
    const size = await of('= hypot(rod2.vx, rod2.vy, rod2.vz)');
    assert.equal(size.unit, 'm/s');
    size.values.forEach((x, k) => assert.ok(Math.abs(x - Math.hypot(csv['rod2.vx'][k], csv['rod2.vy'][k], csv['rod2.vz'][k])) < 1e-12));
    assert.equal((await of('= -2 ^ 2 + 10 / 4')).values[0], -1.5);
    // In the search: what is wrong is said, what is right is plotted by Enter.
    await page(`Object.assign(document.getElementById('search'), {value: '= rod1.x +'}).dispatchEvent(new Event('input'))`);
    assert.match(await page(`document.getElementById('channels').textContent`), /A channel or a number is missing/);
    await page(`(() => { const s = document.getElementById('search'); s.value = '= rod1.x - rod2.x'; s.focus(); })()`);
    await browser.press('Enter', {text: '\r'});
    assert.ok((await page('polyform.plots.names')).includes('= rod1.x - rod2.x'));
  },

  async 'search with * is that of the command line'() {
    const found = async (text) => {
      await page(`Object.assign(document.getElementById('search'), {value: '${text}'}).dispatchEvent(new Event('input'))`);
      return page(`[...document.querySelectorAll('#channels [data-channel]')].map((b) => b.dataset.channel)`);
    };
    assert.deepEqual((await found('*.q')).sort(), ['j1.q', 'j2.q']);
    assert.deepEqual((await found('rod?.vx')).sort(), ['rod1.vx', 'rod2.vx']);
    assert.deepEqual(await found('rod1.v*'), ['rod1.vx', 'rod1.vy', 'rod1.vz']);
    assert.deepEqual(await found('kinetic'), ['energy.kinetic']);
    await found('');
  },

  async 'over another channel: the curve goes through the values of both'() {
    await page(`polyform.picker.pick(['rod2.x', 'rod2.z'])`);
    await choose('over', 'rod2.x');
    await page('polyform.clock.seekRow(123)');
    const csv = columns('two.csv');
    const [[x, y]] = await page(`polyform.plots.panels.map(({series: [s]}) => [s.x[123], s.values[123]])`);
    assert.deepEqual([x, y], [csv['rod2.x'][123], csv['rod2.z'][123]]);
    const [head, wanted] = await page(`(() => {
      const {plot, heads} = polyform.plots.panels[0], {e, f} = new DOMMatrix(getComputedStyle(heads[0]).transform);
      return [[e, f], [plot.valToPos(${csv['rod2.x'][123]}, 'x'), plot.valToPos(${csv['rod2.z'][123]}, 'y')]];
    })()`);
    for (const k of [0, 1]) assert.ok(Math.abs(head[k] - wanted[k]) < 1);
    await choose('over', 'time');
  },

  async 'spectra: a sine has its amplitude at its frequency, and nothing elsewhere'() {
    // Three turns of 4 Hz and amplitude 3, and a tenth of that at 10 Hz, in 4 s.
    await page(`(() => {
      const run = polyform.runs[0], values = run.column('energy.power');
      run.time.forEach((t, k) => (values[k] = 7 + 3 * Math.sin(2 * Math.PI * 4 * t) + 0.3 * Math.sin(2 * Math.PI * 10 * t)));
      polyform.picker.pick(['energy.power']);
    })()`);
    await choose('over', 'frequency');
    const {times, values} = await page(`(() => { const [{times, values}] = polyform.plots.panels[0].series; return {times: [...times], values: [...values]}; })()`);
    const near = (f) => Math.max(...values.filter((_, k) => Math.abs(times[k] - f) < 0.3));
    close(near(4), 3, 0.02);
    close(near(10), 0.3, 0.03);
    assert.ok(values.every((a, k) => [4, 10].some((f) => Math.abs(times[k] - f) < 0.6) || a < 0.01));
    await choose('over', 'time');
  },

  async 'the address keeps what is chosen, and a reload shows it again'() {
    await page(`polyform.picker.pick(['rod1.z', '= rod1.x - rod2.x'])`);
    await choose('over', 'rod1.z');
    await click('forces');
    await page(`polyform.view.toggleTrace(1); polyform.view.follow(0); polyform.clock.seekRow(40)`);
    await settled(`location.hash.includes('t=0.4')`);
    const hash = await page('location.hash');
    await browser.open(`${at('two.html')}${hash}`);
    assert.deepEqual(await page('polyform.plots.names'), ['rod1.z', '= rod1.x - rod2.x']);
    assert.equal(await page('polyform.plots.over'), 'rod1.z');
    assert.equal(await page('polyform.view.arrows.shown'), true);
    assert.deepEqual(await page('[polyform.view.traces.points.map(({body}) => body), polyform.view.followed]'), [[1], 0]);
    assert.ok(Math.abs((await page('polyform.clock.time')) - 0.4) < 1e-9);
    assert.equal(await page(`document.getElementById('forces').getAttribute('aria-pressed')`), 'true');
    // A place of the page does not push it out.
    await page(`document.querySelector('nav a').click()`);
    assert.equal(await page('location.hash'), hash);
  },

  async 'arrows: as long and as directed as the reactions'() {
    const csv = columns('two.csv');
    await page('polyform.clock.seekRow(40)');
    await frames(2);
    const [z, size, direction] = await page(`(() => {
      const {arrows} = polyform.view, e = arrows.meshes.force.instanceMatrix.array;
      const long = Math.hypot(e[8], e[9], e[10]);
      return [arrows.meshes.force.visible, long * arrows.largest.force / arrows.length, [e[8] / long, e[9] / long, e[10] / long]];
    })()`);
    assert.equal(z, true);
    const force = ['x', 'y', 'z'].map((axis) => csv[`j1.f${axis}`][40]),
      wanted = Math.hypot(...force);
    close(size, wanted, 1e-5);
    force.forEach((f, k) => assert.ok(Math.abs(direction[k] - f / wanted) < 1e-5));
  },

  async 'a trace goes through the places of the mass centre; the camera follows a body'() {
    const csv = columns('two.csv');
    const line = await page(`[...[...polyform.view.traces.lines.values()][0].geometry.attributes.position.array]`);
    assert.equal(line.length, 3 * csv.time.length);
    const place = await page(`(() => { const {main, mechanism, center} = polyform.view; main.motion.place(polyform.runs[0].time[40]);
      return main.motion.point({body: 1, point: mechanism.bodies[1].center}, center.clone()).toArray(); })()`);
    place.forEach((x, k) => assert.ok(Math.abs(line[120 + k] - x) < 1e-5));
    const arm = () => page(`(() => { const {main, mechanism, center, controls} = polyform.view; polyform.view.draw();
      return main.motion.point({body: 0, point: mechanism.bodies[0].center}, center.clone()).sub(controls.target).toArray(); })()`);
    await page('polyform.clock.seekRow(200)');
    (await arm()).forEach((x) => assert.ok(Math.abs(x) < 1e-5));
  },

  async 'a trace of another point: the far end of a rod, the tip of a bent beam; the address keeps it'() {
    const chooses = (name) => page(`(() => {
      const select = document.getElementById('point');
      select.value = [...select.options].find(({text}) => text === '${name}').value;
      select.dispatchEvent(new Event('change'));
      document.getElementById('trace').click();
    })()`);
    const line = () => page(`[...polyform.view.traces.lines.values()].at(-1).geometry.attributes.position.array.slice(0, 300)`).then(Object.values);
    await page('polyform.view.traces.clear()');
    assert.deepEqual(await page(`[...document.getElementById('point').options].map(({text}) => text)`), ['mass centre', 'j1', 'j2']);
    await chooses('j1');
    // A pin on ground stays where it is.
    (await line()).forEach((x, k, all) => assert.ok(Math.abs(x - all[k % 3]) < 1e-5));
    run('flexible_pendulum', '--duration', '1', '--report', 'bent.html');
    await browser.open(at('bent.html'));
    await chooses('far end');
    const before = await line();
    const places = await page(`(() => {
      const {main, traces, center, mechanism} = polyform.view, tip = {body: 0, ...mechanism.bodies[0].points.find(({point: [x]}) => Math.abs(x - 1) < 1e-12)};
      return [...polyform.runs[0].time].slice(0, 100).flatMap((t) => { main.motion.place(t); return main.motion.point(tip, center.clone()).toArray(); });
    })()`);
    places.forEach((x, k) => assert.ok(Math.abs(before[k] - x) < 1e-5));
    const hash = await page('location.hash');
    await browser.open(`${at('bent.html')}${hash}`);
    assert.deepEqual(await line(), before);
    await page('polyform.view.traces.clear()');
    await browser.open(at('two.html'));
    await page(`polyform.view.toggleTrace(1); polyform.view.follow(0); polyform.clock.seekRow(40)`);
  },

  async 'saving: PNG, SVG and CSV of a plot, all channels as CSV, the drawing, a video'() {
    await choose('over', 'time');
    await page(`polyform.picker.pick(['j1.q', 'j2.q'])`);
    const csv = columns('two.csv');
    const table = await saved('.panel', 'CSV');
    const [head, ...rows] = table.text.trim().split('\n').map((line) => line.split(','));
    assert.equal(head[0], 'time');
    rows.forEach((row, k) => assert.equal(Number(row[1]), csv['j1.q'][k]));
    const picture = await saved('.panel', 'SVG');
    assert.match(picture.text, /^<svg xmlns/);
    assert.equal((picture.text.match(/clip-path="url\(#frame\)"[^]*<\/g>/)[0].match(/<path d="M/g) ?? []).length, 2);
    assert.ok(!picture.text.includes('NaN'));
    assert.match((await saved('.panel', 'PNG')).text, /PNG/);
    assert.match((await saved('#save-view', 'Picture')).text, /PNG/);
    await page(`(() => { const s = document.getElementById('speed'); s.value = '2'; s.dispatchEvent(new Event('change')); })()`);
    const film = await saved('#save-view', 'Video');
    assert.match(film.type, /webm/);
    assert.ok(film.size > 2000, `${film.size} bytes`);
  },

  async 'a channel that is picked comes into view at once'() {
    await page(`polyform.picker.pick(['rod1.x', 'j1.q', 'energy.total', 'rod1.qy', 'rod1.vx', 'j1.v', 'rod1.wy'])`);
    await page(`scrollTo({top: 0, behavior: 'instant'})`);
    await page(`polyform.picker.toggle('j1.fz')`);
    const {top, bottom} = await page(`polyform.plots.panels.at(-1).figure.getBoundingClientRect().toJSON()`);
    assert.ok(top >= 0 && bottom <= 901, `${top} to ${bottom}`);
  },

  async 'left ends of all plots stand on one line'() {
    const lefts = await page(`polyform.plots.panels.map(({plot}) => plot.over.getBoundingClientRect().left)`);
    assert.ok(lefts.length > 3 && lefts.every((x) => Math.abs(x - lefts[0]) < 1), String(lefts));
  },

  async 'playback is fitted to the duration'() {
    assert.equal(await page('polyform.clock.speed >= 1'), true);
    run('double_pendulum', '--duration', '0.02', '--output-interval', '0.0002', '--report', 'short.html');
    await browser.open(at('short.html'));
    const takes = 0.02 / (await page('polyform.clock.speed'));
    assert.ok(takes > 3 && takes < 15, `${takes} s`);
  },

  async 'a ball on the ground: the contact is drawn where it pushes'() {
    run('bouncing_ball', '--report', 'ball.html', '--output', 'ball.csv');
    await browser.open(at('ball.html'));
    const csv = columns('ball.csv');
    const name = Object.keys(csv).find((channel) => channel.endsWith('.fn')).replace(/\.fn$/, '');
    const row = csv[`${name}.fn`].findIndex((f) => f > 0);
    if (row >= 0) {
      // The force on the first body has the size of the normal force where nothing rubs.
      const size = Math.hypot(...['x', 'y', 'z'].map((axis) => csv[`${name}.f${axis}`][row]));
      close(size, Math.hypot(csv[`${name}.fn`][row], csv[`${name}.ft`][row]), 1e-9);
    }
    assert.ok(await page('polyform.view.arrows.any'));
    assert.equal(await page('polyform.view.shapes.floor?.type'), 'plane');
    assert.ok((await coloursDrawn()) > 50);
  },

  async 'springs are coils, tyres are wheels, arms lead to what is attached outside of a shape'() {
    run('vehicle', '--duration', '0.2', '--report', 'parts.html');
    await browser.open(at('parts.html'));
    const shapes = await page(`polyform.view.main.meshes.flatMap(({userData}) => userData.parts).map(({shape}) => shape)`);
    assert.ok(shapes.includes('coil'), [...new Set(shapes)].join());
    // Its wheels have a cylinder each, which is drawn as the tyre.
    assert.equal(await page(`polyform.view.main.meshes.flatMap(({userData}) => userData.parts).filter(({tint}) => tint === 'tyre').length`), 4);
    assert.ok(await page(`polyform.view.mechanism.bodies.some((body, b) => body.shapes.length > 0 && polyform.view.shapes.arms(body, b).length > 0)`));
  },

  async 'CAD meshes: STL, OBJ and glTF take the place of a body, in its axes and in metres'() {
    const corners = [[0, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 1]],
      faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    const stl = `solid t\n${faces.map((f) => `facet normal 0 0 0\nouter loop\n${f.map((k) => `vertex ${corners[k].join(' ')}`).join('\n')}\nendloop\nendfacet`).join('\n')}\nendsolid t\n`;
    const obj = `${corners.map((c) => `v ${c.map((x) => 1000 * x).join(' ')}`).join('\n')}\n${faces.map((f) => `f ${f.map((k) => k + 1).join(' ')}`).join('\n')}\n`;
    const bytes = Buffer.from(Float32Array.from(faces.flat().flatMap((k) => corners[k])).buffer);
    const gltf = JSON.stringify({
      asset: {version: '2.0'}, scene: 0, scenes: [{nodes: [0]}], nodes: [{mesh: 0}],
      meshes: [{primitives: [{attributes: {POSITION: 0}}]}],
      accessors: [{bufferView: 0, componentType: 5126, count: 12, type: 'VEC3', min: [0, 0, 0], max: [2, 1, 1]}],
      bufferViews: [{buffer: 0, byteLength: bytes.length}],
      buffers: [{byteLength: bytes.length, uri: `data:application/octet-stream;base64,${bytes.toString('base64')}`}],
    });
    await browser.open(at('two.html'));
    const lay = (name, text) => page(`(() => {
      const files = new DataTransfer(), input = document.getElementById('mesh-file');
      files.items.add(new File([${JSON.stringify(text)}], '${name}'));
      input.files = files.files;
      document.getElementById('scene-message').replaceChildren();
      input.dispatchEvent(new Event('change'));
    })()`);
    for (const [name, text, unit] of [['t.stl', stl, 'm'], ['t.obj', obj, 'mm'], ['t.gltf', gltf, 'm']]) {
      await lay(name, text);
      await settled(`document.getElementById('scene-message').textContent.startsWith('${name}')`);
      assert.match(await page(`document.getElementById('scene-message').textContent`), new RegExp(`4 triangles, lengths in ${unit}\\.`));
      const [size, matrix, wanted, hidden] = await page(`(() => {
        const {meshes, main, scene} = polyform.view, {group, object} = meshes.byBody.get(0);
        polyform.view.draw();
        let far = 0;
        object.traverse((node) => { if (node.isMesh) { node.geometry.computeBoundingBox(); far = node.geometry.boundingBox.max.x * object.scale.x; } });
        return [far, group.matrix.elements, main.motion.matrices[0].elements, main.hidden.size];
      })()`);
      assert.ok(Math.abs(size - 2) < 1e-6, `${name}: ${size} m`);
      assert.deepEqual(matrix, wanted);
      assert.ok(hidden > 0);
      // The STL file has zeros for normals, the others none: all are drawn with those of their triangles.
      const normals = await page(`(() => {
        const out = [];
        polyform.view.meshes.byBody.get(0).object.traverse((node) => { if (node.isMesh) out.push(...node.geometry.attributes.normal.array); });
        return out;
      })()`);
      const third = 1 / Math.sqrt(1 + 1 + 1 / 4);
      for (let k = 0; k < 36; ++k) assert.ok(Math.abs(normals[k] - [0, 0, -1, 0, -1, 0, -1, 0, 0, third / 2, third, third][3 * Math.floor(k / 9) + (k % 3)]) < 1e-6, `${name}: ${normals}`);
    }
    await lay('two.gltf', JSON.stringify({...JSON.parse(gltf), buffers: [{byteLength: bytes.length, uri: 'two.bin'}]}));
    await settled(`document.getElementById('scene-message').textContent.startsWith('two.gltf could not be read: it names another file, two.bin: save it as .glb, which holds all.')`);
    await lay('t.step', 'x');
    await settled(`document.getElementById('scene-message').textContent.includes('none of STL')`);
    await lay('t.stl', 'solid\nendsolid');
    await settled(`/t.stl (has no triangles|could not be read)/.test(document.getElementById('scene-message').textContent)`);
  },

  async 'at 1024 px the menu of speeds is in its card; at 390 px all controls have 44 px'() {
    await browser.open(at('parts.html'), {width: 1024, height: 800});
    const [right, edge] = await page(`[document.getElementById('speed').getBoundingClientRect().right, document.getElementById('view').getBoundingClientRect().right]`);
    assert.ok(right <= edge, `${right} of ${edge}`);
    // With the choice of two runs above the drawing, too.
    await browser.open(at('two.html'), {width: 1024, height: 768});
    const [low, bottom] = await page(`[document.getElementById('speed').getBoundingClientRect().bottom, document.getElementById('view').getBoundingClientRect().bottom]`);
    assert.ok(low <= bottom, `${low} of ${bottom}`);
    await browser.open(at('parts.html'), {width: 390, height: 800});
    const small = await page(`[...document.querySelectorAll('button, select, summary, input')].filter((e) => {
      const {width, height} = e.getBoundingClientRect();
      return e.checkVisibility() && width > 1 && !e.closest('footer') && (width < 43.5 || height < 43.5);
    }).map((e) => e.outerHTML)`);
    assert.deepEqual(small, []);
    assert.ok((await page('document.documentElement.scrollWidth')) <= 390);
  },

  async 'axe finds nothing: contrast, names, keyboard; light and dark, wide and narrow'() {
    if (!existsSync(axe)) return 'skipped: axe-core is not installed';
    const script = readFileSync(axe, 'utf8');
    // Texts in the model's colours; a table whose rows go on without a name; tables of a study that scroll.
    run('tutorial/10_vehicle_with_controller', '--duration', '0.1', '--report', 'texts.html');
    command('compare', join(models, 'double_pendulum.yaml'), '--duration', '0.1', '--quiet', '--report', 'votes.html');
    command('study', join(models, 'simple_pendulum.yaml'), '--duration', '0.1', '--quiet', '--output', 'study.csv', '--report', 'study.html',
      '--vary', 'bodies.bob.mass=0.5,1', '--vary', 'gravity[1]=-9,-10', '--vary', 'joints.pin.initial.position=0,1', '--quantity', 'speed=max(pin.v)');
    for (const name of ['two.html', 'texts.html', 'votes.html', 'study.html'])
      for (const dark of [false, true])
        for (const width of [1440, 390]) {
          await browser.open(at(name), {dark, width});
          await page(`${script};0`);
          const found = await page(`axe.run(document).then(({violations}) => violations.map(({id, nodes}) => [id, nodes.map(({target}) => target.join(' '))]))`);
          assert.deepEqual(found, [], `${name} at ${width}`);
        }
  },

  async 'every control is reached with the Tab key'() {
    await browser.open(at('two.html'));
    const all = await page(`[...document.querySelectorAll('#motion button, #motion select, #motion input, #motion summary, #canvas')]
      .filter((e) => e.checkVisibility() && !e.disabled && e.tabIndex >= 0 && !e.closest('#channels')).length`);
    await page(`document.activeElement.blur(); window.reached = new Set(); addEventListener('focusin', ({target}) => reached.add(target))`);
    for (let k = 0; k < 260; ++k) await browser.press('Tab');
    const reached = await page(`[...document.querySelectorAll('#motion button, #motion select, #motion input, #motion summary, #canvas')]
      .filter((e) => e.checkVisibility() && !e.disabled && e.tabIndex >= 0 && !e.closest('#channels') && reached.has(e)).length`);
    assert.equal(reached, all);
  },
};

await report(tests);
