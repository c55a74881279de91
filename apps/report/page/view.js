// The page of `polyform view`: it follows a model file and its run by the messages of the server (live_work.hpp).
import {runs, showLive} from './data.js';
import {firstChannels} from './first-channels.js';
import {figure} from './format.js';
import {setUpKeyboard} from './keyboard.js';
import {LiveClock} from './live-clock.js';
import {Parameters, showMessages} from './live-panels.js';
import {Picker} from './picker.js';
import {Plots, setUpModes, setUpOver} from './plots.js';
import {Push} from './push.js';
import {LiveRun} from './run.js';
import {fileName} from './save.js';
import {setUpTheme} from './theme.js';
import {press, pressed, setUpView} from './view-tools.js';

const find = (id) => document.getElementById(id);
const plotsEvery = 120,
  slowlyEvery = 500; // ms
/** Rows after which the first plots are chosen. */
const firstChoice = 60;
const speeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

const socket = new WebSocket(`ws://${location.host}/live${location.search}`);
socket.binaryType = 'arraybuffer';
const send = (message) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message));
const restart = () => send({do: 'restart'});

/** What is shown of one model: it is made anew when the model changes. */
let shown = null;
/** A model whose first row has not come. */
let coming = null;
let renderer = null;
let picked = null;

const parameters = new Parameters(
  find('parameters'),
  find('sliders'),
  find('reset'),
  (name, value) => send({do: 'set', name, value}),
  () => send({do: 'reset'}),
);

/** What goes on, in the header. */
function say(text) {
  if (find('summary').textContent !== text) find('summary').textContent = text;
}

/** A step that takes longer than this is told (s). */
const longStep = 2;

/** A run that goes on: whether it waits, and for what. */
function sayRunning(now) {
  const {running, heard, clock} = coming ?? shown ?? {};
  if (!running || clock?.hasEnded) return;
  const waiting = (now - heard) / 1000;
  const every = 5; // s, as what is said is read aloud
  const state =
    clock?.playing === false
      ? 'paused'
      : waiting > longStep
        ? `slow steps: the one ${clock ? `after t = ${figure(clock.end, 6)} s` : 'at the start'} has taken more than ${Math.max(longStep, every * Math.floor(waiting / every))} s`
        : 'running';
  say(`${running} · ${state}`);
}

/** The plots that the report of the run would show, as long as nobody has picked others. */
function choosePlots() {
  const {run, plots, picker} = shown;
  if (plots.names.join() !== shown.chosen.join()) return;
  shown.choosesAt = 2 * run.rows;
  const names = firstChannels();
  if (names.join() === shown.chosen.join()) return;
  shown.chosen = names;
  picker.pick(names, true);
}

/** Before anything has moved: a few coordinates of joints, and the energy. */
function firstOf(run) {
  const joints = run.channels.filter(({group, component}) => group === 'joints' && component === 'q').slice(0, 2);
  const bodies = run.channels.filter(({group, component}) => group === 'bodies' && component === 'z').slice(0, 1);
  return [...(joints.length > 0 ? joints : bodies).map(({name}) => name), 'energy.total'].filter((name) => run.has(name));
}

function setUpTransport(clock, description) {
  const [scrub, time, speed, play] = ['scrub', 'time', 'speed', 'play'].map(find);
  const all = [...new Set([...speeds, description.speed])].sort((a, b) => a - b);
  const chosen = speed.value && speed.dataset.chosen ? speed.value : String(description.speed);
  speed.replaceChildren(
    ...all.map((s) => new Option(`${figure(s, 3)}×`, String(s))),
    new Option('full speed', 'null'),
  );
  speed.value = chosen;
  speed.onchange = () => {
    speed.dataset.chosen = 'yes';
    send({do: 'speed', value: JSON.parse(speed.value)});
  };
  find('back').onclick = () => clock.step(-1);
  find('forward').onclick = () => clock.step(1);
  play.onclick = () => clock.toggle();
  scrub.oninput = () => clock.seek(Number(scrub.value));
  clock.onChange(() => {
    Object.assign(scrub, {min: clock.start, max: clock.end, value: clock.time});
    const span = clock.end - clock.start;
    scrub.style.setProperty('--done', `${span > 0 ? (100 * (clock.time - clock.start)) / span : 100}%`);
    scrub.setAttribute('aria-valuetext', `${figure(clock.time, 5)} seconds`);
    time.textContent = `${clock.time.toFixed(3).replace('-', '−')} s`;
    play.classList.toggle('playing', clock.playing);
    play.setAttribute('aria-label', clock.playing ? 'Pause' : 'Play');
  });
}

function remove() {
  if (!shown) return null;
  const {view, plots, off} = shown;
  picked = plots.names.join() === shown.chosen.join() ? null : plots.names;
  const camera = view && !view.fitted ? {position: view.camera.position.clone(), target: view.controls.target.clone()} : null;
  renderer ??= view?.renderer;
  view?.dispose();
  plots.dispose();
  off.abort();
  shown = null;
  return camera;
}

function described({solver, mechanism: {bodies, degrees_of_freedom: freedom}}) {
  return `${solver} · ${bodies.length} ${bodies.length === 1 ? 'body' : 'bodies'} · ${freedom} ${freedom === 1 ? 'degree' : 'degrees'} of freedom`;
}

/** The first rows of a model have come. */
function show(description, run) {
  const camera = remove();
  showLive(description, run);
  const off = new AbortController();
  const clock = new LiveClock(run, (go) => send({do: 'pause', value: !go}), restart);
  const plots = new Plots(find('panels'), clock);
  setUpModes(plots, find('modes'), find('reference-choice'), find('reference'), find('difference-note'));
  const setOver = setUpOver(plots, find('over'), find('over-note'));
  find('search').value = '';
  const picker = new Picker(find('channels'), find('search'), find('clear'), (names, quietly) => plots.show(names, quietly), off.signal);
  setUpTransport(clock, description);
  const view = setUpView({clock, picker, find, title: description.title, changed: () => {}, renderer});
  for (const [id, act] of [
    ['zoom-in', () => plots.zoomBy(0.5)],
    ['zoom-out', () => plots.zoomBy(2)],
    ['zoom-reset', () => plots.zoomOut()],
    ['save-all', () => plots.save(fileName(description.title, 'csv').replace(/\.csv$/, ''))],
  ])
    find(id).onclick = act;
  setUpKeyboard({clock, plots, view, find, more: {p: () => find('push').click()}, signal: off.signal});
  setOver('time');
  const chosen = firstOf(run);
  picker.pick(picked ? picked.filter((name) => run.has(name)) : chosen);
  if (view && camera) {
    view.camera.position.copy(camera.position);
    view.controls.target.copy(camera.target);
    view.fitted = false;
    view.controls.update();
  }
  shown = {description, run, clock, plots, picker, view, off, plotted: 0, slowly: 0, dirty: true, chosen, choosesAt: firstChoice};
  Object.assign(shown, {running: described(description), heard: performance.now()});
  if (view) setUpPush(shown);
  find('push').disabled = !view || !description.can_push;
  window.polyform = {...shown, runs, send};
}

/** With the button or Shift, a drag pushes. */
function setUpPush({view, description, off}) {
  const mass = description.mechanism.bodies.reduce((sum, body) => sum + body.mass, 0);
  const gravity = Math.hypot(...description.mechanism.gravity) || 9.81;
  const {canvas} = view,
    push = new Push(view);
  let waiting = false;
  const tell = () => {
    if (waiting || !push.isOn) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      if (!push.isOn) return;
      send({do: 'push', ...push.now()});
      tell(); // the body moves, and the force with it
    }, 33);
  };
  const signal = {signal: off.signal, capture: true};
  canvas.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button !== 0 || !(event.shiftKey || pressed(find('push'))) || !description.can_push) return;
      if (!push.begin(event.offsetX, event.offsetY, 6 * mass * gravity)) return;
      event.stopImmediatePropagation();
      canvas.setPointerCapture(event.pointerId);
      tell();
    },
    signal,
  );
  canvas.addEventListener('pointermove', (event) => push.isOn && push.move(event.offsetX, event.offsetY), signal);
  const end = () => {
    if (!push.isOn) return;
    push.end();
    send({do: 'release'});
  };
  for (const kind of ['pointerup', 'pointercancel', 'lostpointercapture']) canvas.addEventListener(kind, end, signal);
}

const hear = {
  start() {
    coming = null;
    if (shown) shown.running = null;
    say('Reading the model …');
  },
  model(description) {
    coming = {
      description,
      run: new LiveRun(description.solver, description.columns),
      running: described(description),
      heard: performance.now(),
    };
    find('title').textContent = description.title;
    document.title = `${description.title} · Polyform view`;
    find('origin').textContent = `Follows ${description.file}.`;
    parameters.show(description.parameters);
    showMessages(find('errors'), description.messages);
    document.body.classList.remove('stale');
    sayRunning(performance.now());
  },
  errors({messages}) {
    coming = null;
    document.body.classList.add('stale');
    showMessages(find('errors'), messages);
    say('The model has errors; what is drawn is how it was before.');
  },
  end({status, failure, remedy, warnings = [], time}) {
    if (coming) coming.running = null;
    const messages = warnings.map((message) => ({severity: 'warning', message}));
    if (failure) messages.unshift({severity: 'error', message: failure, remedy});
    if (messages.length > 0) showMessages(find('errors'), messages);
    // Of the reason its first line; all of it is below.
    say(failure ? `The run has failed: ${failure.split('\n')[0]}` : `The run has ${status === 'done' ? 'come to its end' : 'been stopped'} at ${figure(time, 6)} s.`);
    if (shown) {
      if (!coming && shown.run.rows > 1) choosePlots();
      Object.assign(shown.clock, {playing: false, hasEnded: true});
      shown.clock.tell();
    }
  },
};

function takeRows(numbers) {
  if (coming) {
    const {description, run} = coming;
    run.append(numbers);
    coming = null;
    show(description, run);
  } else if (shown) {
    shown.run.append(numbers);
    Object.assign(shown, {dirty: true, heard: performance.now()});
  }
}

socket.addEventListener('message', ({data}) => {
  if (typeof data !== 'string') return takeRows(new Float64Array(data));
  const message = JSON.parse(data);
  hear[message.type]?.(message);
});
socket.addEventListener('close', () => {
  coming = null;
  if (shown) shown.running = null;
  say('polyform view has ended; what was shown stays here.');
  document.body.classList.add('stale');
});

function frame(now) {
  requestAnimationFrame(frame); // first, so that an error in one picture does not end them all
  sayRunning(now);
  if (shown?.dirty) {
    shown.dirty = false;
    const {clock, view, plots} = shown;
    clock.refresh();
    view?.refresh();
    if (now - shown.slowly > slowlyEvery) {
      shown.slowly = now;
      view?.refreshSlowly();
    }
    if (now - shown.plotted > plotsEvery) {
      shown.plotted = now;
      if (shown.run.rows >= shown.choosesAt) choosePlots();
      plots.refresh();
    }
    clock.tell();
  }
}

setUpTheme(find('theme'));
find('help').addEventListener('click', () => find('keys').showModal());
find('restart').addEventListener('click', restart);
find('push').addEventListener('click', () => {
  press(find('push'), !pressed(find('push')));
  find('canvas').classList.toggle('pushes', pressed(find('push')));
});
requestAnimationFrame(frame);
