// The ground: a grid that receives shadows, and the axes at the origin.
import {AxesHelper, Color, GridHelper, Group, Mesh, PlaneGeometry, Quaternion, ShadowMaterial, Vector3} from 'three';
import {color} from './theme.js';

/** 1, 2 or 5 times a power of ten, not less than x. */
function roundUp(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * [1, 2, 5, 10].find((m) => m * power >= x * (1 - 1e-9));
}

export class Ground {
  /** up: unit vector; height: along it; center, radius: of all that moves. */
  constructor(scene, {up, height, center, radius}) {
    this.group = new Group();
    this.turn = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), up);
    this.spacing = roundUp(radius / 6);
    this.cells = 2 * Math.ceil((2.2 * radius) / this.spacing);
    Object.assign(this, {up, height});
    this.goTo(center);
    this.group.quaternion.copy(this.turn);
    const shadow = new Mesh(
      new PlaneGeometry(8 * radius, 8 * radius).rotateX(-Math.PI / 2),
      new ShadowMaterial({opacity: 0.13}),
    );
    shadow.receiveShadow = true;
    shadow.position.y = -1e-3 * radius;
    this.group.add(shadow);
    this.axes = new AxesHelper(0.16 * radius);
    // Through bodies at the origin too, as their letters are.
    this.axes.renderOrder = 2;
    Object.assign(this.axes.material, {depthTest: false, transparent: true, opacity: 0.8});
    scene.add(this.group, this.axes);
    this.paint();
  }

  /** Below a point; its lines stay where they are, and pass through the origin of the ground frame. */
  goTo(center) {
    const inPlane = center.clone().applyQuaternion(this.turn.clone().invert());
    const snapped = new Vector3(
      Math.round(inPlane.x / this.spacing),
      0,
      Math.round(inPlane.z / this.spacing),
    ).multiplyScalar(this.spacing);
    this.group.position.copy(snapped.applyQuaternion(this.turn)).addScaledVector(this.up, this.height);
  }

  paint() {
    if (this.grid) {
      this.group.remove(this.grid);
      this.grid.dispose();
    }
    const line = new Color(color('--grid'));
    this.grid = new GridHelper(this.cells * this.spacing, this.cells, line, line);
    this.grid.material.transparent = true;
    this.grid.material.opacity = 0.75;
    this.group.add(this.grid);
    this.axes.setColors(new Color(color('--axis-x')), new Color(color('--axis-y')), new Color(color('--axis-z')));
  }

  set visible(on) {
    this.group.visible = this.axes.visible = on;
  }
}
