// Where shapes of a body stand, and how far they reach.
import {Matrix4, Quaternion, Vector3} from 'three';

export const placed = (position, orientation, scale) =>
  new Matrix4().compose(
    new Vector3(...position),
    new Quaternion(orientation[1], orientation[2], orientation[3], orientation[0]),
    new Vector3(...scale),
  );

/** Points of a shape in body axes with a radius about each: a ball, or the corners of a box. */
export function outline({type, position, orientation, size, radius, length}) {
  const ends = () =>
    [-0.5, 0.5].map((z) => new Vector3(0, 0, z).applyMatrix4(placed(position, orientation, [1, 1, length])).toArray());
  if (type === 'plane') return [];
  if (type !== 'box')
    return type === 'sphere' || length < 2 * radius ? [[position, radius]] : ends().map((end) => [end, radius]);
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5]);
  const matrix = placed(position, orientation, size);
  return corners.map((corner) => [new Vector3(...corner).applyMatrix4(matrix).toArray(), 0]);
}
