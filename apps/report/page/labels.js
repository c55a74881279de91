// Names of bodies and joints, laid over the drawing.
import {Vector3} from 'three';
import {element} from './format.js';

const most = 120; // of a kind: more could not be read

export class Labels {
  constructor(parent) {
    this.parent = parent;
    this.kinds = {};
  }

  /** places: [{name, at}], with `at` a point as Motion.point takes it. */
  set(kind, places) {
    for (const {label} of this.kinds[kind]?.items ?? []) label.remove();
    const items = places.slice(0, most).map(({name, at}) => {
      const label = element('span', {className: kind, textContent: name});
      this.parent.append(label);
      return {label, at};
    });
    this.kinds[kind] = {items, shown: this.kinds[kind]?.shown ?? false};
    this.toggle(kind, this.kinds[kind].shown);
  }

  toggle(kind, shown) {
    this.kinds[kind].shown = shown;
    for (const {label} of this.kinds[kind].items) label.hidden = !shown;
  }

  place(motion, camera, width, height) {
    for (const {items, shown} of Object.values(this.kinds)) {
      if (!shown) continue;
      for (const {label, at} of items) {
        motion.point(at, point).project(camera);
        label.hidden = point.z > 1;
        label.style.transform = `translate(${((point.x + 1) / 2) * width}px, ${((1 - point.y) / 2) * height}px)`;
      }
    }
  }
}

const point = new Vector3();
