// The animated mechanism: camera, light, parts of the run shown and of its ghost.
import {
  PCFShadowMap,
  PerspectiveCamera,
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
import {unbent} from './body-points.js';
import {report} from './data.js';
import {fittingDistance, lookFrom} from './framing.js';
import {Ground} from './ground.js';
import {Labels} from './labels.js';
import {Light} from './light.js';
import {Meshes} from './meshes.js';
import {Motion, placedBodies} from './motion.js';
import {Parts} from './parts.js';
import {Shapes} from './shapes.js';
import {measureSweep, waysOfSlides} from './sweep.js';
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

/** Whether the processor draws, in the place of a graphics card: then shadows of many bodies take too long. */
function isSoftware(renderer) {
  const gl = renderer.getContext(),
    names = gl.getExtension('WEBGL_debug_renderer_info');
  return /swiftshader|llvmpipe|softpipe|software/i.test(gl.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER));
}

export class MechanismView {
  constructor(canvas, labels, clock, run, renderer = null) {
    Object.assign(this, {canvas, clock});
    this.mechanism = report.mechanism ?? bareMechanism(run);
    this.renderer = renderer ?? new WebGLRenderer({canvas, antialias: true, alpha: true, preserveDrawingBuffer: true});
    this.renderer.shadowMap.enabled = this.mechanism.bodies.length <= (isSoftware(this.renderer) ? 200 : 2000);
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(30, 1, 0.01, 1000);
    const [x, y, z] = this.mechanism.gravity;
    this.up = x || y || z ? new Vector3(-x, -y, -z).normalize() : new Vector3(0, 0, 1);
    this.camera.up.copy(this.up);
    this.labels = new Labels(labels);
    this.shapes = new Shapes(this.mechanism);
    const motion = new Motion(run, this.mechanism.bodies);
    this.shapes.ways = waysOfSlides(this.mechanism, motion, clock);
    this.measure(motion);
    this.shapes.widenFor(this);
    this.findFloor();
    this.parts = this.shapes.parts();
    this.lastFollowed = new Vector3();
    this.follow(-1);
    this.meshes = new Meshes(this.scene, this.radius);
    this.showRun(run);
    this.light = new Light(this.scene, this);
    this.ground = new Ground(this.scene, this);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener('change', () => this.request());
    this.controls.addEventListener('start', () => (this.fitted = false));
    this.setLabels();
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(canvas.parentElement);
    this.fitted = true;
    this.goWithTravel();
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
    else this.traces = new Traces(this.scene, motion);
    this.request();
  }

  toggleArrows(shown) {
    this.arrows.shown = shown;
    this.request();
  }

  /** at: a point of the body as Motion.point takes it; without it, of its mass centre. */
  toggleTrace(body, at = {body, point: this.mechanism.bodies[body].center}) {
    this.traces.toggle(at);
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
    this.isFollowing = false;
    this.onFollow?.();
    this.request();
  }

  /** Of a mechanism that travels far, the camera goes with the heaviest body: from farther off it could not be seen. */
  goWithTravel() {
    const {travels, body} = this.sweep;
    this.firstFollowed = travels ? body : -1;
    if (travels) this.follow(body);
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
    const {radius, height} = this,
      {travels} = this.sweep;
    this.measure(this.main.motion);
    this.height = height;
    if (this.sweep.travels && !travels && this.fitted) this.goWithTravel();
    if (this.fitted && (this.radius > 1.02 * radius || this.sweep.travels !== travels)) this.fit();
    this.request();
  }

  /** From the camera through a place of the drawing (px). */
  rayAt(x, y) {
    const {width, height} = this.canvas.getBoundingClientRect(),
      ray = new Raycaster();
    ray.setFromCamera(new Vector2((2 * x) / width - 1, 1 - (2 * y) / height), this.camera);
    return ray;
  }

  /** The body, and the point of it in its axes, at a place of the drawing (px); null where there is none. */
  bodyAt(x, y) {
    const ray = this.rayAt(x, y);
    this.main.meshes.forEach((mesh) => mesh.computeBoundingSphere());
    for (const {object, instanceId, batchId, point} of ray.intersectObjects(this.main.meshes, false)) {
      const part = object.userData.parts[instanceId ?? batchId];
      const body = part.body ?? part.ends?.find((end) => end.body >= 0)?.body ?? part.at?.body ?? -1;
      if (body < 0 || part.shape === 'plane') continue;
      const own = point.clone().applyMatrix4(this.main.motion.matrices[body].clone().invert());
      return {...unbent(this.main.motion, this.mechanism, part, body, own), place: point};
    }
    return null;
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
    this.traces.clear();
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

  /** How large the motion is, where it is, and where the ground is below it. */
  measure(motion) {
    this.sweep = measureSweep(this, motion);
    Object.assign(this, this.sweep.travels ? this.sweep.carried : this.sweep.whole, {height: this.sweep.height});
  }

  /**
   * The motion in sight, as it is seen from the body that is followed where the mechanism travels far: from the front
   * where it is plane, else from above and aside.
   */
  fit() {
    const isCarried = this.sweep.travels && this.followed === this.sweep.body;
    Object.assign(this, isCarried ? this.sweep.carried : this.sweep.whole);
    const center = this.center.clone();
    if (isCarried) center.add(this.placeOf(this.followed, new Vector3())).sub(this.sweep.from);
    const from = lookFrom(this),
      distance = Math.max(fittingDistance(this, from), 2.2 * this.shapes.size);
    Object.assign(this.camera, {near: distance / 100, far: 30 * distance});
    this.camera.position.copy(center).addScaledVector(from, distance);
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(center);
    this.controls.update();
    this.fitted = true;
    if (isCarried) this.isFollowing = this.placeOf(this.followed, this.lastFollowed) !== null;
    this.request();
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

  /** The mass centre of a body at the time shown. */
  placeOf(body, out) {
    this.main.motion.place(this.clock.time);
    return this.main.motion.point({body, point: this.mechanism.bodies[body].center}, out);
  }

  /** Camera and target move as the body that is followed has moved, and light and ground with them. */
  goAlong() {
    if (this.followed >= 0 && this.main.motion.has(this.followed)) {
      const now = this.placeOf(this.followed, new Vector3());
      const step = now.clone().sub(this.isFollowing ? this.lastFollowed : this.controls.target);
      if (!this.isFollowing) this.fitted = false;
      this.lastFollowed.copy(now);
      this.isFollowing = true;
      if (step.lengthSq() > 0) {
        if (!this.sweep.travels) this.fitted = false;
        this.controls.target.add(step);
        this.camera.position.add(step);
        this.controls.update();
      }
    }
    const middle = this.followed >= 0 ? this.controls.target : this.center;
    this.ground.goTo(middle);
    this.light.goTo(middle);
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
