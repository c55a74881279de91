// node test_details.mjs CHROMIUM POLYFORM MODELS FOLDER: small things of a page that a reader stumbled over.
import assert from 'node:assert/strict';
import {at, browser, frames, page, report, run, settled} from './page_tools.mjs';

const type = (text) => page(`(() => { const s = document.getElementById('search'); s.value = ${JSON.stringify(text)}; s.dispatchEvent(new Event('input')); s.focus(); })()`);
const list = () => page(`document.getElementById('channels').textContent`);
const channels = () => page(`[...document.querySelectorAll('#channels [data-channel]')].map((b) => b.dataset.channel)`);
const choose = (id, value) =>
  page(`(() => { const e = document.getElementById('${id}'); e.value = ${JSON.stringify(value)}; e.dispatchEvent(new Event('change')); })()`);
const unit = (text) => page(`polyform.runs[0].unit(${JSON.stringify(text)})`);

const tests = {
  async 'a formula whose units do not fit says so before and after it is plotted'() {
    run('double_pendulum', '--report', 'two.html', '--duration', '2', '--output-interval', '0.01');
    await browser.open(at('two.html'));
    for (const [text, wanted] of [
      ['= rod1.x + j1.q', /^m and rad are added\./i],
      ['= sin(rod1.x)', /^Sin is of numbers and angles, and here of m\./],
      ['= exp(rod1.x)', /^Exp is of numbers and angles, and here of m\./],
      ['= max(rod1.x, j1.v)', /m and rad\/s are compared\./i],
      ['= 2 ^ rod1.x', /^An exponent is a number, and here it is in m\./],
    ]) {
      await type(text);
      assert.match(await list(), wanted);
      await browser.press('Enter', {text: '\r'});
      assert.ok((await page('polyform.plots.names')).includes(text));
      assert.match(await list(), new RegExp(wanted.source.replace('^', ''), 'i'));
    }
    for (const text of ['= rod1.x - rod2.x', '= sin(j1.q)', '= rod1.x + 1', '= exp(-j1.q)', '= hypot(rod1.vx, rod1.vz)', '= 2 * rod1.x', '= atan2(rod1.x, rod1.z)']) {
      await type(text);
      assert.match(await list(), /^(In \S+\. )?Plot it or press Enter\.$/, text);
    }
    assert.equal(await unit('= rod1.x + 1'), 'm');
    assert.equal(await unit('= -rod1.x'), 'm');
    // Signs as the pages print them.
    assert.deepEqual(
      await page(`['= rod1.x − rod2.x', '= 2 · rod1.x', '= 2 × rod1.x'].map((f) => polyform.runs[0].column(f)[7])`),
      await page(`['= rod1.x - rod2.x', '= 2 * rod1.x', '= 2 * rod1.x'].map((f) => polyform.runs[0].column(f)[7])`),
    );
  },

  async 'the search takes a list with commas, as --columns does'() {
    await type('*.q,energy.total');
    assert.deepEqual((await channels()).sort(), ['energy.total', 'j1.q', 'j2.q']);
    await type('j1.q,');
    assert.deepEqual(await channels(), ['j1.q']);
    await type('');
  },

  async 'the last number of an axis has its unit, on the page and in pictures; Save stands at the right of all plots'() {
    await page(`polyform.picker.pick(['j1.q', 'j2.q'])`);
    const axis = () => page(`polyform.plots.panels.map(({plot}) => plot.axes[0]._values.filter(Boolean).at(-1))`);
    await frames(2);
    for (const [over, wanted] of [['time', 's'], ['frequency', 'Hz'], ['j2.q', 'rad']]) {
      await choose('over', over);
      await frames(2);
      for (const text of await axis()) assert.match(text, new RegExp(`\\d ${wanted}$`));
      assert.ok(await page(`polyform.plots.panels[0].svg().includes(' ${wanted}</text>')`), over);
      const left = await page(`(() => { const f = document.querySelector('.panel').getBoundingClientRect(), s = document.querySelector('.panel .menu').getBoundingClientRect(); return f.right - s.right; })()`);
      assert.ok(left >= 0 && left < 40, `${over}: ${left} px`);
    }
    await choose('over', 'time');
  },

  async 'the address keeps the stretch of time and the body'() {
    await page('polyform.plots.zoom([0.5, 1.25])');
    await choose('body', '1');
    await settled(`location.hash.includes('zoom=0.5%2C1.25') && location.hash.includes('body=rod2')`);
    const hash = await page('location.hash');
    await browser.open(`${at('two.html')}${hash}`);
    assert.deepEqual(await page(`[polyform.plots.range, document.getElementById('body').selectedOptions[0].textContent]`), [[0.5, 1.25], 'rod2']);
    assert.deepEqual(await page(`(() => { const {min, max} = polyform.plots.panels[0].plot.scales.x; return [min, max]; })()`), [0.5, 1.25]);
  },

  async 'links are as large as fingers at 390 px; at 1024 px title and summary are whole'() {
    run('rubber_mounts', '--report', 'mounts.html', '--duration', '0.1');
    await browser.open(at('mounts.html'), {width: 390, height: 800});
    await page(`document.querySelector('.skip').focus()`);
    const small = await page(`[...document.querySelectorAll('nav a, .skip')].map((e) => [e.textContent, e.getBoundingClientRect()]).filter(([, {width, height}]) => width < 43.5 || height < 43.5).map(([text, {width, height}]) => [text, width, height])`);
    assert.deepEqual(small, []);
    await browser.open(at('mounts.html'), {width: 1024, height: 768});
    assert.deepEqual(await page(`['title', 'summary'].map((id) => document.getElementById(id)).filter((e) => e.scrollWidth > e.clientWidth).map(({textContent}) => textContent)`), []);
    const [bottom, top] = await page(`[document.querySelector('.heading').getBoundingClientRect().bottom, document.querySelector('.top').getBoundingClientRect().bottom]`);
    assert.ok(bottom <= top, `${bottom} of ${top}`);
  },
};
await report(tests);
