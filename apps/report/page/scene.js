// The animated mechanism: camera, light, parts of the run shown and of its ghost.
import {
  Box3,
  BufferGeometry,
  DirectionalLight,
  HemisphereLight,
  Line,
  LineBasicMaterial,
  PCFShadowMap,
  PerspectiveCamera,
  Plane,
  Quaternion,
  Raycaster,
  Scene,
  Spherical,
  Vector2,
  Vector3,
  WebGLRenderer,
} from 'three';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';
import {Arrows} from './arrows.js';
import {report} from './data.js';
import {Ground} from './ground.js';
import {Labels} from './labels.js';
import {Meshes} from './meshes.js';
import {Motion, placedBodies} from './motion.js';
import {Parts} from './parts.js';
import {outline, Shapes} from './shapes.js';
import {color, onTheme, runColor} from './theme.js';
import {Traces} from './traces.js';

const tints = 6;

/** Without the model: bodies where the run has them, as boxes. */
const bareMechanism = (run) => ({
  gravity: [0, 0, -1],
  joints: [],
  forces: [],
  bodies: placedBodies(run).map((name) => ({name, mass: 0, center: [0, 0, 0], inertia: [0, 0, 0], shapes: []})),
});

export class MechanismView {
  constructor(canvas, labels, clock, run, renderer = null) {
    Object.assign(this, {canvas, clock});
    this.mechanism = report.mechanism ?? bareMechanism(run);
    this.renderer = renderer ?? new WebGLRenderer({canvas, antialias: true, alpha: true, preserveDrawingBuffer: true});
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
    this.shapes.widenFor(this.radius, this.center);
    this.findFloor();
    this.parts = this.shapes.parts();
    this.followed = -1;
    this.meshes = new Meshes(this.scene, this.radius);
    this.showRun(run);
    this.setUpLight();
    this.ground = new Ground(this.scene, this);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener('change', () => this.request());
    this.controls.addEventListener('start', () => (this.fitted = false));
    this.setLabels();
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(canvas.parentElement);
    this.fitted = true;
    this.resize();
    this.forgetClock = clock.onChange(() => this.request());
    this.forgetTheme = onTheme(() => this.paint());
  }

  /** A plane of ground across gravity is the grid. */
  findFloor() {
    for (const plane of this.mechanism.ground ?? []) {
      if (plane.type !== 'plane') continue;
      const [w, x, y, z] = plane.orientation;
      const normal = new Vector3(0, 0, 1).applyQuaternion(new Quaternion(x, y, z, w));
      if (normal.dot(this.up) < 1 - 1e-9) continue;
      this.shapes.floor = plane;
      this.height = new Vector3(...plane.position).dot(this.up);
      return;
    }
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
    this.hideMeshed();
    const {motion} = this.main,
      shown = this.arrows?.shown ?? false;
    this.arrows?.remove();
    this.arrows = new Arrows(this.scene, this.mechanism, run, motion, 0.45 * this.radius);
    this.arrows.shown = shown;
    if (this.traces) this.traces.refresh(motion);
    else this.traces = new Traces(this.scene, motion, this.mechanism);
    this.request();
  }

  toggleArrows(shown) {
    this.arrows.shown = shown;
    this.request();
  }

  toggleTrace(body) {
    this.traces.toggle(body);
    this.request();
  }

  /** A CAD mesh in the place of the shapes of a body; object null: its shapes again. Gives the unit of its lengths. */
  showMesh(body, object) {
    const unit = object ? this.meshes.add(body, object, this.tint(this.shapes.tints[body])) : this.meshes.drop(body);
    this.hideMeshed();
    this.request();
    return unit;
  }

  hideMeshed() {
    this.main.hide((part) => part.isBody && this.meshes.has(part.body ?? part.at?.body ?? part.ends[0].body));
  }

  setMeshUnit(body, unit) {
    this.meshes.setUnit(body, unit);
    this.request();
  }

  /** The camera goes with a body; -1: with none. */
  follow(body) {
    this.followed = body;
    this.lastFollowed = null;
    this.request();
  }

  /** Rows have come to the end of the run. */
  refresh() {
    this.main.motion.refresh();
    this.arrows.refresh();
    this.request();
  }

  /** The same for what takes longer. */
  refreshSlowly() {
    this.traces.refresh();
    this.arrows.lookAgain();
    const {radius, height} = this;
    this.measure(this.main.motion);
    this.height = height;
    if (this.fitted && this.radius > 1.02 * radius) this.fit();
    this.request();
  }

  /** The body, and the point of it in its axes, at a place of the drawing (px); null where there is none. */
  bodyAt(x, y) {
    const {width, height} = this.canvas.getBoundingClientRect();
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2((2 * x) / width - 1, 1 - (2 * y) / height), this.camera);
    this.main.meshes.forEach((mesh) => mesh.computeBoundingSphere());
    for (const {object, instanceId, point} of ray.intersectObjects(this.main.meshes, false)) {
      const part = object.userData.parts[instanceId];
      const body = part.body ?? part.ends?.find((end) => end.body >= 0)?.body ?? part.at?.body ?? -1;
      if (body < 0 || part.shape === 'plane') continue;
      return {body, point: point.clone().applyMatrix4(this.main.motion.matrices[body].clone().invert()), place: point};
    }
    return null;
  }

  /**
   * A push by the mouse: begin tells whether a body is there; move gives {body, point, force}, the force growing with the
   * distance dragged, `strength` for the size of the mechanism.
   */
  beginPush(x, y, strength) {
    const hit = this.bodyAt(x, y);
    if (!hit) return false;
    const normal = this.camera.getWorldDirection(new Vector3()).negate();
    this.pushed = {...hit, strength, plane: new Plane().setFromNormalAndCoplanarPoint(normal, hit.place), to: hit.place.clone()};
    this.controls.enabled = false;
    this.pushLine = new Line(new BufferGeometry(), new LineBasicMaterial({color: color('--force'), depthTest: false}));
    Object.assign(this.pushLine, {frustumCulled: false, renderOrder: 4});
    this.scene.add(this.pushLine);
    return true;
  }

  movePush(x, y) {
    const {width, height} = this.canvas.getBoundingClientRect(),
      ray = new Raycaster();
    ray.setFromCamera(new Vector2((2 * x) / width - 1, 1 - (2 * y) / height), this.camera);
    ray.ray.intersectPlane(this.pushed.plane, this.pushed.to);
    return this.pushNow();
  }

  pushNow() {
    const {body, point, to, strength} = this.pushed;
    const at = point.clone().applyMatrix4(this.main.motion.matrices[body]);
    this.pushLine.geometry.setFromPoints([at, to]);
    this.request();
    return {
      body,
      point: point.toArray(),
      force: to.clone().sub(at).multiplyScalar(strength / this.radius).toArray(),
    };
  }

  endPush() {
    this.scene.remove(this.pushLine);
    this.pushLine.geometry.dispose();
    this.pushLine.material.dispose();
    this.pushed = null;
    this.controls.enabled = true;
    this.request();
  }

  /** The drawing as PNG. */
  picture() {
    this.draw();
    return new Promise((done) => this.canvas.toBlob(done, 'image/png'));
  }

  dispose() {
    this.forgetTheme();
    this.forgetClock();
    this.labels.clear();
    this.watcher.disconnect();
    this.controls.dispose();
    this.main.remove();
    this.ghost?.remove();
    this.arrows.remove();
    for (const body of this.traces.bodies) this.traces.drop(body);
    for (const body of [...this.meshes.byBody.keys()]) this.meshes.drop(body);
    this.renderer.renderLists.dispose();
    this.isGone = true;
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
    this.arrows.paint();
    this.traces.paint();
    this.meshes.paint((body) => this.tint(this.shapes.tints[body]));
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

  /** Camera and target move as the body that is followed has moved. */
  goAlong() {
    if (this.followed < 0 || !this.main.motion.has(this.followed)) return;
    const {center} = this.mechanism.bodies[this.followed];
    const now = this.main.motion.point({body: this.followed, point: center}, new Vector3());
    const step = now.clone().sub(this.lastFollowed ?? this.controls.target);
    this.lastFollowed = now;
    if (step.lengthSq() === 0) return;
    this.fitted = false;
    this.controls.target.add(step);
    this.camera.position.add(step);
    this.controls.update();
  }

  draw() {
    if (this.isGone) return;
    const began = performance.now();
    for (const parts of [this.main, this.ghost]) {
      parts?.motion.place(this.clock.time);
      parts?.move();
    }
    this.arrows.move(this.clock.time);
    this.meshes.move(this.main.motion);
    this.goAlong();
    this.renderer.render(this.scene, this.camera);
    const {clientWidth, clientHeight} = this.canvas.parentElement;
    this.labels.place(this.main.motion, this.camera, clientWidth, clientHeight);
    this.drawMilliseconds = performance.now() - began;
  }
}
