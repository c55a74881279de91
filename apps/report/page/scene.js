// The animated mechanism: camera, light, parts of the run shown and of its ghost.
import {
  Box3,
  DirectionalLight,
  HemisphereLight,
  PCFShadowMap,
  PerspectiveCamera,
  Quaternion,
  Scene,
  Spherical,
  Vector3,
  WebGLRenderer,
} from 'three';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';
import {report} from './data.js';
import {Ground} from './ground.js';
import {Labels} from './labels.js';
import {Motion, placedBodies} from './motion.js';
import {Parts} from './parts.js';
import {outline, Shapes} from './shapes.js';
import {color, onTheme, runColor} from './theme.js';

const tints = 6;

/** Without the model: bodies where the run has them, as boxes. */
const bareMechanism = (run) => ({
  gravity: [0, 0, -1],
  joints: [],
  springs: [],
  bodies: placedBodies(run).map((name) => ({name, mass: 0, center: [0, 0, 0], inertia: [0, 0, 0], shapes: []})),
});

export class MechanismView {
  constructor(canvas, labels, clock, run) {
    Object.assign(this, {canvas, clock});
    this.mechanism = report.mechanism ?? bareMechanism(run);
    this.renderer = new WebGLRenderer({canvas, antialias: true, alpha: true, preserveDrawingBuffer: true});
    this.renderer.shadowMap.enabled = this.mechanism.bodies.length <= 2000;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(30, 1, 0.01, 1000);
    const [x, y, z] = this.mechanism.gravity;
    this.up = x || y || z ? new Vector3(-x, -y, -z).normalize() : new Vector3(0, 0, 1);
    this.camera.up.copy(this.up);
    this.labels = new Labels(labels);
    this.shapes = new Shapes(this.mechanism);
    const motion = new Motion(run, this.mechanism.bodies);
    this.measure(motion);
    this.shapes.widenFor(this.radius);
    this.parts = this.shapes.parts();
    this.showRun(run);
    this.setUpLight();
    this.ground = new Ground(this.scene, this);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener('change', () => this.request());
    this.controls.addEventListener('start', () => (this.fitted = false));
    this.setLabels();
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.fitted = true;
    this.resize();
    clock.onChange(() => this.request());
    onTheme(() => this.paint());
  }

  showRun(run) {
    this.main?.remove();
    this.main = new Parts(
      this.scene,
      this.parts,
      new Motion(run, this.mechanism.bodies),
      (tint) => this.tint(tint),
      false,
    );
    this.request();
  }

  /** Another run beside it, in its colour and translucent; null for none. */
  showGhost(run) {
    this.ghost?.remove();
    this.ghost =
      run && new Parts(this.scene, this.parts, new Motion(run, this.mechanism.bodies), () => runColor(run.index), true);
    this.request();
  }

  tint(tint) {
    return color(typeof tint === 'number' ? `--body-${tint % tints}` : `--${tint}`);
  }

  /** What the mechanism sweeps over the run, its size, and where the ground is below it. */
  measure(motion) {
    const {start, end} = this.clock,
      box = new Box3(),
      ball = new Box3(),
      low = [],
      point = new Vector3();
    const samples = this.mechanism.bodies.length > 1000 ? 5 : 40;
    const reach = (at, radius) => {
      motion.point(at, point);
      box.union(ball.set(point.clone().subScalar(radius), point.clone().addScalar(radius)));
      low.push(point.dot(this.up) - radius);
    };
    for (let k = 0; k <= samples; ++k) {
      motion.place(start + (k / samples) * (end - start));
      this.mechanism.bodies.forEach((body, b) => {
        if (!motion.has(b)) return;
        reach({body: b, point: body.center}, Math.hypot(...(this.shapes.box(b) ?? [0])) / 2);
        for (const at of body.points ?? []) reach({body: b, ...at}, 0);
        for (const shape of body.shapes) for (const [point, radius] of outline(shape)) reach({body: b, point}, radius);
        for (const link of this.shapes.links(b)) for (const end of link) reach({body: b, point: end}, 0);
      });
    }
    for (const {ends} of this.mechanism.joints) for (const end of ends) if (end.body < 0) reach(end, 0);
    if (box.isEmpty()) box.expandByPoint(point.set(0, 0, 0));
    this.center = box.getCenter(new Vector3());
    this.extent = box.getSize(new Vector3());
    this.radius = Math.max(0.5 * this.extent.length(), 0.6 * this.shapes.size);
    const lowest = low.reduce((least, height) => Math.min(least, height), Infinity);
    const height = Number.isFinite(lowest) ? lowest - 2 * this.shapes.width : 0;
    // Where the mechanism stands about on the plane through the origin, that is the ground.
    this.height = Math.abs(height) < 0.12 * this.radius ? 0 : height;
  }

  setUpLight() {
    const {radius: r} = this,
      sun = new DirectionalLight(0xffffff, 1.9);
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), this.up);
    sun.position.copy(this.center).add(new Vector3(1.6, -1.2, 3.2).multiplyScalar(r).applyQuaternion(turn));
    sun.target.position.copy(this.center);
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    Object.assign(sun.shadow.camera, {
      left: -2 * r,
      right: 2 * r,
      top: 2 * r,
      bottom: -2 * r,
      near: 0.1 * r,
      far: 8 * r,
    });
    sun.shadow.normalBias = 0.004 * r;
    sun.shadow.radius = 5;
    const sky = new HemisphereLight(0xffffff, 0xb4bdca, 2.1);
    sky.position.copy(this.up);
    this.scene.add(sun, sun.target, sky);
  }

  /** The whole motion in sight: from the front where it is plane, else from above and aside. */
  fit() {
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), this.up);
    const from = new Vector3(0.75, -1, 0.55).applyQuaternion(turn);
    const thin = ['x', 'y', 'z'].find((axis) => this.extent[axis] < 0.04 * this.radius);
    const normal = thin && new Vector3(thin === 'x' ? 1 : 0, thin === 'y' ? -1 : 0, thin === 'z' ? 1 : 0);
    if (normal && Math.abs(normal.dot(this.up)) < 0.5)
      from
        .copy(normal)
        .addScaledVector(this.up, 0.22)
        .addScaledVector(new Vector3().crossVectors(this.up, normal), 0.25);
    const distance = this.distanceFrom(from.normalize());
    Object.assign(this.camera, {near: distance / 100, far: 30 * distance});
    this.camera.position.copy(this.center).addScaledVector(from, distance);
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(this.center);
    this.controls.update();
    this.fitted = true;
    this.request();
  }

  /** From where the box of all motion just fits into the picture, seen from this direction. */
  distanceFrom(direction) {
    const right = new Vector3().crossVectors(this.up, direction).normalize(),
      top = new Vector3().crossVectors(direction, right);
    const high = Math.tan((this.camera.fov * Math.PI) / 360),
      wide = high * this.camera.aspect,
      corner = new Vector3();
    let distance = 0;
    for (let k = 0; k < 8; ++k) {
      corner
        .set(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1)
        .multiply(this.extent)
        .multiplyScalar(0.5);
      corner.addScaledVector(corner.clone().normalize(), 0.06 * this.radius);
      distance = Math.max(
        distance,
        corner.dot(direction) + 1.04 * Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(top)) / high),
      );
    }
    return Math.max(distance, 2.2 * this.shapes.size);
  }

  /** Keyboard: by so many steps around the vertical and over it. */
  orbit(around, over) {
    this.fitted = false;
    const turn = new Quaternion().setFromUnitVectors(this.up, new Vector3(0, 1, 0));
    const arm = this.camera.position.clone().sub(this.controls.target).applyQuaternion(turn);
    const s = new Spherical().setFromVector3(arm);
    s.theta += 0.1 * around;
    s.phi += 0.1 * over;
    s.makeSafe();
    this.camera.position.copy(this.controls.target).add(arm.setFromSpherical(s).applyQuaternion(turn.invert()));
    this.controls.update();
  }

  zoom(factor) {
    this.fitted = false;
    this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
    this.controls.update();
  }

  setLabels() {
    const {motion} = this.main;
    this.labels.set(
      'body',
      this.mechanism.bodies
        .map(({name, center}, body) => ({name, at: {body, point: center}}))
        .filter(({at}) => motion.has(at.body)),
    );
    this.labels.set(
      'joint',
      this.mechanism.joints
        .filter(({freedom}) => freedom !== 'all')
        .map(({name, ends: [base, moving]}) => ({name, at: moving.body < 0 ? base : moving}))
        .filter(({at}) => at.body < 0 || motion.has(at.body)),
    );
    const arm = 0.18 * this.radius;
    this.labels.set(
      'axis',
      [
        ['x', [arm, 0, 0]],
        ['y', [0, arm, 0]],
        ['z', [0, 0, arm]],
      ].map(([name, point]) => ({name, at: {body: -1, point}})),
    );
    this.labels.toggle('axis', true);
  }

  toggleLabels(kind, shown) {
    this.labels.toggle(kind, shown);
    this.request();
  }

  toggleGround(shown) {
    this.ground.visible = shown;
    this.labels.toggle('axis', shown);
    this.request();
  }

  paint() {
    this.main.paint();
    this.ghost?.paint();
    this.ground.paint();
    this.request();
  }

  /** The picture keeps to its place on the page; until someone turns it, all of the motion stays in sight. */
  resize() {
    const {clientWidth: width, clientHeight: height} = this.canvas.parentElement;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.fitted) this.fit();
    // At once: another size has emptied the picture.
    this.draw();
  }

  /** Draws once before the next frame, however often it is asked. */
  request() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw() {
    const began = performance.now();
    for (const parts of [this.main, this.ghost]) {
      parts?.motion.place(this.clock.time);
      parts?.move();
    }
    this.renderer.render(this.scene, this.camera);
    const {clientWidth, clientHeight} = this.canvas.parentElement;
    this.labels.place(this.main.motion, this.camera, clientWidth, clientHeight);
    this.drawMilliseconds = performance.now() - began;
  }
}
