// node test_site.mjs CHROMIUM SITE AXE: pages of the documentation in a browser, from the disk.
import assert from 'node:assert/strict';
import {existsSync, readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {Browser} from '../report/browser.mjs';

const [chromium, site, axe] = process.argv.slice(2);
const pages = [
  'index.html',
  'tutorial/04-slider-crank.html',
  'how-to/my-robot.html',
  'reference/elements/index.html',
  'reference/elements/force-spring-damper.html',
  'reference/commands/run.html',
  'reference/python-interface.html',
  'theory/riccati.html',
  'gallery/index.html',
];
const browser = new Browser(chromium);
const page = (expression) => browser.evaluate(expression);
const open = async (name, how) => {
  assert.ok(existsSync(join(site, name.split('?')[0])), `${name} is not there`);
  await browser.open(join(resolve(site), name), how);
  assert.deepEqual(browser.complaints, [], `${name}: errors in the console`);
  assert.deepEqual(browser.requests.filter((url) => !/^(file|data|blob):/.test(url)), [], `${name}: asks the network`);
};

const tests = {
  async 'pages fit their window, wide and narrow'() {
    for (const name of pages)
      for (const width of [1280, 390]) {
        await open(name, {width});
        assert.ok((await page('document.documentElement.scrollWidth')) <= width, `${name} at ${width}`);
      }
  },

  async 'axe finds nothing: contrast, names, keyboard; light and dark'() {
    if (!existsSync(axe)) return 'skipped: axe-core is not installed';
    const script = readFileSync(axe, 'utf8');
    for (const name of [...pages, 'search.html'])
      for (const [dark, width] of [[false, 1280], [true, 390]]) {
        await open(name, {dark, width});
        await page(`${script};0`);
        const found = await page(`axe.run(document, {preload: false}).then(({violations}) => violations.map(({id, nodes}) => [id, nodes.map(({target}) => target.join(' '))]))`);
        assert.deepEqual(found, [], `${name} at ${width}, ${dark ? 'dark' : 'light'}`);
      }
  },

  async 'the search finds an element'() {
    await open('search.html?q=spring-damper');
    const found = await page(`new Promise((done) => {
      const end = performance.now() + 20000;
      const look = () => {
        const links = [...document.querySelectorAll('#search-results a')].map(({href}) => href);
        links.length > 0 || performance.now() > end ? done(links) : setTimeout(look, 50);
      };
      look();
    })`);
    assert.ok(found.some((href) => href.includes('reference/elements/force-spring-damper.html')), found.join('\n'));
  },

  async 'formulas of the tutorial are set'() {
    await open('tutorial/01-rod.html');
    const [all, set] = await page(`[document.querySelectorAll('.tex').length, document.querySelectorAll('.tex .katex').length]`);
    if (!existsSync(join(site, '_static', 'katex'))) return 'skipped: KaTeX is not installed';
    assert.ok(all > 0 && set === all, `${set} of ${all}`);
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    const note = await test();
    console.log(`ok    ${name}${note ? ` (${note})` : ''}`);
  } catch (problem) {
    ++failed;
    console.log(`FAIL  ${name}\n      ${problem.message}`);
  }
}
await browser.close();
console.log(`${Object.keys(tests).length - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
