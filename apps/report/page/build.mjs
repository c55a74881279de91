// node build.mjs FOLDER PAGE NAME: puts a page together from the sources NAME.html, NAME.js and NAME.css beside this file.
// FOLDER/node_modules holds the packages of package-lock.json.
import {readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const [folder, page, name] = process.argv.slice(2);
const sources = dirname(fileURLToPath(import.meta.url));
const {buildSync} = createRequire(join(folder, 'package.json'))('esbuild');

const used = new Set();
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
    metafile: true,
  });
  for (const input of Object.keys(built.metafile.inputs)) {
    const library = /node_modules\/([^/]+)\//.exec(input);
    if (library) used.add(library[1]);
  }
  return built.outputFiles[0].text.trim().replaceAll('</script', '<\\/script');
};
const licence = (name) => {
  const at = join(folder, 'node_modules', name);
  const {version} = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'));
  const text = readFileSync(join(at, 'LICENSE'), 'utf8').replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<h3>${name} ${version}</h3>\n<pre>${text.trim()}</pre>`;
};

const parts = {
  style: `<style>${bundle(`${name}.css`)}</style>`,
  script: `<script>${bundle(`${name}.js`)}</script>`,
};
parts.licences = [...used].sort().map(licence).join('\n');
const included = (_, file) => readFileSync(join(sources, file), 'utf8').trimEnd();
const html = readFileSync(join(sources, `${name}.html`), 'utf8').replace(/<!--include (\S+)-->/g, included);
writeFileSync(
  page,
  html.replace(/<!--(style|script|licences)-->/g, (_, name) => parts[name]),
);
