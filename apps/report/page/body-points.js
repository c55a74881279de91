// Points of bodies that have a name: mass centre, joints, ends of springs and ropes, far end.
const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

/** Between a body's name and the coordinates of a point of it, in the address of the page. */
const separator = '|';

const mixed = (a, b, w) => a.map((x, k) => (1 - w) * x + w * b[k]);

/** Between two points of one body ({body, point, shape}). */
export const between = (a, b, w) => ({
  body: a.body,
  point: mixed(a.point, b.point, w),
  ...(a.shape && b.shape && {shape: mixed(a.shape, b.shape, w)}),
});

/** A point of a drawn part of a body as it is without load; own: where it is drawn, a Vector3 in axes of the body. */
export function unbent(motion, {bodies}, {ends}, body, own) {
  if (!ends || !bodies[body].points) return {body, point: own.toArray()};
  const [a, b] = ends.map((end) => motion.pointInBody(end, own.clone()));
  b.sub(a);
  return between(...ends, Math.min(1, Math.max(0, own.clone().sub(a).dot(b) / (b.lengthSq() || 1))));
}

/** A point of body b; on a flexible one it goes with the nearest place of the lines that the body is drawn as. */
export function pointOfBody({bodies}, b, point) {
  const {points = [], edges = []} = bodies[b];
  let best = {body: b, point},
    nearest = Infinity;
  for (const [from, to] of edges) {
    const [a, c] = [points[from], points[to]],
      along = a.point.map((x, k) => c.point[k] - x),
      length = along.reduce((sum, x) => sum + x * x, 0);
    const w = length > 0 ? Math.min(1, Math.max(0, along.reduce((sum, x, k) => sum + x * (point[k] - a.point[k]), 0) / length)) : 0;
    const at = between({body: b, ...a}, {body: b, ...c}, w),
      away = distance(at.point, point);
    if (away < nearest) [nearest, best] = [away, {...at, point}];
  }
  return best;
}

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
  // The frame of a flexible body is the first of its points.
  const away = points.map(({point}) => distance(point, points[0].point));
  if (points.length > 1) add('far end', {body: b, ...points[away.indexOf(Math.max(...away))]});
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
  return bodyPoints(mechanism, shapes, body).find(({at}) => distance(at.point, point) === 0)?.at ?? pointOfBody(mechanism, body, point);
}
