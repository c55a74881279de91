// Which forces and moments the results tell, and where they act.
import {Quaternion, Vector3} from 'three';

const axes = ['x', 'y', 'z'];

const named = (object, letter) => axes.map((axis) => `${object}.${letter}${axis}`);
const hasAll = (run, names) => names.every((name) => run.has(name));
const columnsOf = (run, object, letter) => named(object, letter).map((name) => run.column(name));

/** Elements that tell the point at which they push. */
const touching = (run) =>
  [...new Set(run.channels.filter(({group, component}) => group === 'elements' && component === 'px').map(({object}) => object))].filter(
    (name) => hasAll(run, [...named(name, 'p'), ...named(name, 'f')]),
  );

/** Whether the run has forces or moments of anything. */
export const hasLoads = (mechanism, run) =>
  mechanism.joints.some(({name}) => hasAll(run, named(name, 'f'))) ||
  touching(run).length > 0 ||
  (mechanism.acting ?? []).some((one) => kindOf(one, run) !== null);

/** How an element tells what it puts on bodies; null where its columns have no force, or no place and direction for it. */
function kindOf({name, ends, joints, axis, axes: turned}, run) {
  if (axis && hasAll(run, [`${name}.load`])) return 'wheel';
  const whole = hasAll(run, named(name, 'f'));
  if (whole && ends.length === 1) return 'wrench';
  if (whole && ends.length === 2 && turned) return 'wrench in axes';
  if (ends.length >= 2 && run.has(`${name}.tension`)) return 'tension';
  if (ends.length === 2 && hasAll(run, [`${name}.length`, `${name}.force`])) return 'thrust';
  if (joints.length === 1 && run.has(`${name}.effort`)) return 'effort';
  return null;
}

/** Names of elements whose columns have a force or a moment, but tell neither its place nor its direction. */
export function loadsWithoutPlace(mechanism, run) {
  const drawn = new Set([...touching(run), ...mechanism.acting.filter((one) => kindOf(one, run) && canDraw(one, mechanism, run)).map(({name}) => name)]);
  const telling = run.channels.filter(({group, unit, component}) => group === 'elements' && ['N', 'N m'].includes(unit) && component !== 'stored');
  return [...new Set(telling.map(({object}) => object))].filter((name) => !drawn.has(name));
}

/** An effort needs a joint with one axis. */
const canDraw = (one, {joints}, run) =>
  kindOf(one, run) !== 'effort' || (Boolean(joints[one.joints[0]].axis) && ['turn', 'slide'].includes(joints[one.joints[0]].freedom));

/**
 * What acts where: {kind: "force" | "moment", at, columns} in ground axes times `sign`, {…, place: columns} at a place
 * that columns tell, {…, axes, axesBody} in axes that go with a body, {…, axis} of one number along an axis of a body,
 * {…, road} in axes of the road under a wheel, or a tension along {at, towards}. all: not contacts alone.
 */
export function loadsOf(mechanism, run, motion, all = true) {
  const loads = [];
  for (const name of touching(run))
    loads.push({name, kind: 'force', place: columnsOf(run, name, 'p'), columns: columnsOf(run, name, 'f'), touches: true});
  if (!all) return loads;
  const isPlaced = ({body}) => body < 0 || motion.has(body);
  for (const {name, ends: [base, moving]} of mechanism.joints) {
    // A reaction acts on the moving body. Where that is ground, the arrow is at the base, on which the opposite acts.
    const isTurned = moving.body < 0,
      at = isTurned ? base : moving;
    if (!isPlaced(at)) continue;
    for (const [kind, letter] of [['force', 'f'], ['moment', 'm']])
      if (hasAll(run, named(name, letter)))
        loads.push({name, kind, at, columns: columnsOf(run, name, letter), sign: isTurned ? -1 : 1});
  }
  for (const one of mechanism.acting ?? [])
    if (one.ends.every(isPlaced) && kindOf(one, run) && canDraw(one, mechanism, run))
      loads.push(...loadsOfElement(one, kindOf(one, run), mechanism, run).filter(({at}) => isPlaced(at)));
  return loads;
}

function loadsOfElement({name, ends, joints, axis, radius, normal, axes: turned}, kind, mechanism, run) {
  const column = (component) => run.column(`${name}.${component}`);
  if (kind === 'wheel') {
    const road = {axis: new Vector3(...axis), normal: new Vector3(...normal).normalize(), radius};
    const none = new Float64Array(run.rows);
    const [fx, fy, mz] = ['fx', 'fy', 'mz'].map((component) => column(component) ?? none);
    return [
      {name, kind: 'force', at: ends[0], road, columns: [fx, fy, column('load')]},
      ...(run.has(`${name}.mz`) ? [{name, kind: 'moment', at: ends[0], road, columns: [none, none, mz]}] : []),
    ];
  }
  if (kind === 'wrench' || kind === 'wrench in axes') {
    const own = turned && {axes: new Quaternion(turned[1], turned[2], turned[3], turned[0]), axesBody: ends[0].body};
    return [['force', 'f'], ['moment', 'm']]
      .filter(([, letter]) => hasAll(run, named(name, letter)))
      .map(([of, letter]) => ({name, kind: of, at: ends.at(-1), columns: columnsOf(run, name, letter), ...own}));
  }
  if (kind === 'effort') {
    const {ends: [base, moving], axis: direction, freedom} = mechanism.joints[joints[0]];
    const isTurned = moving.body < 0;
    return [
      {
        name,
        kind: freedom === 'turn' ? 'moment' : 'force',
        at: isTurned ? base : moving,
        columns: [column('effort')],
        sign: isTurned ? -1 : 1,
        axis: new Vector3(...direction),
        axisBody: base.body,
      },
    ];
  }
  // A thrust pushes its ends apart.
  const tension = kind === 'thrust' ? column('force').map((x) => -x) : column('tension');
  return [
    {name, kind: 'force', at: ends[0], towards: ends[1], tension},
    {name, kind: 'force', at: ends.at(-1), towards: ends.at(-2), tension},
  ];
}

const spin = new Vector3(),
  along = new Vector3(),
  left = new Vector3();

/** Turns a direction of a body (−1: ground) into ground axes. */
export function turnWith(motion, body, direction) {
  if (body < 0) return direction;
  const size = direction.length();
  return direction.transformDirection(motion.matrices[body]).multiplyScalar(size);
}

/** Where a wheel touches a flat road, as the page of tyres has it, and the axes there for `inRoad`. */
export function touchOfRoad(motion, {at, road: {axis, normal, radius}}, out) {
  turnWith(motion, at.body, spin.copy(axis)).normalize();
  along.crossVectors(spin, normal).normalize();
  left.crossVectors(normal, along);
  // From the centre in the plane of the wheel, straight to the road.
  return motion.point(at, out).addScaledVector(left.crossVectors(spin, along).normalize(), radius);
}

/** From x forward, y to the left and z out of the road of the last `touchOfRoad` to ground axes. */
export function inRoad(normal, force) {
  left.crossVectors(normal, along);
  const {x, y, z} = force;
  return force.copy(normal).multiplyScalar(z).addScaledVector(along, x).addScaledVector(left, y);
}
