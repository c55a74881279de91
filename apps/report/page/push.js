// A push by the mouse: a force on the point of a body that was taken hold of, as large as it is drawn away from there.
import {BufferGeometry, Line, LineBasicMaterial, Plane, Vector3} from 'three';
import {color} from './theme.js';

export class Push {
  constructor(view) {
    this.view = view;
    this.held = null;
  }

  get isOn() {
    return this.held !== null;
  }

  /** At a place of the drawing (px): whether a body is there. strength: N, for a draw as long as the mechanism's radius. */
  begin(x, y, strength) {
    const {view} = this,
      hit = view.bodyAt(x, y);
    if (!hit) return false;
    const normal = view.camera.getWorldDirection(new Vector3()).negate();
    const plane = new Plane().setFromNormalAndCoplanarPoint(normal, hit.place);
    this.held = {...hit, point: [...hit.point], strength, plane, to: hit.place.clone()};
    view.controls.enabled = false;
    this.line = new Line(new BufferGeometry(), new LineBasicMaterial({color: color('--force'), depthTest: false}));
    Object.assign(this.line, {frustumCulled: false, renderOrder: 4});
    view.scene.add(this.line);
    return true;
  }

  move(x, y) {
    this.view.rayAt(x, y).ray.intersectPlane(this.held.plane, this.held.to);
    return this.now();
  }

  /** {body, point, force}: the point in axes of the body as it is without load (m), the force in those of the ground (N). */
  now() {
    const {body, point, to, strength} = this.held,
      {main, radius} = this.view;
    const at = main.motion.point(this.held, new Vector3());
    this.line.geometry.setFromPoints([at, to]);
    this.view.request();
    return {body, point, force: to.clone().sub(at).multiplyScalar(strength / radius).toArray()};
  }

  end() {
    this.view.scene.remove(this.line);
    this.line.geometry.dispose();
    this.line.material.dispose();
    this.held = null;
    this.view.controls.enabled = true;
    this.view.request();
  }
}
