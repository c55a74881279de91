// Names of bodies and joints, laid over the drawing.
import {Vector3} from 'three';
import {element} from './format.js';

const most = 120; // of a kind: more could not be read
const letter = 6.5,
  line = 13; // px, about

export class Labels {
  constructor(parent) {
    this.parent = parent;
    this.kinds = {};
  }

  /** places: [{name, at}], with `at` a point as Motion.point takes it. */
  set(kind, places) {
    for (const {label} of this.kinds[kind]?.items ?? []) label.remove();
    const every = Math.ceil(places.length / most);
    const items = places
      .filter((_, k) => k % every === 0)
      .map(({name, at}) => {
        const label = element('span', {className: kind, textContent: name});
        this.parent.append(label);
        return {label, at, long: letter * name.length + 10};
      });
    this.kinds[kind] = {items, shown: this.kinds[kind]?.shown ?? false};
    this.toggle(kind, this.kinds[kind].shown);
  }

  clear() {
    for (const kind of Object.keys(this.kinds)) for (const {label} of this.kinds[kind].items) label.remove();
  }

  toggle(kind, shown) {
    this.kinds[kind].shown = shown;
    for (const {label} of this.kinds[kind].items) label.hidden = !shown;
  }

  /** What would lie on another label stays out of sight. */
  place(motion, camera, width, height) {
    const taken = [];
    for (const {items, shown} of Object.values(this.kinds)) {
      if (!shown) continue;
      for (const {label, at, long} of items) {
        motion.point(at, point).project(camera);
        const x = Math.min(((point.x + 1) / 2) * width, width - long - 8),
          y = ((1 - point.y) / 2) * height;
        label.hidden =
          point.z > 1 ||
          taken.some((other) => Math.abs(y - other.y) < line && x < other.x + other.long && other.x < x + long);
        if (label.hidden) continue;
        taken.push({x, y, long});
        label.style.transform = `translate(${x}px, ${y}px)`;
      }
    }
  }
}

const point = new Vector3();
