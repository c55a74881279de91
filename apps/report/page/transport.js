// The controls of playback.
import {figure} from './format.js';

/** Speeds about the fitted one, and the real one. */
function speedsAbout(fitted) {
  const all = new Set([0.1, 0.2, 0.5, 1, 2, 5, 10].flatMap((m) => [m, Number((m * fitted).toPrecision(1))]));
  return [...all].sort((a, b) => a - b);
}

/** "0.5×" and how long the run then takes. */
function speedText(speed, span) {
  const takes = span / speed;
  const long = takes >= 90 ? `${figure(takes / 60, 2)} min` : `${figure(takes, 2)} s`;
  return `${figure(speed, 3)}× · ${long}`;
}

export function setUpTransport(clock, find) {
  const [play, scrub, time, speed, spoken] = ['play', 'scrub', 'time', 'speed', 'spoken'].map(find);
  const span = clock.end - clock.start;
  const digits = Math.max(0, Math.min(6, 4 - Math.ceil(Math.log10(span || 1))));
  const text = (t) => t.toFixed(digits).replace('-', '−');
  Object.assign(scrub, {min: clock.start, max: clock.end});
  speed.replaceChildren(
    ...speedsAbout(clock.speed).map((s) => new Option(speedText(s, span), s, s === clock.speed, s === clock.speed)),
  );
  find('back').addEventListener('click', () => clock.step(-1));
  find('forward').addEventListener('click', () => clock.step(1));
  play.addEventListener('click', () => clock.toggle());
  scrub.addEventListener('input', () => {
    clock.pause();
    clock.seekRow(clock.rows.nearestRow(Number(scrub.value)));
  });
  speed.addEventListener('change', () => (clock.speed = Number(speed.value)));
  let said = '';
  const show = () => {
    scrub.value = clock.time;
    scrub.style.setProperty('--done', `${span > 0 ? (100 * (clock.time - clock.start)) / span : 0}%`);
    scrub.setAttribute('aria-valuetext', `${figure(clock.time, 6)} seconds`);
    time.textContent = `${text(clock.time)} / ${text(clock.end)} s`;
    play.classList.toggle('playing', clock.playing);
    play.setAttribute('aria-label', clock.playing ? 'Pause' : 'Play');
    // Not every frame: what speaks would never end.
    const words = clock.playing ? 'Playing' : `Time ${figure(clock.time, 6)} seconds`;
    if (words !== said) spoken.textContent = said = words;
  };
  clock.onChange(show);
  show();
}
