// What is done with one body: its trace, the camera that follows it, its channels. A click on the drawing chooses it.
import {bodyPoints} from './body-points.js';
import {press} from './view-tools.js';

/** Gives a function that shows again what the buttons say. */
export function setUpBody(view, picker, find, changed) {
  const select = find('body'),
    points = find('point'),
    {bodies} = view.mechanism;
  select.replaceChildren(...bodies.map(({name}, b) => new Option(name, b)).filter((_, b) => view.main.motion.has(b)));
  const chosen = () => Number(select.value);
  let offered = [];
  const point = () => offered[Number(points.value)].at;
  const show = () => {
    press(find('trace'), view.traces.has(point()));
    press(find('follow'), view.followed === chosen());
  };
  const choose = (body, clicked) => {
    select.value = body;
    offered = bodyPoints(view.mechanism, view.shapes, body);
    if (clicked) offered.push({name: 'where clicked', at: clicked});
    points.replaceChildren(...offered.map(({name}, k) => new Option(name, k)));
    show();
  };
  select.onchange = () => {
    choose(chosen());
    changed();
  };
  points.onchange = show;
  find('trace').onclick = () => {
    view.toggleTrace(chosen(), point());
    show();
    changed();
  };
  find('follow').onclick = () => {
    view.follow(view.followed === chosen() ? -1 : chosen());
    show();
    changed();
  };
  find('body-channels').onclick = () => {
    find('search').value = `${bodies[chosen()].name}.*`;
    picker.show();
    find('search').scrollIntoView({block: 'nearest'});
  };
  // A click chooses, a drag turns.
  const {canvas} = view;
  let down = null;
  canvas.onpointerdown = (event) => (down = [event.offsetX, event.offsetY]);
  canvas.onpointerup = (event) => {
    if (!down || Math.hypot(event.offsetX - down[0], event.offsetY - down[1]) > 4) return;
    const hit = view.bodyAt(event.offsetX, event.offsetY);
    if (!hit) return;
    choose(hit.body, {body: hit.body, point: hit.point, ...(hit.shape && {shape: hit.shape})});
    changed();
  };
  choose(chosen());
  return show;
}
