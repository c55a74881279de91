// From where all of a motion is seen.
import {Quaternion, Vector3} from 'three';

/** The direction to look from: from the front where the motion is plane, else from above and aside. */
export function lookFrom({up, extent, radius}) {
  const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), up);
  const from = new Vector3(0.75, -1, 0.55).applyQuaternion(turn);
  const thin = ['x', 'y', 'z'].find((axis) => extent[axis] < 0.04 * radius);
  const normal = thin && new Vector3(thin === 'x' ? 1 : 0, thin === 'y' ? -1 : 0, thin === 'z' ? 1 : 0);
  if (normal && Math.abs(normal.dot(up)) < 0.5)
    from.copy(normal).addScaledVector(up, 0.22).addScaledVector(new Vector3().crossVectors(up, normal), 0.25);
  return from.normalize();
}

/** From how far the box of all motion just fits into the picture, seen from this direction. */
export function fittingDistance({up, extent, radius, camera}, direction) {
  const right = new Vector3().crossVectors(up, direction).normalize(),
    top = new Vector3().crossVectors(direction, right);
  const high = Math.tan((camera.fov * Math.PI) / 360),
    wide = high * camera.aspect,
    corner = new Vector3();
  let distance = 0;
  for (let k = 0; k < 8; ++k) {
    corner.set(k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5).multiply(extent);
    corner.addScaledVector(corner.clone().normalize(), 0.06 * radius);
    distance = Math.max(
      distance,
      corner.dot(direction) + 1.04 * Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(top)) / high),
    );
  }
  return distance;
}
