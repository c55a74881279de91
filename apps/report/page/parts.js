// The parts of one mechanism: one draw call for all of a shape and one for all meshes, however many bodies there are.
import {
  BatchedMesh,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Color,
  CylinderGeometry,
  Curve,
  DoubleSide,
  InstancedMesh,
  Matrix4,
  MeshStandardMaterial,
  Quaternion,
  PlaneGeometry,
  SphereGeometry,
  TorusGeometry,
  TubeGeometry,
  Vector3,
} from 'three';
import {mergeGeometries} from 'three/examples/jsm/utils/BufferGeometryUtils.js';

class Helix extends Curve {
  getPoint(t, out = new Vector3()) {
    const turns = 7,
      radius = Math.min(1, 12 * t, 12 * (1 - t)),
      angle = 2 * Math.PI * turns * t;
    return out.set(radius * Math.cos(angle), radius * Math.sin(angle), t - 0.5);
  }
}

/** A flat spiral about z, two turns and a half. */
class Spiral extends Curve {
  getPoint(t, out = new Vector3()) {
    const angle = 5 * Math.PI * t,
      radius = 0.3 + 0.62 * t;
    return out.set(radius * Math.cos(angle), radius * Math.sin(angle), 0);
  }
}

/** A wire that keeps its thickness, about, when a coil is drawn out along z. */
function flattened(tube, around) {
  const place = tube.attributes.position,
    ring = around + 1;
  for (let first = 0; first < place.count; first += ring) {
    let middle = 0;
    for (let k = 0; k < around; ++k) middle += place.getZ(first + k) / around;
    for (let k = 0; k < ring; ++k) place.setZ(first + k, middle + 0.1 * (place.getZ(first + k) - middle));
  }
  tube.computeVertexNormals();
  return tube;
}

/** Lines from pole to pole on something round about z, the first of them the widest, and what else marks one of its ends. */
const meridians = (sector, ...more) =>
  mergeGeometries([
    ...[0, 1, 2, 3].map((k) => sector((Math.PI * k) / 2, k === 0 ? 0.2 : 0.07)),
    ...more,
  ]).scale(onTop, onTop, onTop);
const onTop = 1.004;

/** Of so many parts each is small, and of fewer corners: 0 for the most. */
const detailOf = (count) => (count > 1500 ? 0 : count > 200 ? 1 : 2);

// Of size 1, along z, centred, of this detail.
const makers = {
  box: () => new BoxGeometry(1, 1, 1),
  cylinder: (detail) => new CylinderGeometry(1, 1, 1, [8, 16, 40][detail]).rotateX(Math.PI / 2),
  sphere: (detail) => new SphereGeometry(1, [8, 16, 36][detail], [6, 10, 24][detail]).rotateX(Math.PI / 2),
  sphereMark: () =>
    meridians(
      (at, wide) => new SphereGeometry(1, 2, 24, at - wide / 2, wide).rotateX(Math.PI / 2),
      new SphereGeometry(1, 24, 3, 0, 2 * Math.PI, 0, 0.16).rotateX(Math.PI / 2),
    ),
  cylinderMark: () =>
    meridians(
      (at, wide) => new CylinderGeometry(1, 1, 1, 2, 1, false, at - Math.PI / 2 - wide / 2, wide).rotateX(Math.PI / 2),
    ),
  wheel: (detail) => new TorusGeometry(0.84, 0.16, [6, 10, 14][detail], [16, 28, 44][detail]),
  plane: () => new PlaneGeometry(1, 1),
  spiral: (detail) => new TubeGeometry(new Spiral(), [24, 48, 80][detail], 0.075, [3, 5, 8][detail]),
  coil: (detail) => {
    const around = [3, 4, 6][detail];
    return flattened(new TubeGeometry(new Helix(), [60, 120, 200][detail], 0.16, around), around);
  },
};

/** The triangles of a mesh: with flat faces, or smooth where it says so. */
function surfaceGeometry({vertices, faces, smooth}) {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(vertices.flat()), 3));
  geometry.setIndex(new BufferAttribute(new Uint32Array(faces.flat()), 1));
  if (smooth) geometry.computeVertexNormals();
  const shaded = geometry.toNonIndexed();
  if (!smooth) shaded.computeVertexNormals();
  return shaded;
}

const alongZ = new Vector3(0, 0, 1);

export class Parts {
  /** colors(tint): a Color; ghost: translucent, without shadow. */
  constructor(scene, parts, motion, colors, ghost) {
    Object.assign(this, {scene, motion, colors, ghost, detail: detailOf(parts.length)});
    const there = parts.filter((part) => this.exists(part));
    this.meshes = Object.keys(makers)
      .filter((shape) => this.detail > 0 || !shape.endsWith('Mark'))
      .map((shape) => this.instances(shape, there.filter((part) => part.shape === shape)))
      .concat(this.surfaces(there.filter(({triangles}) => triangles)))
      .filter(Boolean);
    this.paint();
  }

  exists(part) {
    const bodies = part.ends ? part.ends.map(({body}) => body) : [part.at ? part.at.body : part.body];
    if (part.along) bodies.push(part.along.body);
    return bodies.every((body) => body < 0 || this.motion.has(body));
  }

  instances(shape, parts) {
    if (parts.length === 0) return null;
    const material = new MeshStandardMaterial({roughness: 0.62, metalness: 0.05});
    if (shape === 'plane') Object.assign(material, {transparent: true, opacity: 0.3, depthWrite: false, side: DoubleSide});
    return this.add(new InstancedMesh(makers[shape](this.detail), material, parts.length), shape, parts);
  }

  /** Triangles that several parts have are there once. */
  surfaces(parts) {
    if (parts.length === 0) return null;
    const alike = [...new Set(parts.map(({triangles}) => triangles))].map((triangles) => [
        triangles,
        parts.filter((part) => part.triangles === triangles),
      ]),
      geometries = alike.map(([triangles]) => surfaceGeometry(triangles)),
      corners = geometries.reduce((sum, {attributes}) => sum + attributes.position.count, 0);
    // A height field, or an open mesh, is seen from below too.
    const material = new MeshStandardMaterial({roughness: 0.62, metalness: 0.05, side: DoubleSide});
    const mesh = new BatchedMesh(parts.length, corners, 0, material);
    mesh.perObjectFrustumCulled = mesh.sortObjects = false;
    geometries.forEach((geometry, k) => {
      const place = mesh.addGeometry(geometry);
      for (let count = alike[k][1].length; count > 0; --count) mesh.addInstance(place);
    });
    return this.add(mesh, 'mesh', alike.flatMap(([, own]) => own));
  }

  add(mesh, shape, parts) {
    if (this.ghost) Object.assign(mesh.material, {transparent: true, opacity: 0.38, depthWrite: false});
    mesh.frustumCulled = false;
    mesh.castShadow = !this.ghost && !/plane|Mark/.test(shape);
    mesh.receiveShadow = !this.ghost && shape !== 'plane';
    mesh.userData.parts = parts;
    mesh.renderOrder = this.ghost ? 1 : 0;
    this.scene.add(mesh);
    return mesh;
  }

  paint() {
    const color = new Color();
    for (const mesh of this.meshes) {
      mesh.userData.parts.forEach(({tint}, i) => mesh.setColorAt(i, color.set(this.colors(tint))));
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  /** Parts for which the test holds are not drawn. */
  hide(test) {
    this.hidden = new Set(this.meshes.flatMap(({userData}) => userData.parts).filter(test));
  }

  /** After motion.place. */
  move() {
    const world = new Matrix4();
    for (const mesh of this.meshes) {
      mesh.userData.parts.forEach((part, i) => {
        this.worldMatrix(part, world);
        if (this.hidden?.has(part)) world.scale(nothing);
        mesh.setMatrixAt(i, world);
      });
      if (mesh.instanceMatrix) mesh.instanceMatrix.needsUpdate = true;
    }
  }

  worldMatrix(part, out) {
    const {motion} = this;
    if (part.matrix)
      return part.body < 0 ? out.copy(part.matrix) : out.multiplyMatrices(motion.matrices[part.body], part.matrix);
    if (part.ends) {
      motion.point(part.ends[0], from);
      motion.point(part.ends[1], to);
      direction.subVectors(to, from);
      const length = direction.length();
      turn.setFromUnitVectors(alongZ, length > 0 ? direction.divideScalar(length) : alongZ);
      return out.compose(
        from.add(to).multiplyScalar(0.5),
        turn,
        size.set(part.width, part.width, Math.max(length, 1e-12)),
      );
    }
    motion.point(part.at, from);
    turn.identity();
    if (part.along) {
      direction.fromArray(part.along.axis);
      if (part.along.body >= 0) direction.transformDirection(motion.matrices[part.along.body]);
      turn.setFromUnitVectors(alongZ, direction.normalize());
    }
    return out.compose(from, turn, size.set(part.width, part.width, part.length ?? part.width));
  }

  remove() {
    for (const mesh of this.meshes) {
      this.scene.remove(mesh);
      mesh.geometry.dispose();
      mesh.material.dispose();
      mesh.dispose();
    }
  }
}

const from = new Vector3(),
  to = new Vector3(),
  direction = new Vector3(),
  size = new Vector3(),
  nothing = new Vector3(0, 0, 0),
  turn = new Quaternion();
