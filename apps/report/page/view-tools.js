// The tools above and below the drawing.
import {setUpBody} from './body-tools.js';
import {report, runs} from './data.js';
import {element} from './format.js';
import {menu} from './menu.js';
import {accepted, readMesh} from './meshes.js';
import {placedBodies} from './motion.js';
import {download, fileName, makesVideo, record} from './save.js';
import {MechanismView} from './scene.js';

const buttons = ['body-labels', 'joint-labels', 'forces', 'grid', 'fit', 'shown', 'ghost', 'body', 'point', 'trace', 'follow', 'mesh', 'body-channels'];

/** Where there are no forces in the results. */
const noForces = 'The results have no reactions, contact forces or tensions. Run with --columns joints,bodies,energy,elements,reactions. ';

/** What has no arrow though the results have its forces; nothing where all have one. */
function tellMissing({any, withoutPlace: names}, place) {
  const most = 6;
  const listed = names.length > most ? [...names.slice(0, most), `${names.length - most} more`] : names;
  const text = names.length > 0 ? `No arrow for ${listed.join(', ')}: the columns tell a size, but no place or direction. ` : '';
  if (text) say(place, text);
  else if (!any) say(place, noForces);
}

function setUpRuns(view, shown, find) {
  const options = () => shown.map((run) => new Option(run.label, run.index));
  const runOf = (select) => shown.find((run) => String(run.index) === select.value) ?? null;
  find('shown').replaceChildren(...options());
  find('ghost').replaceChildren(new Option('none', ''), ...options());
  find('shown').onchange = () => view.showRun(runOf(find('shown')));
  find('ghost').onchange = () => view.showGhost(runOf(find('ghost')));
  find('ghost-choice').hidden = find('shown-choice').hidden = shown.length < 2;
}

export const pressed = (button) => button.getAttribute('aria-pressed') === 'true';
export const press = (button, on) => button.setAttribute('aria-pressed', String(on));

/** A message over the drawing, with buttons: [[text, action], …]; the last of them closes it. */
function say(note, text, actions = []) {
  const button = ([textContent, action]) => {
    const made = element('button', {type: 'button', className: 'quiet', textContent});
    made.onclick = action;
    return made;
  };
  note.replaceChildren(text, ...[...actions, ['OK', () => (note.hidden = true)]].map(button));
  note.hidden = false;
}

/** A mesh of a file in the place of the body that is chosen. It stays on this page, and goes nowhere else. */
function setUpMeshes(view, find) {
  const input = find('mesh-file'),
    note = find('scene-message');
  const tell = (body, name, triangles, unit) => {
    const other = unit === 'm' ? 'mm' : 'm';
    const take = () => {
      view.setMeshUnit(body, other);
      tell(body, name, triangles, other);
    };
    const remove = () => {
      view.showMesh(body, null);
      note.hidden = true;
    };
    say(note, `${name}: ${triangles.toLocaleString('en')} triangles, lengths in ${unit}. `, [
      [`Take ${other}`, take],
      ['Remove', remove],
    ]);
  };
  input.accept = accepted;
  find('mesh').onclick = () => input.click();
  input.onchange = async () => {
    const [file] = input.files,
      body = Number(find('body').value);
    input.value = '';
    if (!file) return;
    try {
      const {object, triangles} = await readMesh(file);
      tell(body, file.name, triangles, view.showMesh(body, object));
    } catch (problem) {
      say(note, `${problem.message} `);
    }
  };
}

/** Pictures and videos of the drawing. */
function setUpSaving(view, clock, title, find) {
  const actions = [['Picture (PNG)', async () => download(fileName(title, 'png'), await view.picture())]];
  if (makesVideo() && clock.end > clock.start)
    actions.push([
      'Video (WebM)',
      async () => {
        const note = element('p', {className: 'recording', role: 'status', textContent: 'Recording …'});
        view.canvas.parentElement.append(note);
        try {
          const film = await record(view.canvas, clock, (part) => {
            note.textContent = `Recording, ${Math.round(100 * part)} % · pause to end it here`;
          });
          download(fileName(title, 'webm'), film);
        } catch (problem) {
          find('spoken').textContent = problem.message;
        } finally {
          note.remove();
        }
      },
    ]);
  find('save-view').replaceChildren(menu('Save', 'Save the drawing', actions));
}

/** The view, or null where there is nothing to draw, or nothing to draw with. */
export function setUpView({clock, picker, find, title, changed, renderer = null}) {
  const note = find('scene-note');
  const giveUp = (text) => {
    Object.assign(note, {hidden: false, textContent: text});
    for (const id of buttons) find(id).disabled = true;
    for (const id of ['shown-choice', 'ghost-choice', 'body-bar']) find(id).hidden = true;
    return null;
  };
  const shown = runs.filter((run) => placedBodies(run).length > 0);
  if (shown.length === 0)
    return giveUp(
      report.mechanism?.bodies.length === 0
        ? 'The model has no bodies, so there is nothing to draw.'
        : 'The results have no columns of bodies, so there is nothing to draw. Run with --columns bodies.',
    );
  note.hidden = true;
  find('body-bar').hidden = false;
  for (const id of buttons) find(id).disabled = false;
  let view;
  try {
    view = new MechanismView(find('canvas'), find('labels'), clock, shown[0], renderer);
  } catch (problem) {
    return giveUp(`This browser could not draw in 3-D: ${problem.message}`);
  }
  const toggle = (id, apply) => {
    if (pressed(find(id)) !== (id === 'grid')) apply(pressed(find(id)));
    find(id).onclick = () => {
      press(find(id), !pressed(find(id)));
      apply(pressed(find(id)));
      changed();
    };
  };
  setUpRuns(view, shown, find);
  toggle('body-labels', (on) => view.toggleLabels('body', on));
  toggle('joint-labels', (on) => view.toggleLabels('joint', on));
  toggle('forces', (on) => {
    view.toggleArrows(on);
    if (on) tellMissing(view.arrows, find('scene-message'));
  });
  toggle('grid', (on) => view.toggleGround(on));
  find('fit').onclick = () => view.fit();
  view.showBody = view.onFollow = setUpBody(view, picker, find, changed);
  setUpMeshes(view, find);
  setUpSaving(view, clock, title, find);
  return view;
}
