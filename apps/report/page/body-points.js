// Points of bodies that have a name: mass centre, joints, ends of springs and ropes, far end.
const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

/** Between a body's name and the coordinates of a point of it, in the address of the page. */
const separator = '|';

/** Points of body b of a mechanism: [{name, at: {body, point, shape}}], the mass centre first, none twice. */
export function bodyPoints({bodies, joints, forces = []}, shapes, b) {
  const {center, points = []} = bodies[b];
  const found = [{name: 'mass centre', at: {body: b, point: center}}];
  const add = (name, at) => {
    const near = 1e-9 * (1 + shapes.size);
    if (!found.some((other) => distance(other.at.point, at.point) <= near)) found.push({name, at});
  };
  for (const {name, ends = [], freedom} of [...joints, ...forces])
    if (freedom !== 'all') for (const end of ends) if (end.body === b) add(name, end);
  const [link] = shapes.links(b);
  if (link) add('far end', {body: b, point: link[1]});
  if (points.length > 1) add('far end', {body: b, ...points.at(-1)});
  return found;
}

/** A point of a body as the address has it: its name alone for the mass centre. */
export const pointText = ({bodies}, {body, point}) =>
  distance(point, bodies[body].center) === 0 ? bodies[body].name : `${bodies[body].name}${separator}${point.join()}`;

/** The point of such a text, or null. */
export function pointOfText(mechanism, shapes, text) {
  const whole = mechanism.bodies.findIndex(({name}) => name === text);
  if (whole >= 0) return {body: whole, point: mechanism.bodies[whole].center};
  const end = text.lastIndexOf(separator),
    body = mechanism.bodies.findIndex(({name}) => name === text.slice(0, end)),
    point = text.slice(end + 1).split(',').map(Number);
  if (end < 0 || body < 0 || point.length !== 3 || !point.every(Number.isFinite)) return null;
  // The named one, which knows how a flexible body moves it.
  return bodyPoints(mechanism, shapes, body).find(({at}) => distance(at.point, point) === 0)?.at ?? {body, point};
}
