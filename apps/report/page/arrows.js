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
import {nearest} from './run.js';
import {color} from './theme.js';

const axes = ['x', 'y', 'z'];
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

const columnsOf = (run, object, letter) => axes.map((axis) => run.column(`${object}.${letter}${axis}`));
const complete = (columns) => columns.every(Boolean);

const named = (object, letter) => axes.map((axis) => `${object}.${letter}${axis}`);
const hasAll = (run, names) => names.every((name) => run.has(name));

/** Whether the run has forces or moments of anything. */
const hasLoads = ({joints, forces = []}, run) =>
  joints.some(({name}) => hasAll(run, named(name, 'f'))) ||
  forces.some(({name}) => run.has(`${name}.tension`)) ||
  touching(run).length > 0;

/** Elements that tell the point at which they push. */
const touching = (run) =>
  [...new Set(run.channels.filter(({group, component}) => group === 'elements' && component === 'px').map(({object}) => object))].filter(
    (name) => hasAll(run, [...named(name, 'p'), ...named(name, 'f')]),
  );

/**
 * What acts where: {kind: "force" | "moment", at, columns} or {…, place: columns}, or a tension along {ends}. all: not
 * contacts alone.
 */
export function loadsOf(mechanism, run, motion, all = true) {
  const loads = [];
  for (const name of touching(run))
    loads.push({name, kind: 'force', place: columnsOf(run, name, 'p'), columns: columnsOf(run, name, 'f'), touches: true});
  if (!all) return loads;
  for (const {name, ends: [base, moving]} of mechanism.joints) {
    const at = moving.body >= 0 ? moving : base;
    if (at.body >= 0 && !motion.has(at.body)) continue;
    // A reaction acts on the moving body; drawn on the base it is the same, turned about.
    for (const [kind, letter] of [['force', 'f'], ['moment', 'm']]) {
      const columns = columnsOf(run, name, letter);
      if (complete(columns)) loads.push({name, kind, at, columns});
    }
  }
  for (const {name, ends} of mechanism.forces ?? []) {
    const tension = run.column(`${name}.tension`);
    if (!tension || !(ends?.length >= 2)) continue;
    loads.push({name, kind: 'force', at: ends[0], towards: ends[1], tension});
    loads.push({name, kind: 'force', at: ends.at(-1), towards: ends.at(-2), tension});
  }
  return loads;
}

export class Arrows {
  /** length: of the longest, m. */
  constructor(scene, mechanism, run, motion, length) {
    Object.assign(this, {scene, mechanism, run, motion, length, isShown: false, any: hasLoads(mechanism, run)});
    this.load();
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
    if (load.tension) return Math.abs(load.tension[row]);
    return Math.hypot(...load.columns.map((column) => column[row]));
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

  move(time) {
    const row = nearest(this.times, time);
    const places = {force: 0, moment: 0, touch: 0};
    for (const load of this.loads) {
      if (load.place) from.set(...load.place.map((column) => column[row]));
      else this.motion.point(load.at, from);
      if (load.tension) {
        this.motion.point(load.towards, direction).sub(from).normalize().multiplyScalar(load.tension[row]);
      } else direction.set(...load.columns.map((column) => column[row]));
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
