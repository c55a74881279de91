// Pictures of reports. Usage: node pictures.mjs CHROMIUM LIST
// LIST is a JSON file: [{page, png, width, height, at, dark, frames, of}]. `page` is a report, `at` the part of its duration
// to show, from 0 to 1. With `frames` the drawing of the mechanism alone is taken that many times over the duration, as
// png.0.png, png.1.png and so on. `of`: "page" (all in sight) or "mechanism".
import {readFileSync, writeFileSync} from 'node:fs';
import {resolve} from 'node:path';
import {Browser} from '../../../../tests/report/browser.mjs';

const [chromium, list] = process.argv.slice(2);

/** The drawing of the mechanism fills the window; all else is hidden. */
const alone = `(() => {
  const style = document.createElement('style');
  style.textContent = 'body{overflow:hidden} #view{position:fixed!important;inset:0;height:100vh!important;width:100vw;z-index:99;border:0!important;border-radius:0!important} #view .bar,#view .transport{display:none!important} .scene{min-height:0!important}';
  document.head.append(style);
})()`;
const settle = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

const seek = (part) =>
  `(() => { const {clock, view} = polyform; clock.seek(clock.start + ${part} * (clock.end - clock.start)); view?.draw?.(); })()`;

/**
 * A single body that goes much farther than its own size would be a dot: the camera goes with it, nearer by. Where a
 * shorter way makes it small, the line of its way is drawn. The page does the rest of this by itself.
 */
const accompany = `(() => {
  const {view} = polyform;
  const {whole, carried, body, travels} = view?.sweep ?? {};
  if (!view?.fitted || travels || !(body >= 0) || view.mechanism.bodies.length > 1) return;
  const ratio = whole.radius / carried.radius;
  if (ratio > 2.5) view.toggleTrace(body);
  if (ratio < 25) return;
  view.sweep.travels = true;
  view.goWithTravel();
  view.fit();
})()`;

const browser = new Browser(chromium);
let failed = 0;
for (const job of JSON.parse(readFileSync(list, 'utf8'))) {
  try {
    await browser.open(resolve(job.page), {width: job.width, height: job.height, dark: job.dark});
    if (job.of === 'mechanism') {
      await browser.evaluate(alone);
      await browser.evaluate(settle);
      await browser.evaluate('polyform.view?.resize?.(); polyform.view?.fit?.()');
      await browser.evaluate(accompany);
    }
    const parts = job.frames ? Array.from({length: job.frames}, (_, k) => k / job.frames) : [job.at ?? 0.3];
    for (const [k, part] of parts.entries()) {
      await browser.evaluate(seek(part));
      await browser.evaluate(settle);
      writeFileSync(job.frames ? `${job.png}.${k}.png` : job.png, await browser.screenshot());
    }
  } catch (problem) {
    failed += 1;
    console.error(`${job.page}: ${problem.message}`);
  }
}
await browser.close();
process.exitCode = failed ? 1 : 0;
