// The paths of points of bodies over the run.
import {BufferAttribute, BufferGeometry, Color, Line, LineBasicMaterial, Vector3} from 'three';
import {runColor} from './theme.js';

const most = 20000;
const keyOf = ({body, point}) => `${body}:${point.join()}`;

export class Traces {
  constructor(scene, motion) {
    Object.assign(this, {scene, motion, lines: new Map()});
  }

  /** Of a point {body, point, shape}. */
  has(at) {
    return this.lines.has(keyOf(at));
  }

  /** All points that are traced. */
  get points() {
    return [...this.lines.values()].map(({userData}) => userData.at);
  }

  toggle(at) {
    const key = keyOf(at);
    if (this.lines.has(key)) return this.drop(key);
    if (!this.motion.has(at.body)) return;
    const line = new Line(new BufferGeometry(), new LineBasicMaterial({transparent: true, opacity: 0.9}));
    line.frustumCulled = false;
    line.renderOrder = 2;
    line.userData.at = at;
    this.lines.set(key, line);
    this.scene.add(line);
    this.fill(line);
    this.paint();
  }

  fill(line) {
    const rows = this.motion.times.length,
      every = Math.ceil(rows / most),
      count = Math.ceil(rows / every);
    const points = new Float32Array(3 * count),
      {at} = line.userData,
      point = new Vector3();
    for (let k = 0; k < count; ++k) this.motion.pointAtRow(at, k * every, point).toArray(points, 3 * k);
    line.geometry.setAttribute('position', new BufferAttribute(points, 3));
    line.geometry.setDrawRange(0, count);
  }

  /** Rows have come, or another run is shown. */
  refresh(motion = this.motion) {
    this.motion = motion;
    for (const [key, line] of this.lines) {
      if (!motion.has(line.userData.at.body)) {
        this.drop(key);
        continue;
      }
      line.geometry.dispose();
      line.geometry = new BufferGeometry();
      this.fill(line);
    }
  }

  clear() {
    for (const key of [...this.lines.keys()]) this.drop(key);
  }

  drop(key) {
    const line = this.lines.get(key);
    this.scene.remove(line);
    line.geometry.dispose();
    line.material.dispose();
    this.lines.delete(key);
  }

  paint() {
    [...this.lines.values()].forEach((line, k) => line.material.color.set(new Color(runColor(k + 1))));
  }
}
