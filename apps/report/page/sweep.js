// What a mechanism sweeps over a run: where it is, how large it is, and where the ground is below it.
import {Box3, Vector3} from 'three';
import {outline} from './shapes.js';

/**
 * So many times larger than the mechanism is the motion of one that travels far: a vehicle would be a dot in a picture
 * of all its way. A single body has its way alone to show.
 */
const far = (bodies) => (bodies.length > 1 ? 7 : 100);

/** The heaviest of the bodies that the run has. */
const heaviest = (bodies, motion) =>
  bodies.reduce((best, {mass}, b) => (motion.has(b) && (best < 0 || mass > bodies[best].mass) ? b : best), -1);

/** All points of bodies with the radius about each that is drawn. */
function pointsOf({bodies}, shapes, motion) {
  return bodies.flatMap((body, b) =>
    motion.has(b)
      ? [
          [{body: b, point: body.center}, Math.hypot(...(shapes.solid(b)?.edges ?? [0])) / 2],
          ...(body.points ?? []).map((at) => [{body: b, ...at}, 0]),
          ...body.shapes.flatMap((shape) => outline(shape).map(([point, radius]) => [{body: b, point}, radius])),
          ...shapes.links(b).flatMap((link) => link.map((point) => [{body: b, point}, 0])),
        ]
      : [],
  );
}

/** Points of the ground that joints and forces are at, and its shapes, with the radius about each. */
const groundPoints = ({joints, forces = [], ground = []}, shapes) => [
  ...shapes.anchors().map((at) => [at, 0]),
  ...[...joints, ...forces].flatMap(({ends = []}) => ends.filter(({body}) => body < 0).map((at) => [at, 0])),
  ...ground.flatMap((shape) => outline(shape).map(([point, radius]) => [{body: -1, point}, radius])),
];

/**
 * Bodies that are to be in sight: not small ones that fly far off, such as a finger of a robot that leaves its slide,
 * since all else would be a dot. boxes: of the motion of each body.
 */
function inSight(bodies, boxes) {
  const total = bodies.reduce((sum, {mass}) => sum + mass, 0);
  const isHeavy = bodies.map(({mass}) => mass > 0.005 * total);
  const union = (test) => boxes.reduce((all, box, b) => (test(b) ? all.union(box) : all), new Box3());
  const all = union(() => true).getSize(new Vector3()).length(),
    heavy = union((b) => isHeavy[b]).getSize(new Vector3()).length();
  return all > 4 * heavy && heavy > 0 ? isHeavy : bodies.map(() => true);
}

function sizes(box, least) {
  if (box.isEmpty()) box.expandByPoint(new Vector3());
  const extent = box.getSize(new Vector3());
  return {center: box.getCenter(new Vector3()), extent, radius: Math.max(0.5 * extent.length(), 0.6 * least)};
}

/**
 * whole: {center, extent, radius} of all of the motion; carried: the same as it is seen from the heaviest body, which
 * is `body` and begins at `from`; travels: whether that is to be shown; height: of the ground, along `up`.
 */
export function measureSweep({mechanism, shapes, up, clock: {start, end}}, motion) {
  const {bodies} = mechanism,
    points = pointsOf(mechanism, shapes, motion),
    body = heaviest(bodies, motion);
  const boxes = bodies.map(() => ({whole: new Box3(), carried: new Box3(), lowest: Infinity}));
  const from = new Vector3(),
    way = new Vector3(),
    point = new Vector3();
  const samples = bodies.length > 1000 ? 5 : 40;
  for (let k = 0; k <= samples; ++k) {
    motion.place(start + (k / samples) * (end - start));
    if (body >= 0) motion.point({body, point: bodies[body].center}, way);
    if (k === 0) from.copy(way);
    for (const [at, radius] of points) {
      const own = boxes[at.body];
      motion.point(at, point);
      own.lowest = Math.min(own.lowest, point.dot(up) - radius);
      for (const box of [own.whole, own.carried]) {
        box.expandByPoint(point.addScalar(radius));
        box.expandByPoint(point.addScalar(-2 * radius));
        point.addScalar(radius).sub(way).add(from); // as the heaviest body has it
      }
    }
  }
  const whole = new Box3(),
    carried = new Box3(),
    isSeen = inSight(bodies, boxes.map((box) => box.whole));
  let lowest = Infinity;
  boxes.forEach((own, b) => {
    if (!isSeen[b]) return;
    whole.union(own.whole);
    carried.union(own.carried);
    lowest = Math.min(lowest, own.lowest);
  });
  for (const [at, radius] of groundPoints(mechanism, shapes)) {
    motion.point(at, point);
    lowest = Math.min(lowest, point.dot(up) - radius);
    whole.expandByPoint(point.addScalar(radius));
    whole.expandByPoint(point.addScalar(-2 * radius));
  }
  const all = sizes(whole, shapes.size),
    own = sizes(carried, shapes.size);
  const travels = body >= 0 && all.radius > far(bodies) * own.radius,
    {radius} = travels ? own : all;
  const height = Number.isFinite(lowest) ? lowest - 2 * shapes.width : 0;
  // Where the mechanism stands about on the plane through the origin, that is the ground.
  return {whole: all, carried: own, body, from, travels, height: Math.abs(height) < 0.12 * radius ? 0 : height};
}

const here = new Vector3(),
  there = new Vector3(),
  direction = new Vector3();

/**
 * For each slide with a spring or stops, how far its moving point goes along its axis over a run, from `low` to `high`,
 * how far the shapes of the moving body reach from this point, from `back` to `front`, and how far `across`; m.
 */
export function waysOfSlides({joints, bodies, forces = []}, motion, {start, end}) {
  const ways = joints.map(() => ({low: 0, high: 0, back: 0, front: 0, across: 0}));
  const asked = new Set(forces.map(({joint}) => joint).filter((joint) => joint !== undefined));
  const slides = [...asked].filter(
    (j) => joints[j].freedom === 'slide' && joints[j].axis && joints[j].ends.every(({body}) => body < 0 || motion.has(body)),
  );
  /** From one point to another; `direction` is then the axis of the slide. */
  const reach = ({axis, ends: [base]}, from, to) => {
    direction.fromArray(axis);
    if (base.body >= 0) direction.transformDirection(motion.matrices[base.body]);
    return motion.point(to, there).sub(motion.point(from, here));
  };
  for (let k = 0; slides.length > 0 && k <= 24; ++k) {
    motion.place(start + (k / 24) * (end - start));
    for (const j of slides) {
      const gone = reach(joints[j], ...joints[j].ends).dot(direction);
      Object.assign(ways[j], {low: Math.min(ways[j].low, gone), high: Math.max(ways[j].high, gone)});
    }
  }
  for (const j of slides) {
    const way = ways[j],
      moving = joints[j].ends[1];
    if (moving.body < 0) continue;
    for (const [point, radius] of bodies[moving.body].shapes.flatMap(outline)) {
      const arm = reach(joints[j], moving, {body: moving.body, point}),
        ahead = arm.dot(direction);
      Object.assign(way, {
        back: Math.min(way.back, ahead - radius),
        front: Math.max(way.front, ahead + radius),
        across: Math.max(way.across, arm.addScaledVector(direction, -ahead).length() + radius),
      });
    }
  }
  return ways;
}
