// node test_page.mjs CHROMIUM POLYFORM MODELS FOLDER: makes reports into the folder and uses them in a headless browser.
import assert from 'node:assert/strict';
import {copyFileSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {deflateSync, inflateSync} from 'node:zlib';
import {
  accessible,
  at,
  browser,
  coloursDrawn,
  columns,
  command,
  frames,
  gapsDrawn,
  legend,
  models,
  page,
  run,
  settled,
} from './page_tools.mjs';

const tests = {
  async 'a vehicle: it is drawn, and nothing is asked of the network'() {
    run('vehicle', '--output', 'vehicle.csv', '--report', 'vehicle.html');
    const loaded = await browser.open(at('vehicle.html'));
    assert.equal(await page('document.title'), 'vehicle · Polyform report');
    assert.equal(await page('polyform.view.mechanism.bodies.length'), 13);
    assert.ok((await coloursDrawn()) > 50);
    return `loaded in ${loaded.toFixed(0)} ms`;
  },

  async 'picked values are those of the CSV file'() {
    const csv = columns('vehicle.csv');
    const names = ['chassis.z', 'chassis.qy', 'right_front_lower_pin.q', 'energy.kinetic', 'left_rear_wheel.wz'];
    await page(`polyform.picker.pick(${JSON.stringify(names)})`);
    for (const row of [0, 1, 17, 128, 250]) {
      await page(`polyform.clock.seekRow(${row})`);
      assert.deepEqual(
        (await legend()).flat(),
        names.map((name) => csv[name][row]),
      );
    }
    // Curves go through their values, not through whole pixels.
    assert.ok(await page('polyform.plots.panels.every(({plot}) => plot.series.slice(1).every(({pxAlign}) => pxAlign === 0))'));
  },

  async 'the channel picker finds, adds and removes'() {
    await page(
      `polyform.picker.pick([]); Object.assign(document.getElementById('search'), {value: 'rear wheel vz'}).dispatchEvent(new Event('input'))`,
    );
    assert.deepEqual(await page(`[...document.querySelectorAll('.chip')].map((chip) => chip.dataset.channel)`), [
      'right_rear_wheel.vz',
      'left_rear_wheel.vz',
    ]);
    for (const count of [1, 0]) {
      await page(`document.querySelector('.chip').click()`);
      assert.equal(await page(`document.querySelectorAll('.panel').length`), count);
    }
    await page(`polyform.picker.pick(['chassis.z', 'energy.total'])`);
  },

  async 'it plays: time goes on and the bodies move'() {
    await page(`polyform.clock.seekRow(0)`);
    await frames(2);
    const place = () => page('polyform.view.main.motion.matrices[0].elements[14]');
    const before = await place();
    await page(`document.getElementById('play').click()`);
    await settled('polyform.clock.time > 0.3');
    await page(`document.getElementById('play').click()`);
    await frames(2);
    assert.ok(Math.abs((await place()) - before) > 0.01);
    assert.ok(await page('polyform.runs[0].time.includes(polyform.clock.time)'), 'it stops at a row');
  },

  async 'it scrubs: slider, drawing, numbers and lines of the plots go together'() {
    await page(`Object.assign(document.getElementById('scrub'), {value: 1}).dispatchEvent(new Event('input'))`);
    await frames(2);
    const csv = columns('vehicle.csv');
    assert.equal((await legend())[0][0], csv['chassis.z'][50]);
    assert.ok(
      Math.abs((await page('polyform.view.main.motion.matrices[0].elements[14]')) - csv['chassis.z'][50]) < 1e-6,
    );
    assert.match(await page(`document.getElementById('time').textContent`), /^1\.0+ \/ 5\.0+ s$/);
    assert.equal(await page(`document.getElementById('scrub').getAttribute('aria-valuetext')`), '1 seconds');
    const [line, wanted] = await page(
      `(() => { const {plot, head} = polyform.plots.panels[0]; return [new DOMMatrix(getComputedStyle(head).transform).e, plot.valToPos(1, 'x')]; })()`,
    );
    assert.ok(Math.abs(line - wanted) < 1);
  },

  async 'the mouse: hovering shows values, a click goes there, a drag zooms all plots'() {
    await page('scrollTo(0, 0)');
    const {x, y, width} = await page(`polyform.plots.panels[0].plot.over.getBoundingClientRect().toJSON()`);
    await browser.mouse('mouseMoved', x + 0.5 * width, y + 40);
    await settled(`polyform.plots.panels[1].hovered != null`);
    assert.deepEqual(
      (await legend()).flat(),
      ['chassis.z', 'energy.total'].map((name) => columns('vehicle.csv')[name][125]),
    );
    await browser.mouse('mousePressed', x + 0.5 * width, y + 40, 1);
    await browser.mouse('mouseReleased', x + 0.5 * width, y + 40);
    await settled('Math.abs(polyform.clock.time - 2.5) < 1e-9');
    await browser.mouse('mousePressed', x + 0.2 * width, y + 40, 1);
    for (const part of [0.25, 0.3, 0.4]) await browser.mouse('mouseMoved', x + part * width, y + 40, 1);
    await browser.mouse('mouseReleased', x + 0.4 * width, y + 40);
    await settled('polyform.plots.range[1] < 4');
    for (const [min, max] of await page(
      'polyform.plots.panels.map(({plot}) => [plot.scales.x.min, plot.scales.x.max])',
    )) {
      assert.ok(Math.abs(min - 1) < 0.03 && Math.abs(max - 2) < 0.03, `${min} to ${max}`);
    }
    await browser.mouse('mouseMoved', 5, 5);
  },

  async 'the keyboard: playing, stepping, zooming, labels, focus that is seen'() {
    await page('document.activeElement.blur(); polyform.clock.seekRow(10)');
    await browser.press('ArrowRight');
    assert.equal(await page('polyform.clock.time'), columns('vehicle.csv').time[11]);
    await browser.press('ArrowLeft', {modifiers: 8});
    assert.equal(await page('polyform.clock.time'), columns('vehicle.csv').time[1]);
    await browser.press('End');
    assert.equal(await page('polyform.clock.time'), 5);
    await browser.press('Home');
    await browser.press(' ', {code: 'Space', text: ' '});
    assert.equal(await page('polyform.clock.playing'), true);
    await browser.press(' ', {code: 'Space', text: ' '});
    assert.equal(await page('polyform.clock.playing'), false);
    await browser.press('0', {text: '0'});
    assert.deepEqual(await page('polyform.plots.range'), [0, 5]);
    await browser.press('b', {text: 'b'});
    await frames(3);
    // Those that would lie on another one are not shown.
    const shown = await page(`[...document.querySelectorAll('#labels .body')].filter((label) => !label.hidden).map((label) => {
      const {left, right, top, bottom} = label.getBoundingClientRect();
      return {left, right, top: top + 2, bottom: bottom - 2};
    })`);
    assert.equal(await page(`document.querySelectorAll('#labels .body').length`), 13);
    assert.ok(shown.length > 5);
    for (const a of shown)
      for (const b of shown)
        assert.ok(a === b || a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top);
    await page(`document.getElementById('canvas').focus()`);
    const camera = await page('polyform.view.camera.position.toArray()');
    await browser.press('ArrowRight');
    assert.notDeepEqual(await page('polyform.view.camera.position.toArray()'), camera);
    await browser.press('Tab');
    assert.equal(await page('document.activeElement.id'), 'back');
    assert.equal(await page('getComputedStyle(document.activeElement).outlineStyle'), 'solid');
  },

  async 'screen readers: landmarks, names of all controls, headings of tables, time spoken when it rests'() {
    for (const landmark of ['header', 'nav[aria-label]', 'main', 'footer'])
      assert.ok(await page(`!!document.querySelector('${landmark}')`), landmark);
    assert.deepEqual(
      await page(`[...document.querySelectorAll('button, select, input')].filter((control) => !control.hidden &&
      !(control.textContent.trim() && control.tagName === 'BUTTON') && !control.getAttribute('aria-label') && !control.labels?.length).map((control) => control.outerHTML)`),
      [],
    );
    assert.ok(
      await page(
        `[...document.querySelectorAll('table')].every((table) => table.caption && [...table.querySelectorAll('thead th')].every((th) => th.scope === 'col'))`,
      ),
    );
    const nameless = (await accessible()).filter(({role, name}) => /^(image|img|canvas|figure|table|button)$/i.test(role) && !name);
    assert.deepEqual(nameless, []);
    await page('polyform.clock.seekRow(0)');
    assert.equal(await page(`document.getElementById('spoken').textContent`), 'Time 0 seconds');
    assert.equal(await page('document.documentElement.lang'), 'en');
  },

  async 'light and dark: as the system, or by the button'() {
    const background = () => page('getComputedStyle(document.body.parentElement).backgroundColor');
    assert.equal(await background(), 'rgb(244, 246, 248)');
    await page(`document.getElementById('theme').click(); document.getElementById('theme').click()`);
    assert.equal(await background(), 'rgb(14, 17, 20)');
    await browser.open(at('vehicle.html'), {dark: true});
    assert.equal(await background(), 'rgb(14, 17, 20)');
    assert.ok((await coloursDrawn()) > 50);
  },

  async 'a narrow and low window: one column, nothing wider than it, nothing cut off'() {
    await browser.open(at('vehicle.html'), {width: 390, height: 500});
    assert.ok((await page('document.documentElement.scrollWidth')) <= 390);
    const cut = (what) => page(`(() => { const e = document.querySelector('${what}'); return e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight; })()`);
    for (const what of ['#title', '#summary', '#view', '#view .bar', '.transport']) assert.ok(!(await cut(what)), `${what} is cut off`);
  },

  async 'a long path of a model and a long reason do not spoil a narrow window'() {
    const deep = join('a_folder_with_quite_a_long_name', 'another_folder_with_quite_a_long_name', 'and_one_more_of_them');
    mkdirSync(at(deep), {recursive: true});
    copyFileSync(join(models, 'flexible_pendulum.yaml'), at(join(deep, 'flexible_pendulum.yaml')));
    command('compare', at(join(deep, 'flexible_pendulum.yaml')), '--duration', '0.2', '--report', 'deep.html', '--quiet');
    await browser.open(at('deep.html'), {width: 420, height: 800});
    assert.ok((await page('document.documentElement.scrollWidth')) <= 420);
    assert.ok((await page(`document.querySelectorAll('td.long').length`)) > 0);
    const rows = await page(`[...document.querySelectorAll('#comparison tr')].map((tr) => tr.offsetHeight)`);
    assert.ok(Math.max(...rows) < 200, `a row of ${Math.max(...rows)} px`);
  },

  async 'results without rows: the page says so, and shows what the record has'() {
    run('double_pendulum', '--duration', '0.1', '--output', 'none.h5', '--report', 'none.html');
    const text = readFileSync(at('none.html'), 'utf8');
    const [whole, packed] = text.match(/id="report">([^<]*)</);
    const described = JSON.parse(inflateSync(Buffer.from(packed, 'base64')));
    described.runs[0].rows = 0;
    const again = deflateSync(JSON.stringify(described)).toString('base64');
    writeFileSync(at('none.html'), text.replace(whole, () => `id="report">${again}<`));
    await browser.open(at('none.html'));
    assert.match(await page(`document.getElementById('motion').textContent`), /There are no rows to show/);
    assert.deepEqual(await page(`[...document.querySelectorAll('nav a')].map((a) => a.textContent)`), [
      'Motion',
      'Runs',
      'Model',
    ]);
    assert.match(await page(`document.getElementById('record').textContent`), /double pendulum.*solver/s);
    assert.match(await page(`document.getElementById('summary').textContent`), /no rows/);
  },

  async 'several solvers: overlay, differences, ghost, comparison'() {
    for (const solver of ['riccati', 'cartesian', 'thompson'])
      run('ladder_1', '--solver', solver, '--duration', '2', '--step', '0.00037', '--output', `${solver}.h5`);
    command('report', 'riccati.h5', 'cartesian.h5', 'thompson.h5', '--output', 'ladder.html');
    await browser.open(at('ladder.html'));
    const channel = await page('polyform.plots.names[0]');
    assert.equal((await legend())[0].length, 3);
    await page(
      `document.querySelector('#modes [value=difference]').click(); Object.assign(document.getElementById('reference'), {value: 1}).dispatchEvent(new Event('change'))`,
    );
    await page('polyform.clock.seekRow(20)');
    const values = await page(`polyform.runs.map((run) => run.column('${channel}')[20])`);
    assert.deepEqual((await legend())[0], [values[0] - values[1], values[2] - values[1]]);
    await page(`document.querySelector('#modes [value=logarithm]').click()`);
    assert.deepEqual((await legend())[0], [values[0] - values[1], values[2] - values[1]].map(Math.abs));
    const before = await page('polyform.view.scene.children.length');
    await page(`Object.assign(document.getElementById('ghost'), {value: 1}).dispatchEvent(new Event('change'))`);
    assert.ok((await page('polyform.view.scene.children.length')) > before);
    assert.deepEqual(await page(`[...document.querySelectorAll('#comparison tbody th')].map((th) => th.textContent)`), [
      'riccati',
      'cartesian',
      'thompson',
      'riccati',
      'cartesian',
      'thompson',
    ]);
    const evaluations = await page('polyform.runs.map((run) => run.record.evaluations)');
    assert.ok(evaluations[0] > 20000 && evaluations[0] % 100 !== 0, `${evaluations[0]} would not show rounding`);
    assert.deepEqual(
      await page(`[...document.querySelectorAll('#comparison tbody tr')].slice(0, 3).map((tr) => tr.children[4].textContent)`),
      evaluations.map(String),
    );
    // Of three runs the consensus of a joint's coordinate is the value in the middle.
    await page(`Object.assign(document.getElementById('reference'), {value: 3}).dispatchEvent(new Event('change'))`);
    const middle = values.toSorted((a, b) => a - b)[1];
    assert.deepEqual((await legend())[0], values.map((value) => Math.abs(value - middle)));
  },

  async 'runs with other rows: differences at the times in common alone, and nothing after the end of a run'() {
    const rk4 = ['--solver', 'riccati', '--integrator', 'rk4', '--step', '0.01'];
    const rows = {coarse: ['0.1', '1'], other: ['0.04', '1'], short: ['0.1', '0.5']};
    for (const [name, [interval, duration]] of Object.entries(rows))
      run('double_pendulum', ...rk4, '--duration', duration, '--output-interval', interval, '--output', `${name}.h5`);
    command('report', 'coarse.h5', 'other.h5', '--output', 'rows.html');
    await browser.open(at('rows.html'));
    const farthest = `[...document.querySelectorAll('#comparison tbody tr')].map((tr) => Number(tr.children[1].title))`;
    const distances = (await page(farthest)).slice(2, 4);
    assert.equal(distances.length, 2);
    for (const distance of distances) assert.ok(distance < 1e-12, `${distance} m apart`);
    assert.match(await page(`document.getElementById('comparison').textContent`), /median of 2 runs with one vote, at the 6 times that they have in common/);
    await page(`document.querySelector('#modes [value=difference]').click()`);
    const drawn = await page(`polyform.plots.panels[0].series.map(({times, values}) => [...times, ...values])`);
    for (const [k, t] of [0, 0.2, 0.4, 0.6, 0.8, 1].entries()) {
      assert.ok(Math.abs(drawn[0][k] - t) < 1e-9);
      assert.ok(Math.abs(drawn[0][6 + k]) < 1e-12);
    }
    assert.match(await page(`document.getElementById('difference-note').textContent`), /the 6 times that all runs compared have/);
    command('report', 'coarse.h5', 'short.h5', '--output', 'ended.html');
    await browser.open(at('ended.html'));
    await page('polyform.clock.seek(0.8)');
    assert.deepEqual(
      await page(`[...polyform.plots.panels[0].rows].map(({value}) => value.textContent === '–')`),
      [false, true],
    );
    await page(`document.querySelector('#modes [value=difference]').click()`);
    assert.deepEqual(await page(`polyform.plots.panels[0].series.map(({times}) => times.length)`), [6, 6]);
  },

  async 'log |Difference|: a line has gaps where it is exactly 0, dots between two, and none where only others have rows'() {
    const rk4 = ['--integrator', 'rk4', '--step', '0.01', '--duration', '1'];
    const rows = {fine: ['riccati', '0.01'], apart: ['reduced', '0.01'], sparse: ['reduced', '0.1']};
    for (const [name, [solver, interval]] of Object.entries(rows))
      run('double_pendulum', ...rk4, '--solver', solver, '--output-interval', interval, '--output', `${name}.h5`);
    command('report', 'fine.h5', 'apart.h5', 'sparse.h5', '--output', 'zeros.html');
    await browser.open(at('zeros.html'));
    const channel = await page('polyform.plots.names[0]');
    await page(`(() => {
      const [fine, apart, sparse] = polyform.runs.map((run) => run.column('${channel}'));
      apart.forEach((_, row) => (apart[row] = fine[row] + ((row > 20 && row < 50) || (row > 50 && row < 80) ? 0 : 1e-6 * (1 + row))));
      sparse.forEach((_, row) => (sparse[row] = fine[10 * row] + ([5, 6].includes(row) ? 0 : 1e-3)));
      document.querySelector('#modes [value=logarithm]').click();
      const reference = document.getElementById('reference');
      reference.value = 0;
      reference.dispatchEvent(new Event('change'));
    })()`);
    await frames(2);
    // Of the dot in the middle, 3 or 4 px are drawn.
    for (const [series, wanted] of [
      [0, [[0.2, 0.5], [0.5, 0.8]]],
      [1, [[0.4, 0.7]]],
    ]) {
      const gaps = (await gapsDrawn(series)).filter(([from, to]) => to - from > 0.02);
      assert.equal(gaps.length, wanted.length, JSON.stringify(gaps));
      gaps.flat().forEach((x, k) => assert.ok(Math.abs(x - wanted.flat()[k]) < 0.01, JSON.stringify(gaps)));
    }
    assert.match(
      await page(`document.querySelector('.panel .zeros').textContent`),
      /^Gaps are where it is exactly 0: .* at 58 of 101 times, .* at 2 of 11 times\.$/,
    );
    await page(`document.querySelector('#modes [value=difference]').click()`);
    assert.equal(await page(`document.querySelector('.panel .zeros')`), null);
  },

  async 'a comparison with a sweep: its tables and the plot of work and precision'() {
    command(
      'compare',
      join(models, 'ladder_1.yaml'),
      '--solvers',
      'riccati,cartesian',
      '--duration',
      '1',
      '--integrator',
      'dopri5',
      '--sweep',
      'tolerance=1e-4,1e-6,1e-8',
      '--report',
      'sweep.html',
      '--quiet',
    );
    await browser.open(at('sweep.html'), {dark: true});
    assert.deepEqual(await page(`polyform.runs.map((run) => run.label)`), ['riccati', 'cartesian']);
    assert.deepEqual(
      await page(`[...document.querySelectorAll('#comparison caption')].map((caption) => caption.textContent)`),
      [
        'Cost and quality of each solver',
        'Largest deviation from the consensus, where and when',
        'Work and precision, run by run',
      ],
    );
    const places = await page(
      `[...document.querySelectorAll('#precision circle')].map((point) => [Number(point.getAttribute('cx')), Number(point.getAttribute('cy'))])`,
    );
    assert.equal(places.length, 6);
    assert.ok(places.flat().every((x) => x > 0 && x < 1440));
    assert.ok((await page(`[...document.querySelectorAll('#precision polyline')].length`)) === 2);
    const works = `[...document.querySelectorAll('#precision .axes text')].map((text) => text.textContent)`;
    assert.ok((await page(works)).includes('wall time, s'));
    await page(`{const work = document.getElementById('work'); work.value = 'evaluations'; work.dispatchEvent(new Event('change'));}`);
    assert.ok((await page(works)).includes('evaluations of the equations of motion'));
    assert.ok((await page(works)).includes('largest position error, m'));
    await page(`{const error = document.getElementById('error'); error.value = 1; error.dispatchEvent(new Event('change'));}`);
    assert.ok((await page(works)).includes('largest angle error, rad'));
    // As wide as its card, with texts of one size, in any window.
    for (const width of [1440, 390]) {
      await browser.send('Emulation.setDeviceMetricsOverride', {width, height: 800, deviceScaleFactor: 1, mobile: false});
      await frames(3);
      const [card, right, heights, ticks] = await page(`(() => {
        const right = (element) => element.getBoundingClientRect().right;
        const texts = [...document.querySelectorAll('#precision .axes text')];
        const upright = texts.filter((text) => !text.hasAttribute('transform')).map((text) => text.getBoundingClientRect());
        const marks = texts.slice(0, -2).map((text) => text.getBoundingClientRect());
        return [right(document.querySelector('#precision .card')),
          Math.max(...[...document.querySelectorAll('#precision line')].map(right)),
          upright.map(({height}) => height), marks.map(({left, right, top, bottom}) => ({left, right, top, bottom}))];
      })()`);
      assert.ok(right > card - 50 && right < card, `${right} of ${card} px`);
      assert.ok(heights.every((height) => height > 10), `texts of ${Math.min(...heights)} px`);
      assert.ok(ticks.length >= 4);
      for (const a of ticks)
        for (const b of ticks)
          assert.ok(a === b || a.right <= b.left || b.right <= a.left || a.bottom <= b.top + 2 || b.bottom <= a.top + 2);
    }
    const units = await page(`Object.fromEntries([...document.querySelectorAll('#record tbody th')].map((th) => [th.firstChild.textContent, th.querySelector('.unit')?.textContent]))`);
    assert.equal(units['output interval'], 's');
    assert.equal(units['constraint violation'], 'm or rad');
    assert.equal(units.evaluations, undefined);
  },

  async 'where positions tell nothing of precision, angles are drawn; one solver alone is told'() {
    const words = 'compare MODEL --solvers riccati --duration 0.5 --sweep tolerance=1e-4,1e-6 --report turns.html --quiet';
    command(...words.replace('MODEL', join(models, 'free_body.yaml')).split(' '));
    await browser.open(at('turns.html'));
    const works = await page(`[...document.querySelectorAll('#precision .axes text')].map((text) => text.textContent)`);
    assert.ok(works.includes('largest angle error, rad'));
    assert.equal(await page(`document.querySelector('#precision .note').textContent.includes('no error at all')`), false);
    const notes = await page(`document.querySelector('#comparison').textContent`);
    assert.ok(notes.includes('riccati is the only solver that ran'));
    assert.ok(notes.includes('not that it is right'));
  },

  async 'runs without any error stand at the bottom of the plot, and are counted'() {
    const words = 'compare MODEL --solvers riccati --duration 0.2 --integrator rk4 --sweep step=0.1,0.05 --report exact.html --quiet';
    command(...words.replace('MODEL', join(models, 'double_pendulum.yaml')).split(' '));
    const text = readFileSync(at('exact.html'), 'utf8');
    const [whole, packed] = text.match(/id="report">([^<]*)</);
    const described = JSON.parse(inflateSync(Buffer.from(packed, 'base64')));
    described.sweep.points[0].errors = [0, 0];
    const again = deflateSync(JSON.stringify(described)).toString('base64');
    writeFileSync(at('exact.html'), text.replace(whole, () => `id="report">${again}<`));
    await browser.open(at('exact.html'));
    const heights = await page(`[...document.querySelectorAll('#precision circle')].map((point) => Number(point.getAttribute('cy')))`);
    assert.equal(heights.length, 2);
    assert.ok(heights.every(Number.isFinite) && heights[0] !== heights[1]);
    assert.match(await page(`document.querySelector('#precision .note').textContent`), /no error at all: 1 of 2 runs/);
  },

  async 'all of the motion is in sight from the start, and when the window changes until someone turns it'() {
    run('four_link_flexible', '--duration', '0.5', '--report', 'sight.html');
    await browser.open(at('sight.html'));
    const inSight = `(() => {
      const {view} = polyform, {motion} = view.main, point = view.center.clone();
      view.camera.updateMatrixWorld();
      for (const time of [0, 0.25, 0.5]) {
        motion.place(time);
        for (const {ends} of view.mechanism.joints)
          for (const end of ends) {
            const {x, y} = motion.point(end, point).project(view.camera);
            if (Math.abs(x) > 1 || Math.abs(y) > 1) return false;
          }
      }
      return true;
    })()`;
    assert.ok(await page(inSight));
    await browser.send('Emulation.setDeviceMetricsOverride', {width: 500, height: 900, deviceScaleFactor: 1, mobile: false});
    await frames(3);
    assert.ok(await page(inSight));
    await page('polyform.view.zoom(0.2)');
    await browser.send('Emulation.setDeviceMetricsOverride', {width: 1400, height: 900, deviceScaleFactor: 1, mobile: false});
    await frames(3);
    assert.ok(!(await page(inSight)));
  },

  async 'a flexible beam is drawn bent'() {
    run('flexible_pendulum', '--report', 'beam.html');
    await browser.open(at('beam.html'));
    assert.ok((await page('polyform.view.mechanism.bodies[0].points.length')) > 10);
    // Its frame rests in the pin: what moves there is round-off, and not what to look at first.
    assert.ok(!(await page('polyform.plots.names')).some((name) => /^beam\.[xyz]$/.test(name)));
    const bow = await page(`(() => {
      const {motion} = polyform.view.main, {points} = polyform.view.mechanism.bodies[0];
      motion.place(0);
      const Vector = polyform.view.center.constructor;
      const line = points.toSorted((a, b) => a.point[0] - b.point[0]);
      const [a, m, b] = [line[0], line[line.length >> 1], line.at(-1)].map((at) => motion.point({body: 0, ...at}, new Vector()));
      return a.add(b).multiplyScalar(0.5).distanceTo(m);
    })()`);
    assert.ok(bow > 1e-3, `bow ${bow}`);
  },

  async '100 000 samples a channel stay fluid'() {
    run(
      'double_pendulum',
      '--duration',
      '100',
      '--output-interval',
      '0.001',
      '--integrator',
      'rk4',
      '--step',
      '0.001',
      '--report',
      'long.html',
    );
    const loaded = await browser.open(at('long.html'));
    assert.equal(await page('polyform.runs[0].rows'), 100001);
    const draws = await page(`(async () => {
      const times = [], {plots} = polyform;
      const frame = () => new Promise(requestAnimationFrame);
      for (let k = 0; k < 6; ++k) {
        const began = performance.now();
        plots.zoomBy(k % 2 ? 2 : 0.5);
        for (const {plot} of plots.panels) plot.redraw(true, true);
        await Promise.resolve();
        times.push(performance.now() - began);
        await frame();
      }
      return times.sort((a, b) => a - b);
    })()`);
    const scrubs = await page(`(() => {
      const times = [];
      for (let k = 0; k < 50; ++k) {
        const began = performance.now();
        polyform.clock.seek(2 * k);
        times.push(performance.now() - began);
      }
      return times.sort((a, b) => a - b);
    })()`);
    const panels = await page('polyform.plots.panels.length');
    const figures = `loaded in ${loaded.toFixed(0)} ms; a zoom of ${panels} plots ${draws[3].toFixed(1)} ms, a scrub ${scrubs[25].toFixed(2)} ms (medians)`;
    // On a machine that does other things: six frames for all plots, one for what a scrub does before it is drawn.
    assert.ok(draws[3] < 100 && scrubs[25] < 17, figures);
    return figures;
  },

  async 'a study: its map, distributions and influences show what the table has'() {
    command('study', join(models, 'studies', 'upright_rod.yaml'), '--quiet', '--output', 'rod.csv', '--report', 'rod-study.html');
    const loaded = await browser.open(at('rod-study.html'));
    assert.equal(await page('document.title'), 'vibrating_pivot · Polyform study');
    assert.match(await page(`document.getElementById('summary').textContent`), /^56 cases · 3 factors · 2 quantities · 0 failed$/);
    const csv = columns('rod.csv');
    const swing = await page(`[...polyform.columns.find(({name}) => name === 'swing').values]`);
    swing.forEach((x, k) => assert.ok(Math.abs(x - csv.swing[k]) <= 1e-6 * Math.abs(csv.swing[k])));
    // The speed of the pivot is the product of both factors: each has its share, and nothing else.
    const shares = await page(`polyform.columns.filter(({kind, values}) => kind === 'factor' && new Set(values).size > 1)
      .map((factor) => polyform.influence(factor, polyform.columns.at(-1)))`);
    assert.ok(shares.every((share) => share > 0.2) && shares[0] + shares[1] < 1.01, String(shares));
    assert.equal(await page(`document.getElementById('disagreement').hidden`), true);
    // Each case has a warning: how the rod starts is left open, since its factor gives a position and no velocity.
    assert.match(await page(`document.getElementById('reasons').textContent`), /leave open how some joints start to move/);
    assert.equal(await page(`document.querySelectorAll('#matrix-cells canvas').length`), 16);
    return `loaded in ${loaded.toFixed(0)} ms`;
  },

  async 'a study with several solvers tells where they part, and which cases failed'() {
    command('study', join(models, 'double_pendulum.yaml'), '--vary', 'bodies.rod1.mass=0.5,1,-1', '--vary', 'gravity[1]=-9.81,-1',
      '--vary', 'solver=riccati,cartesian', '--quantity', 'end=final(j1.q)', '--duration', '1', '--output', 'two.h5', '--quiet');
    command('report', 'two.h5');
    await browser.open(at('two.html'));
    assert.equal(await page(`document.getElementById('disagreement').hidden`), false);
    assert.equal(await page('polyform.study.groups.length'), 6);
    // Round-off, which 32 bits could not tell.
    const spreads = await page('polyform.study.groups.map(({spreads}) => spreads[0])');
    assert.equal(spreads.filter((spread) => spread === null).length, 2);
    assert.ok(spreads.every((spread) => spread === null || (spread >= 0 && spread < 1e-9)), String(spreads));
    assert.match(await page(`document.getElementById('reasons').textContent`), /the mass is negative/);
    assert.match(await page(`document.getElementById('disagreement-note').textContent`), /In 2 variants a solver failed/);
  },

  async 'a study with trajectories: fans are the quantiles of the cases, and total indices have intervals'() {
    command('study', join(models, 'studies', 'pendulum_speed.yaml'), '--quiet', '--output', 'speed.h5');
    command('report', 'speed.h5');
    await browser.open(at('speed.html'));
    assert.equal(await page(`document.getElementById('trajectories').hidden`), false);
    assert.deepEqual(await page('polyform.fans.map(({name}) => name)'), ['pin.q', 'pin.v']);
    // At the start the angles are those of the release, and all are at rest.
    const start = await page(`[...polyform.columns.find(({name}) => name === 'joints.pin.initial.position').values]`);
    const sorted = start.sort((a, b) => a - b);
    const quantiles = await page('polyform.fans[0].quantiles.map((level) => level[0])');
    [0.05, 0.25, 0.5, 0.75, 0.95].forEach((level, k) =>
      assert.ok(Math.abs(quantiles[k] - sorted[Math.round(level * (sorted.length - 1))]) < 1e-6, String(quantiles)),
    );
    assert.deepEqual(await page('polyform.fans[1].quantiles.map((level) => Math.abs(level[0]) < 1e-12)'), Array(5).fill(true));
    assert.ok((await page('polyform.fans[0].times.at(-1)')) === 1.5);
    assert.match(await page(`document.getElementById('indices').textContent`), /total 0\.000 \[0\.000, 0\.000\]/);
    await page(`(() => { const c = document.getElementById('fan-column'); c.value = 'pin.v'; c.dispatchEvent(new Event('change')); })()`);
    command('study', join(models, 'double_pendulum.yaml'), '--vary', 'bodies.rod1.mass=1,2', '--duration', '0.1', '--quantity',
      'end=final(j1.q)', '--output', 'plain.h5', '--quiet', '--report', 'plain.html');
    await browser.open(at('plain.html'));
    assert.equal(await page(`document.getElementById('trajectories').hidden`), true);
    assert.match(await page(`document.getElementById('indices').textContent`), /No total indices: .*--method saltelli/);
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    const figures = await test();
    assert.deepEqual(browser.complaints, [], 'errors in the console');
    assert.equal(
      browser.requests.filter((url) => !url.startsWith('data:')).length,
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
