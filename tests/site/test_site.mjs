// node test_site.mjs CHROMIUM PAGES AXE: opens the documentation site from the disk in a headless browser, and uses it.
// Most pages are made alike: one in eight of them is opened, and one of each kind. With ALL_PAGES=1 all of them are.
import assert from 'node:assert/strict';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join, relative} from 'node:path';
import {Browser} from '../report/browser.mjs';

const [chromium, folder, axe] = process.argv.slice(2);
if (!existsSync(join(folder, 'index.html'))) {
  console.log('skipped: the site was not built');
  process.exit(0);
}
const browser = new Browser(chromium);
const page = (expression) => browser.evaluate(expression);
const open = (name, how) => browser.open(join(folder, name), how);
/** Until a condition holds, also across pages. */
async function settled(condition) {
  for (const end = performance.now() + 30000; performance.now() < end; ) {
    if (await page(`Boolean(${condition})`).catch(() => false)) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.fail(`never: ${condition}`);
}
const pages = readdirSync(folder, {recursive: true, withFileTypes: true})
  .filter((entry) => entry.isFile() && entry.name.endsWith('.html'))
  .map((entry) => relative(folder, join(entry.path ?? entry.parentPath, entry.name)))
  .filter((name) => !name.startsWith('_'))
  .sort();
// One of each kind, and those that have parts of their own.
const kinds = [
  'index.html', 'tutorial/index.html', 'tutorial/01-rod.html', 'tutorial/05-driven-crank.html', 'how-to/my-robot.html',
  'reference/commands.html', 'reference/model-file.html', 'reference/elements/index.html', 'theory/index.html', 'theory/riccati.html',
  'gallery/index.html', 'gallery/vehicle.html', 'numerics.html', 'changes.html', 'search.html',
].filter((name) => pages.includes(name));

const every = Boolean(process.env.ALL_PAGES);

/** Types a word into the field of the search, as a reader does, and gives the titles of what is found. */
async function search(word) {
  await page(`document.querySelector('.sidebar-search').focus()`);
  for (const letter of word) await browser.press(letter, {text: letter});
  await browser.press('Enter', {text: '\r'});
  await settled(`location.pathname.endsWith('search.html') && /[?&]q=/.test(location.search) && document.readyState === 'complete'
    && /search finished|did not match|found \d+/i.test(document.querySelector('#search-results')?.textContent ?? '')`);
  return page(`[...document.querySelectorAll('#search-results .search li a')].map((a) => a.textContent)`);
}
const ground = () =>
  page(`getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((sum, x) => sum + Number(x), 0) / 3`);
const toggle = () => page(`[...document.querySelectorAll('.theme-toggle')].find((button) => button.checkVisibility()).click()`);
const visible = (selector) =>
  page(`(() => { const e = document.querySelector('${selector}'), {left, right} = e.getBoundingClientRect();
    return e.checkVisibility({checkVisibilityCSS: true}) && right > 0 && left < innerWidth; })()`);

/** Presses the Tab key until the focus is where the condition holds for `e`; all on the way must be in sight. */
async function tabTo(condition, most = 40) {
  for (let k = 1; k <= most; ++k) {
    await browser.press('Tab');
    const [there, seen, what] = await page(`new Promise((done) => setTimeout(() => {
      const e = document.activeElement, {left, right, top, bottom} = e.getBoundingClientRect();
      const shown = getComputedStyle(e);
      done([Boolean(${condition}), e === document.body || (right > 0 && left < innerWidth && bottom > 0 && top < innerHeight && shown.visibility === 'visible'), e.outerHTML.slice(0, 120)]);
    }, 60))`);
    assert.ok(seen, `the focus is out of sight: ${what}`);
    if (there) return k;
  }
  assert.fail(`not reached by the Tab key: ${condition}`);
}

const tests = {
  async 'every page opens from the disk, without a word on the console, and is no wider than a telephone'() {
    assert.ok(pages.length > 60, `${pages.length} pages`);
    const wrong = [];
    const opened = pages.filter((name, k) => every || k % 8 === 0 || kinds.includes(name));
    for (const name of opened) {
      await open(name, {width: 390, height: 844});
      const [title, wide] = await page(`[document.querySelector('h1')?.textContent, document.documentElement.scrollWidth]`);
      if (!title) wrong.push(`${name} has no heading`);
      if (wide > 390) wrong.push(`${name} is ${wide} px wide`);
      wrong.push(...browser.complaints.map((complaint) => `${name}: ${complaint}`));
      wrong.push(...browser.requests.filter((url) => !/^(file|data|blob):/.test(url)).map((url) => `${name} asks for ${url}`));
      wrong.push(...(await page(`[...document.images].filter((i) => i.complete && !i.naturalWidth && i.loading !== 'lazy').map((i) => i.src)`)).map((src) => `${name}: no picture ${src}`));
    }
    assert.deepEqual(wrong, []);
    return `${opened.length} of ${pages.length} pages`;
  },

  async 'no line of code is cut: models and commands of the tutorial go on below'() {
    for (const name of pages.filter((one) => one.startsWith('tutorial/'))) {
      await open(name, {width: 1440});
      const cut = await page(`[...document.querySelectorAll('article .highlight pre')].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent.slice(0, 60))`);
      assert.deepEqual(cut, [], name);
    }
  },

  async 'formulas are set'() {
    await open('tutorial/01-rod.html');
    assert.ok((await page(`document.querySelectorAll('.tex .katex').length`)) > 1 || (await page('typeof katex')) === 'undefined');
  },

  async 'the search finds what the site has, and says so where it has nothing'() {
    await open('index.html');
    const found = await search('slider');
    assert.ok(found.some((title) => /slider-crank/i.test(title)), found.join(', '));
    await page(`[...document.querySelectorAll('#search-results .search li a')].find((a) => /slider-crank/i.test(a.textContent)).click()`);
    await settled(`!location.pathname.endsWith('search.html') && document.querySelector('h1')`);
    for (const word of ['hunt-crossley', 'quaternion', 'prescribed-motion', '--rtol']) {
      await open('tutorial/01-rod.html');
      assert.notDeepEqual(await search(word), [], word);
    }
    await open('index.html');
    assert.deepEqual(await search('xyzzyplugh'), []);
  },

  async 'dark mode follows the system, and the button; the choice is kept from page to page'() {
    await open('index.html', {dark: true});
    assert.ok((await ground()) < 60);
    await open('index.html', {dark: false});
    assert.ok((await ground()) > 200);
    await toggle();
    assert.ok((await ground()) < 60);
    assert.deepEqual(browser.told, [], 'messages on the console');
    await open('theory/index.html', {dark: false});
    assert.ok((await ground()) < 60);
    await toggle();
    assert.ok((await ground()) > 200);
    await page(`localStorage.removeItem('theme')`);
  },

  async 'the Tab key reaches text, search, colours and lists in any width, and never what is out of sight'() {
    for (const width of [1440, 1024, 390]) {
      await open('tutorial/05-driven-crank.html', {width, height: 844});
      assert.equal(await tabTo(`e.classList.contains('skip')`, 1), 1);
      await browser.press('Enter', {text: '\r'});
      await tabTo(`e.closest('article') && e.matches('a')`, 8);
      await open('tutorial/05-driven-crank.html', {width, height: 844});
      if (width < 1072) {
        assert.equal(await visible('.sidebar-drawer'), false);
        await tabTo(`e.matches('button.nav-overlay-icon')`);
        await browser.press('Enter', {text: '\r'});
        await settled(`document.activeElement.closest('.sidebar-drawer')`);
        assert.equal(await visible('.sidebar-drawer'), true);
        await tabTo(`e.matches('.sidebar-search')`, 4);
        await browser.press('Escape');
        await settled(`document.activeElement.matches('button.nav-overlay-icon')`);
        assert.equal(await visible('.sidebar-drawer'), false);
        await tabTo(`e.matches('button.toc-header-icon')`);
        await browser.press(' ', {text: ' '});
        await settled(`document.activeElement.closest('.toc-drawer')`);
        await browser.press('Escape');
      } else {
        await tabTo(`e.matches('.toctree-checkbox')`);
        const before = await page('document.activeElement.checked');
        await browser.press('Enter', {text: '\r'});
        assert.equal(await page('document.activeElement.checked'), !before);
        await open('tutorial/05-driven-crank.html', {width, height: 844});
        await tabTo(`e.matches('.sidebar-search')`);
        await tabTo(`e.matches('.theme-toggle')`, 80);
      }
    }
  },

  async 'axe finds nothing, in light and dark, wide and narrow'() {
    if (!existsSync(axe)) return 'skipped: axe-core is not installed';
    const wrong = [], script = readFileSync(axe, 'utf8');
    const looked = kinds.filter((name, k) => every || k % 2 === 0);
    for (const name of looked)
      for (const [width, dark] of [[1440, false], [390, true]]) {
        await open(name, {width, height: 844, dark});
        await page(`${script};0`);
        const found = await page(`axe.run(document, {preload: false}).then(({violations}) => violations.map(({id, nodes}) => id + ' ' + nodes.slice(0, 5).map(({target}) => target.join(' ')).join(' | ')))`);
        wrong.push(...found.map((problem) => `${name}, ${width} px, ${dark ? 'dark' : 'light'}: ${problem}`));
      }
    assert.deepEqual(wrong, []);
    return `${looked.length} pages`;
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    const figures = await test();
    assert.deepEqual(browser.complaints, [], 'errors in the console');
    console.log(`ok    ${name}${figures ? ` (${figures})` : ''}`);
  } catch (problem) {
    ++failed;
    console.log(`FAIL  ${name}\n      ${problem.message}`);
  }
}
await browser.close();
console.log(`${Object.keys(tests).length - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
