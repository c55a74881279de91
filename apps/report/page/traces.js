// The paths of points of bodies over the run.
import {BufferAttribute, BufferGeometry, Color, Line, LineBasicMaterial, Vector3} from 'three';
import {runColor} from './theme.js';

const most = 20000;

export class Traces {
  constructor(scene, motion, mechanism) {
    Object.assign(this, {scene, motion, mechanism, lines: new Map()});
  }

  has(body) {
    return this.lines.has(body);
  }

  get bodies() {
    return [...this.lines.keys()];
  }

  /** Of the mass centre. */
  toggle(body) {
    if (this.lines.has(body)) return this.drop(body);
    if (!this.motion.has(body)) return;
    const line = new Line(new BufferGeometry(), new LineBasicMaterial({transparent: true, opacity: 0.9}));
    line.frustumCulled = false;
    line.renderOrder = 2;
    this.lines.set(body, line);
    this.scene.add(line);
    this.fill(body, line);
    this.paint();
  }

  fill(body, line) {
    const rows = this.motion.times.length,
      every = Math.ceil(rows / most),
      count = Math.ceil(rows / every);
    const points = new Float32Array(3 * count),
      at = {body, point: this.mechanism.bodies[body].center},
      point = new Vector3();
    for (let k = 0; k < count; ++k) this.motion.pointAtRow(at, k * every, point).toArray(points, 3 * k);
    line.geometry.setAttribute('position', new BufferAttribute(points, 3));
    line.geometry.setDrawRange(0, count);
  }

  /** Rows have come, or another run is shown. */
  refresh(motion = this.motion) {
    this.motion = motion;
    for (const [body, line] of this.lines) {
      if (!motion.has(body)) {
        this.drop(body);
        continue;
      }
      line.geometry.dispose();
      line.geometry = new BufferGeometry();
      this.fill(body, line);
    }
  }

  drop(body) {
    const line = this.lines.get(body);
    this.scene.remove(line);
    line.geometry.dispose();
    line.material.dispose();
    this.lines.delete(body);
  }

  paint() {
    [...this.lines.values()].forEach((line, k) => line.material.color.set(new Color(runColor(k + 1))));
  }
}
