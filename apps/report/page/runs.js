// Puts the page to work.
import {Clock} from './clock.js';
import {allRuns, report, runs} from './data.js';
import {element, figure} from './format.js';
import {setUpKeyboard} from './keyboard.js';
import {setUpModel} from './model.js';
import {placedBodies} from './motion.js';
import {Picker} from './picker.js';
import {Plots, setUpModes} from './plots.js';
import {setUpPrecision} from './precision.js';
import {MechanismView} from './scene.js';
import {setUpComparison, setUpRecords} from './tables.js';
import {setUpTheme} from './theme.js';
import {setUpTransport} from './transport.js';

const find = (id) => document.getElementById(id);

function setUpHeading() {
  find('title').textContent = report.title;
  const bodies = report.mechanism?.bodies.length,
    freedom = report.mechanism?.degrees_of_freedom;
  const facts = [
    allRuns.length > 1 ? `${allRuns.length} runs` : allRuns[0].label,
    bodies && `${bodies} ${bodies === 1 ? 'body' : 'bodies'}`,
    freedom !== undefined && `${freedom} ${freedom === 1 ? 'degree' : 'degrees'} of freedom`,
    runs[0] && `${figure(runs[0].time[runs[0].rows - 1], 6)} s`,
    runs[0] ? `${runs[0].rows.toLocaleString('en')} rows` : 'no rows',
  ];
  find('summary').textContent = facts.filter(Boolean).join(' · ');
  find('origin').textContent =
    `Written by polyform ${report.polyform} on ${report.written.replace('T', ' ').replace('Z', ' UTC')}. Numbers are 64-bit, as in the result files.`;
  for (const section of document.querySelectorAll('main > section'))
    find('sections').append(
      element('a', {href: `#${section.id}`, textContent: section.querySelector('h2').textContent}),
    );
}

/** Below it, in m or rad, channels move by round-off only. */
const atRest = 1e-12;

/** What to look at first: a moving coordinate of a joint, the place of a moving body, the energy. */
function firstChannels() {
  const run = runs[0];
  const range = (name) => {
    const values = run.column(name).filter(Number.isFinite);
    return values.reduce((a, b) => Math.max(a, b), -Infinity) - values.reduce((a, b) => Math.min(a, b), Infinity);
  };
  const of = (group, components) =>
    run.channels
      .filter((c) => c.group === group && components.test(c.component))
      .slice(0, 60)
      .map((c) => c.name);
  const widest = (names) =>
    names
      .map((name) => [range(name), name])
      .filter(([moves]) => moves > atRest)
      .sort(([a], [b]) => b - a)[0]?.[1];
  const energy = runs.length > 1 ? ['energy.total'] : ['energy.kinetic', 'energy.potential', 'energy.total'];
  const turning = widest(of('joints', /^q$/)),
    moving = widest(of('bodies', /^[xyz]$/));
  return [turning, moving ?? widest(of('bodies', /^q[xyz]$/)), ...energy].filter((name) => name && run.has(name));
}

function setUpView(clock) {
  const {canvas, note} = {canvas: find('canvas'), note: find('scene-note')};
  const giveUp = (text) => {
    Object.assign(note, {hidden: false, textContent: text});
    for (const id of ['body-labels', 'joint-labels', 'grid', 'fit', 'shown', 'ghost']) find(id).disabled = true;
    return null;
  };
  const shown = runs.filter((run) => placedBodies(run).length > 0);
  if (shown.length === 0)
    return giveUp('The results have no columns of bodies, so there is nothing to draw. Run with --columns bodies.');
  let view;
  try {
    view = new MechanismView(canvas, find('labels'), clock, shown[0]);
  } catch (problem) {
    return giveUp(`This browser could not draw in 3-D: ${problem.message}`);
  }
  const options = () => shown.map((run) => new Option(run.label, run.index));
  const runOf = (select) => shown.find((run) => String(run.index) === select.value) ?? null;
  find('shown').replaceChildren(...options());
  find('ghost').replaceChildren(new Option('none', ''), ...options());
  find('shown').addEventListener('change', () => view.showRun(runOf(find('shown'))));
  find('ghost').addEventListener('change', () => view.showGhost(runOf(find('ghost'))));
  find('ghost-choice').hidden = find('shown-choice').hidden = shown.length < 2;
  const toggle = (id, apply) =>
    find(id).addEventListener('click', () => {
      const on = find(id).getAttribute('aria-pressed') !== 'true';
      find(id).setAttribute('aria-pressed', String(on));
      apply(on);
    });
  toggle('body-labels', (on) => view.toggleLabels('body', on));
  toggle('joint-labels', (on) => view.toggleLabels('joint', on));
  toggle('grid', (on) => view.toggleGround(on));
  find('fit').addEventListener('click', () => view.fit());
  return view;
}

function setUpZoom(plots) {
  find('zoom-in').addEventListener('click', () => plots.zoomBy(0.5));
  find('zoom-out').addEventListener('click', () => plots.zoomBy(2));
  find('zoom-reset').addEventListener('click', () => plots.zoomOut());
}

function setUp() {
  setUpTheme(find('theme'));
  find('print').addEventListener('click', () => window.print());
  find('help').addEventListener('click', () => find('keys').showModal());
  if (runs.length === 0)
    find('motion').replaceChildren(
      find('motion-title'),
      element('p', {className: 'card note', textContent: 'There are no rows to show: see the records below.'}),
    );
  setUpComparison(find('comparison'));
  setUpPrecision(find('precision'));
  setUpRecords(find('record'));
  setUpModel(find('model'));
  setUpHeading();
  if (runs.length === 0) return;
  const clock = new Clock();
  const plots = new Plots(find('panels'), clock);
  setUpModes(plots, find('modes'), find('reference-choice'), find('reference'), find('difference-note'));
  const picker = new Picker(find('channels'), find('search'), find('clear'), (names) => plots.show(names));
  setUpTransport(clock, find);
  const view = setUpView(clock);
  setUpZoom(plots);
  setUpKeyboard({clock, plots, view, find});
  picker.pick(firstChannels());
  // A handle for scripts and tests.
  window.polyform = {clock, plots, picker, view, runs};
}

setUp();
