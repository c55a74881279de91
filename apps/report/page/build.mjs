// node build.mjs FOLDER PAGE: puts the page together from the sources beside this file. FOLDER/node_modules holds the
// packages of package-lock.json.
import {readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const [folder, page] = process.argv.slice(2);
const sources = dirname(fileURLToPath(import.meta.url));
const {buildSync} = createRequire(join(folder, 'package.json'))('esbuild');

const bundle = (entry) => {
  const built = buildSync({
    entryPoints: [join(sources, entry)],
    bundle: true,
    minify: true,
    format: 'iife',
    charset: 'utf8',
    write: false,
    target: ['es2022'],
    nodePaths: [join(folder, 'node_modules')],
    legalComments: 'none',
    logLevel: 'warning',
  });
  return built.outputFiles[0].text.trim().replaceAll('</script', '<\\/script');
};
const licence = (name) => {
  const at = join(folder, 'node_modules', name);
  const {version} = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
  const text = readFileSync(join(at, 'LICENSE'), 'utf8').replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<h3>${name} ${version}</h3>\n<pre>${text.trim()}</pre>`;
};

const parts = {
  style: `<style>${bundle('style.css')}</style>`,
  script: `<script>${bundle('main.js')}</script>`,
  licences: ['three', 'uplot', 'fflate'].map(licence).join('\n'),
};
const html = readFileSync(join(sources, 'index.html'), 'utf8');
writeFileSync(
  page,
  html.replace(/<!--(style|script|licences)-->/g, (_, name) => parts[name]),
);
