// Springs and stops in joints, and springs between orientations.
import {Vector3} from 'three';

/** A point of the base of a joint, at so far along a direction in base axes. */
const along = ({ends: [base]}, direction, distance) => ({
  body: base.body,
  point: base.point.map((x, k) => x + distance * direction[k]),
});

/** Where a spring in a slide is fixed in the base. */
export const anchorOf = (joint, {low, high, back}, width) =>
  along(joint, joint.axis, low + Math.min(0, back) - 0.3 * (high - low) - 7 * width);

/** A spring in a joint: a coil where the joint slides, a spiral where it turns, a ball of rubber elsewhere. */
export function jointCoil(joint, way, width) {
  const {
    freedom,
    axis,
    ends: [base, moving],
  } = joint;
  if (freedom === 'slide' && axis)
    return [
      {shape: 'coil', tint: 'spring', ends: [anchorOf(joint, way, width), moving], width: 1.5 * width},
    ];
  if (freedom === 'turn' && axis) return [spiral(along(joint, axis, 1.6 * width), {body: base.body, axis}, width)];
  return [{shape: 'sphere', tint: 'spring', at: moving, width: 2.2 * width}];
}

/** A flat spiral about an axis {body, axis}. */
const spiral = (at, axis, width) => ({shape: 'spiral', tint: 'spring', at, along: axis, width: 5.5 * width});

/** A spring between the orientations of two bodies: at the joint between them, or where it is fixed in the second. */
export function torsionSpring(ends, joints, width) {
  const bodies = ends.map(({body}) => body);
  const joint = joints.find(
    (j) => j.freedom !== 'all' && j.axis && j.ends.every(({body}) => bodies.includes(body)),
  );
  const axis = joint?.axis ?? [0, 0, 1];
  if (joint) return [spiral(along(joint, axis, 1.6 * width), {body: joint.ends[0].body, axis}, width)];
  return [spiral(ends[1], {body: ends[1].body, axis}, width)];
}

/** The ends of a joint's way: plates across a slide, bars where the moving body of a hinge is stopped. */
export function stops({lower, upper}, joint, {back, front, across}, width) {
  const {freedom, axis, toward, ends} = joint;
  if (freedom === 'slide' && axis)
    return [
      [lower, back - 0.4 * width],
      [upper, front + 0.4 * width],
    ]
      .filter(([place]) => place !== undefined)
      .map(([place, reach]) => ({
        shape: 'box',
        tint: 'anchor',
        at: along(joint, axis, place + reach),
        along: {body: ends[0].body, axis},
        width: Math.max(5 * width, 1.2 * across),
        length: 0.8 * width,
      }));
  if (freedom !== 'turn' || !axis || !toward) return [];
  const normal = new Vector3(...axis),
    radial = new Vector3(...toward);
  radial.addScaledVector(normal, -radial.dot(normal));
  if (!(radial.length() > 2 * width)) return [];
  radial.normalize();
  return [lower, upper]
    .filter((place) => Math.abs(place) < Math.PI)
    .map((place) => {
      const direction = radial.clone().applyAxisAngle(normal, place).toArray();
      return {
        shape: 'cylinder',
        tint: 'anchor',
        ends: [3, 8].map((distance) => along(joint, direction, distance * width)),
        width: 0.5 * width,
      };
    });
}
