// The light: a sun that casts shadows, and the sky.
import {DirectionalLight, HemisphereLight, Quaternion, Vector3} from 'three';

export class Light {
  /** up: unit vector; center, radius: of what is seen. */
  constructor(scene, {up, center, radius: r}) {
    const sun = new DirectionalLight(0xffffff, 1.9);
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), up);
    this.arm = new Vector3(1.6, -1.2, 3.2).multiplyScalar(r).applyQuaternion(turn);
    this.sun = sun;
    this.goTo(center);
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
    sky.position.copy(up);
    scene.add(sun, sun.target, sky);
  }

  goTo(center) {
    this.sun.target.position.copy(center);
    this.sun.position.copy(center).add(this.arm);
  }
}
