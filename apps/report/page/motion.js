// Where the bodies of a run are at a time.
import {Matrix4, Quaternion, Vector3} from 'three';
import {lastUpTo} from './run.js';

const pose = ['x', 'y', 'z', 'qw', 'qx', 'qy', 'qz'];

/** Names of the bodies that a run has poses of. */
export const placedBodies = (run) =>
  run.channels
    .filter(({group, component}) => group === 'bodies' && component === 'x')
    .map(({object}) => object)
    .filter((body) => pose.every((component) => run.has(`${body}.${component}`)));

export class Motion {
  /** bodies: [{name, modes}]; those that the run has not stay where null says: nowhere. */
  constructor(run, bodies) {
    this.run = run;
    this.bodies = bodies;
    this.refresh();
    this.matrices = bodies.map(() => new Matrix4());
    this.eta = this.etas.map((columns) => new Float64Array(columns.length));
    this.scratch = {p: new Vector3(), q: new Quaternion(), r: new Quaternion(), one: new Vector3(1, 1, 1)};
  }

  /** Rows have come. */
  refresh() {
    const {run, bodies} = this;
    this.times = run.time;
    this.poses = bodies.map(({name}) => {
      const columns = pose.map((component) => run.column(`${name}.${component}`));
      return columns.every(Boolean) ? columns : null;
    });
    this.etas = bodies.map(({name, modes = 0}) => {
      const columns = Array.from({length: modes}, (_, k) => run.column(`${name}.eta[${k}]`));
      return columns.every(Boolean) ? columns : [];
    });
  }

  /** A point of a body ({body, point, shape}) at a row, in ground axes. */
  pointAtRow({body, point, shape}, row, out) {
    const [x, y, z, qw, qx, qy, qz] = this.poses[body],
      etas = this.etas[body],
      {q} = this.scratch;
    q.set(qx[row], qy[row], qz[row], qw[row]).normalize();
    out.fromArray(point);
    if (shape)
      for (let i = 0; i < 3; ++i)
        for (let k = 0; k < etas.length; ++k)
          out.setComponent(i, out.getComponent(i) + shape[i * etas.length + k] * etas[k][row]);
    out.applyQuaternion(q);
    return out.set(out.x + x[row], out.y + y[row], out.z + z[row]);
  }

  has(body) {
    return this.poses[body] !== null;
  }

  /** Between rows, places go straight and orientations along the shorter arc. */
  place(time) {
    const {
      times: t,
      scratch: {p, q, r, one},
    } = this;
    const row = lastUpTo(t, time),
      next = Math.min(row + 1, t.length - 1);
    const w = next > row ? Math.min(1, Math.max(0, (time - t[row]) / (t[next] - t[row]))) : 0;
    const at = (values) => values[row] + w * (values[next] - values[row]);
    this.poses.forEach((columns, body) => {
      if (!columns) return;
      const [x, y, z, qw, qx, qy, qz] = columns;
      p.set(at(x), at(y), at(z));
      q.set(qx[row], qy[row], qz[row], qw[row]).normalize();
      if (w > 0) q.slerp(r.set(qx[next], qy[next], qz[next], qw[next]).normalize(), w);
      this.matrices[body].compose(p, q, one);
      this.etas[body].forEach((values, k) => (this.eta[body][k] = at(values)));
    });
  }

  /** A point of a body ({body, point, shape}) in its axes, where the modes have moved it. */
  pointInBody({body, point, shape}, out) {
    out.fromArray(point);
    const eta = this.eta[body];
    if (shape && eta.length > 0)
      for (let i = 0; i < 3; ++i)
        for (let k = 0; k < eta.length; ++k)
          out.setComponent(i, out.getComponent(i) + shape[i * eta.length + k] * eta[k]);
    return out;
  }

  /** The same in ground axes; body −1 is ground. */
  point(at, out) {
    return at.body < 0 ? out.fromArray(at.point) : this.pointInBody(at, out).applyMatrix4(this.matrices[at.body]);
  }
}
