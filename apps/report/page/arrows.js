// Forces and moments as arrows: reactions of joints, forces of contacts, tensions; and the points where bodies touch.
import {
  Color,
  ConeGeometry,
  CylinderGeometry,
  InstancedMesh,
  Matrix4,
  MeshStandardMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from 'three';
import {mergeGeometries} from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import {hasLoads, inRoad, loadsOf, loadsWithoutPlace, touchOfRoad, turnWith} from './loads.js';
import {nearest} from './run.js';
import {color} from './theme.js';

const samples = 300;
/** Part of the largest size from which on an arrow is drawn. */
const smallest = 1e-3;

/** Of length 1 along z; a moment has two heads, as on paper. */
function arrow(heads) {
  const shaft = new CylinderGeometry(0.016, 0.016, 0.86, 10).translate(0, 0.43, 0);
  const cones = Array.from({length: heads}, (_, k) =>
    new ConeGeometry(0.055, 0.16, 14).translate(0, 0.92 - 0.13 * k, 0),
  );
  return mergeGeometries([shaft, ...cones]).rotateX(Math.PI / 2);
}

export class Arrows {
  /** length: of the longest, m. */
  constructor(scene, mechanism, run, motion, length) {
    Object.assign(this, {scene, mechanism: {acting: [], ...mechanism}, run, motion, length, isShown: false, any: hasLoads(mechanism, run)});
    this.load();
  }

  /** What the results tell forces of that no arrow can be drawn for. */
  get withoutPlace() {
    return loadsWithoutPlace(this.mechanism, this.run);
  }

  get shown() {
    return this.isShown;
  }

  /** Numbers are unpacked when they are first drawn: contacts at once, the others with the arrows. */
  set shown(on) {
    this.isShown = on;
    if (on && !this.isWhole) this.load();
  }

  load() {
    this.remove();
    this.isWhole = this.isShown;
    this.loads = loadsOf(this.mechanism, this.run, this.motion, this.isWhole);
    this.times = this.run.time;
    this.largest = {force: 0, moment: 0};
    this.look(0);
    this.meshes = {
      force: this.mesh(arrow(1), this.loads.filter(({kind}) => kind === 'force').length),
      moment: this.mesh(arrow(2), this.loads.filter(({kind}) => kind === 'moment').length),
      touch: this.mesh(new SphereGeometry(1, 12, 8), this.loads.filter(({touches}) => touches).length),
    };
    this.paint();
  }

  mesh(geometry, count) {
    const mesh = new InstancedMesh(geometry, new MeshStandardMaterial({roughness: 0.5, depthTest: false}), Math.max(1, count));
    Object.assign(mesh, {frustumCulled: false, renderOrder: 3, visible: false, count});
    mesh.material.transparent = true;
    this.scene.add(mesh);
    return mesh;
  }

  paint() {
    this.meshes.force.material.color = new Color(color('--force'));
    this.meshes.moment.material.color = new Color(color('--moment'));
    this.meshes.touch.material.color = new Color(color('--force'));
  }

  sizeAt(load, row) {
    return Math.hypot(...(load.tension ? [load.tension[row]] : load.columns.map((column) => column[row])));
  }

  /** The size of which an arrow has full length: all but the largest peaks of the run, from this row on. */
  look(from) {
    for (const kind of ['force', 'moment']) {
      const sizes = [];
      const own = this.loads.filter((load) => load.kind === kind);
      const every = Math.max(1, Math.floor(((this.run.rows - from) * Math.max(1, own.length / 50)) / samples));
      for (const load of own)
        for (let row = from; row < this.run.rows; row += every) {
          const size = this.sizeAt(load, row);
          if (size > 0 && Number.isFinite(size)) sizes.push(size);
        }
      if (sizes.length === 0) continue;
      sizes.sort((a, b) => a - b);
      this.largest[kind] = Math.max(this.largest[kind], sizes[Math.floor(0.98 * (sizes.length - 1))]);
    }
    this.looked = this.run.rows;
    this.areMomentsRounding = this.largest.moment < 1e-9 * this.largest.force * this.length;
  }

  /** Rows have come; and seldom, as it takes longer: how large all forces are now. */
  refresh() {
    this.loads = loadsOf(this.mechanism, this.run, this.motion, this.isWhole);
    this.times = this.run.time;
  }
  lookAgain() {
    this.look(Math.min(this.looked, this.run.rows - 1));
  }

  /** Where a load acts at a row, and its vector, both in ground axes; the mechanism is where it was placed last. */
  vectorOf(load, row) {
    this.lay(load, row);
    return {at: from.toArray(), vector: direction.toArray()};
  }

  lay(load, row) {
    if (load.place) from.set(...load.place.map((column) => column[row]));
    else if (load.road) touchOfRoad(this.motion, load, from);
    else this.motion.point(load.at, from);
    if (load.tension) {
      this.motion.point(load.towards, direction).sub(from).normalize().multiplyScalar(load.tension[row]);
    } else {
      const values = load.columns.map((column) => (load.sign ?? 1) * column[row]);
      if (load.axis) direction.copy(load.axis).normalize().multiplyScalar(values[0]);
      else direction.set(...values);
      if (load.road) inRoad(load.road.normal, direction);
      else if (load.axis) turnWith(this.motion, load.axisBody, direction);
      else if (load.axes) turnWith(this.motion, load.axesBody, direction.applyQuaternion(load.axes));
    }
  }

  move(time) {
    const row = nearest(this.times, time);
    const places = {force: 0, moment: 0, touch: 0};
    for (const load of this.loads) {
      this.lay(load, row);
      const size = direction.length(),
        part = Math.min(1.6, size / this.largest[load.kind]);
      const drawn = size > 0 && part > smallest && !(load.kind === 'moment' && this.areMomentsRounding) && Number.isFinite(size) && Number.isFinite(from.x);
      if (load.touches && drawn)
        this.meshes.touch.setMatrixAt(
          places.touch++,
          matrix.compose(from, turn.identity(), scale.setScalar(0.03 * this.length)),
        );
      if (!drawn) continue;
      turn.setFromUnitVectors(alongZ, direction.divideScalar(size));
      const long = part * this.length,
        thick = this.length * Math.min(1, 0.35 + part);
      this.meshes[load.kind].setMatrixAt(places[load.kind]++, matrix.compose(from, turn, scale.set(thick, thick, long)));
    }
    for (const [kind, count] of Object.entries(places)) {
      Object.assign(this.meshes[kind], {count, visible: count > 0 && (this.shown || kind === 'touch')});
      this.meshes[kind].instanceMatrix.needsUpdate = true;
    }
  }

  remove() {
    for (const mesh of Object.values(this.meshes ?? {})) {
      this.scene.remove(mesh);
      mesh.geometry.dispose();
      mesh.material.dispose();
      mesh.dispose();
    }
  }
}

const alongZ = new Vector3(0, 0, 1),
  from = new Vector3(),
  direction = new Vector3(),
  scale = new Vector3(),
  turn = new Quaternion(),
  matrix = new Matrix4();
