// Puts the page to work.
import {Address} from './address.js';
import {Clock} from './clock.js';
import {allRuns, readReport, report, runs} from './data.js';
import {firstChannels} from './first-channels.js';
import {element, figure} from './format.js';
import {setUpKeyboard} from './keyboard.js';
import {setUpModel} from './model.js';
import {Picker} from './picker.js';
import {Plots, setUpModes, setUpOver} from './plots.js';
import {setUpPrecision} from './precision.js';
import {fileName} from './save.js';
import {setUpComparison, setUpRecords} from './tables.js';
import {setUpTheme} from './theme.js';
import {setUpTransport} from './transport.js';
import {setUpView} from './view-tools.js';

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

function setUpZoom(plots) {
  find('zoom-in').addEventListener('click', () => plots.zoomBy(0.5));
  find('zoom-out').addEventListener('click', () => plots.zoomBy(2));
  find('zoom-reset').addEventListener('click', () => plots.zoomOut());
}

function setUp() {
  readReport();
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
  const setMode = setUpModes(plots, find('modes'), find('reference-choice'), find('reference'), find('difference-note'));
  const setOver = setUpOver(plots, find('over'), find('over-note'));
  const picker = new Picker(find('channels'), find('search'), find('clear'), (names) => plots.show(names));
  setUpTransport(clock, find);
  let address = null;
  const view = setUpView({clock, picker, find, title: report.title, changed: () => address?.write()});
  setUpZoom(plots);
  find('save-all').addEventListener('click', () => plots.save(fileName(report.title, 'csv').replace(/\.csv$/, '')));
  setUpKeyboard({clock, plots, view, find});
  address = new Address({clock, plots, picker, view, find, setMode, setOver});
  if (!address.read()) picker.pick(firstChannels());
  address.follow();
  // A handle for scripts and tests.
  window.polyform = {clock, plots, picker, view, runs};
}

setUp();
