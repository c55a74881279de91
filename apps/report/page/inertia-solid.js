// A body of which the model gives mass and inertia alone, as a solid of uniform density that has them.

/** Moments that are equal up to this part of the largest. */
const equal = 1e-3;
const half = Math.SQRT1_2;
/** Turns z to the axis x, y or z: quaternions (w, x, y, z). */
const toAxis = [
  [half, 0, half, 0],
  [half, -half, 0, 0],
  [1, 0, 0, 0],
];
const root = (x) => Math.sqrt(Math.max(0, x));

/** The axis of the moment that differs from two that are equal; −1 where all are equal, undefined where none are. */
function axisOfRevolution(inertia) {
  const rounding = equal * Math.max(...inertia);
  const isSame = (a, b) => Math.abs(inertia[a] - inertia[b]) <= rounding;
  if (isSame(0, 1) && isSame(1, 2)) return -1;
  const axis = [0, 1, 2].find((k) => isSame((k + 1) % 3, (k + 2) % 3));
  return axis;
}

/**
 * {type, orientation, edges}: a ball where all moments are equal, a cylinder where two are, else a box, with its edges
 * (m) in its own axes, or those of the box about it. mass in kg, or 0 where it is not known; inertia: the moments about
 * the axes of the body, kg m².
 */
export function inertiaSolid({mass, inertia}) {
  const m = mass || 1,
    axis = axisOfRevolution(inertia);
  if (axis === -1) {
    const edge = 2 * root((2.5 * inertia[0]) / m);
    return {type: 'sphere', orientation: toAxis[2], edges: [edge, edge, edge]};
  }
  if (axis !== undefined) {
    const radius = root((2 * inertia[axis]) / m),
      length = root((12 * inertia[(axis + 1) % 3]) / m - 3 * radius ** 2);
    return {type: 'cylinder', orientation: toAxis[axis], edges: [2 * radius, 2 * radius, length]};
  }
  const edges = [0, 1, 2].map((k) => root((6 * (inertia[(k + 1) % 3] + inertia[(k + 2) % 3] - inertia[k])) / m));
  return {type: 'box', orientation: toAxis[2], edges};
}
