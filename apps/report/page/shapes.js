// What each body looks like: its geometry where the model gives one, otherwise links between what is attached to it.
// A part: {shape, body, tint, matrix} for rigid ones, {shape, tint, ends, width} for what stretches between two points.
import {Matrix4, Quaternion, Vector3} from 'three';
import {inertiaSolid} from './inertia-solid.js';
import {anchorOf, jointCoil, stops, torsionSpring} from './joint-marks.js';

const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
const middle = (points) => [0, 1, 2].map((i) => points.reduce((sum, p) => sum + p[i], 0) / points.length);
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

export const placed = (position, orientation, scale) =>
  new Matrix4().compose(
    new Vector3(...position),
    new Quaternion(orientation[1], orientation[2], orientation[3], orientation[0]),
    new Vector3(...scale),
  );

const axes = [0, 1, 2];

/** Directions from the middle of a cube to its faces, edges and corners. */
const around = [-1, 0, 1].flatMap((x) => [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((z) => [x, y, z]))).filter((d) => d.some(Boolean));
const known = new WeakMap();

/** The vertices of a mesh that reach farthest: however many triangles it has, they tell how large it is. */
function farthest(triangles) {
  if (!known.has(triangles)) {
    const {vertices} = triangles,
      reach = ([x, y, z], v) => x * v[0] + y * v[1] + z * v[2];
    known.set(triangles, [...new Set(around.map((d) => vertices.reduce((best, v) => (reach(d, v) > reach(d, best) ? v : best))))]);
  }
  return known.get(triangles);
}

/** Lengths of a shape along its axes. */
function extentOf({type, size, radius, length, triangles}) {
  if (size) return size;
  if (type !== 'mesh') return [2 * radius, 2 * radius, length ?? 2 * radius];
  const ends = farthest(triangles);
  return axes.map((k) => Math.max(...ends.map((v) => v[k])) - Math.min(...ends.map((v) => v[k])));
}

/** Points of a shape in body axes with a radius about each: a ball, or corners of a box or mesh. */
export function outline({type, position, orientation, size, radius, length, triangles}) {
  if (type === 'mesh') {
    const pose = placed(position, orientation, [1, 1, 1]);
    return farthest(triangles).map((vertex) => [new Vector3(...vertex).applyMatrix4(pose).toArray(), 0]);
  }
  if (type === 'ellipsoid') {
    const pose = placed(position, orientation, size);
    const end = (k, x) => new Vector3().setComponent(k, x).applyMatrix4(pose).toArray();
    return axes.flatMap((k) => [-0.5, 0.5].map((x) => [end(k, x), 0]));
  }
  const ends = () =>
    [-0.5, 0.5].map((z) => new Vector3(0, 0, z).applyMatrix4(placed(position, orientation, [1, 1, length])).toArray());
  if (type === 'plane') return [];
  if (type !== 'box')
    return type === 'sphere' || length < 2 * radius ? [[position, radius]] : ends().map((end) => [end, radius]);
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5]);
  const matrix = placed(position, orientation, size);
  return corners.map((corner) => [new Vector3(...corner).applyMatrix4(matrix).toArray(), 0]);
}

function givenParts(body, shapes, tint) {
  const scale = ({type, size, radius, length}) =>
    type === 'box' ? size
    : type === 'ellipsoid' ? size.map((edge) => edge / 2)
    : type === 'mesh' ? [1, 1, 1]
    : type === 'cylinder' ? [radius, radius, length]
    : [radius, radius, radius];
  return shapes.filter(({type}) => type !== 'plane').map((shape) => ({
    shape: shape.type === 'ellipsoid' ? 'sphere' : shape.type,
    triangles: shape.triangles,
    body,
    tint,
    matrix: placed(shape.position, shape.orientation, scale(shape)),
  }));
}

/** Lines along what is round, by which its rotation is seen. */
const marksOf = (parts) =>
  parts
    .filter(({shape}) => shape === 'sphere' || shape === 'cylinder')
    .map((part) => ({...part, shape: `${part.shape}Mark`, tint: part.tint === 'tyre' ? 'tyre-mark' : 'mark'}));

const local = new Vector3();
/** So many bodies are drawn with less detail. */
const many = 200;

/** Whether a point of the body lies in one of its shapes, or next to it. */
function isWithin(shapes, point, size) {
  const near = 1e-3 * size;
  return shapes.some((shape) => {
    const {type, position, orientation, radius, length} = shape;
    if (type === 'plane') return false;
    local.fromArray(point).applyMatrix4(placed(position, orientation, [1, 1, 1]).invert());
    const edges = extentOf(shape);
    if (type === 'box' || type === 'ellipsoid' || type === 'mesh') return local.toArray().every((x, k) => Math.abs(x) <= edges[k] / 2 + near);
    if (type === 'sphere') return local.length() <= radius + near;
    return Math.hypot(local.x, local.y) <= radius + near && Math.abs(local.z) <= length / 2 + near;
  });
}

/** Points, without those that coincide. */
function distinct(points, size) {
  return points.filter((p, i) => points.findIndex((other) => distance(other, p) <= 1e-9 * (1 + size)) === i);
}

/** Far end of a body that hangs at one point: as far beyond the mass centre as a uniform rod with its inertia reaches. */
function farEnd(from, {mass, center, inertia}) {
  const d = distance(from, center);
  const rod = mass > 0 ? Math.sqrt((12 * Math.max(...inertia)) / mass) / 2 : 0;
  const beyond = Math.min(rod, d) / d;
  return center.map((c, i) => c + beyond * (c - from[i]));
}

/** Points of joints on ground. */
const groundEnds = (joints) =>
  joints.filter(({freedom}) => freedom !== 'all').flatMap(({ends}) => ends.filter(({body}) => body < 0).map(({point}) => point));

/** From each of some points the distance to the nearest other one. */
const gaps = (points) =>
  points.length < 2 ? [] : points.map((p, i) => points.reduce((least, q, j) => (i === j ? least : Math.min(least, distance(p, q))), Infinity));

export class Shapes {
  constructor({bodies, joints, forces = [], ground = []}) {
    Object.assign(this, {bodies, joints, forces, ground});
    this.attached = bodies.map(() => []);
    for (const {ends, freedom} of joints)
      if (freedom !== 'all') for (const {body, point} of ends) if (body >= 0) this.attached[body].push(point);
    this.attached = this.attached.map((points) => distinct(points, 1));
    const lengths = bodies
      .flatMap((body, b) => this.links(b).map(([from, to]) => distance(from, to)))
      .filter((d) => d > 0);
    for (const {points = []} of bodies)
      if (points.length > 1) lengths.push(Math.max(...points.map(({point}) => distance(point, points[0].point))));
    const given = bodies.flatMap(({shapes}) =>
      shapes
        .filter(({type}) => type !== 'plane')
        .map((shape) => Math.max(...extentOf(shape))),
    );
    this.size =
      lengths.length > 0
        ? median(lengths)
        : given.length > 0
          ? median(given)
          : Math.max(...bodies.flatMap((body) => inertiaSolid(body).edges)) || 1;
    this.width = 0.026 * this.size; // radius of a link
    // Joints side by side are thinner than what is between them.
    const between = [...this.attached, distinct(groundEnds(joints), 1)].flatMap(gaps);
    if (between.length > 0) this.width = Math.min(this.width, 0.2 * median(between));
    // Bodies of the same geometry are of one colour: wheels, the two arms of a side.
    const looks = bodies.map(({shapes}) => JSON.stringify(shapes, (key, value) => (key === 'triangles' ? undefined : value)));
    const places = new Map([...new Set(looks)].map((look, place) => [look, place]));
    this.tints = bodies.map(({shapes}, b) => (shapes.length > 0 ? places.get(looks[b]) : b));
  }

  /** What a body without geometry is drawn as: pairs of points of it. */
  links(b) {
    const points = this.attached[b],
      body = this.bodies[b];
    if (body.edges?.length > 0) return [];
    if (points.length === 0) return [];
    if (points.length === 1)
      return distance(points[0], body.center) > 1e-9 ? [[points[0], farEnd(points[0], body)]] : [];
    if (points.length === 2) return [points];
    const hub = middle(points);
    return points.map((point) => [point, hub]);
  }

  /** Whether what the model gives of a body, as for its contact alone, is far smaller than what has its inertia. */
  isSpeck(body) {
    const radii = body.shapes.flatMap(outline).map(([point, radius]) => distance(point, body.shapes[0].position) + radius);
    return radii.length > 0 && Math.max(...radii) < 0.01 * Math.max(...inertiaSolid(body).edges);
  }

  /**
   * The solid for a body with neither geometry nor links, of a size that can be seen; null for others. One larger than
   * the mechanism, as of a motor whose inertia includes its gears, would hide it, and is drawn small.
   */
  solid(b) {
    const {shapes, edges} = this.bodies[b];
    if (edges?.length > 0 || this.links(b).length > 0) return null;
    if (shapes.length > 0 && !this.isSpeck(this.bodies[b])) return null;
    const solid = inertiaSolid(this.bodies[b]);
    const largest = Math.max(...solid.edges),
      scale = largest > 1.001 * this.size ? (0.35 * this.size) / largest : 1;
    return {...solid, edges: solid.edges.map((edge) => Math.max(0.05 * this.size, scale * edge))};
  }

  /** Where springs in slides of ground are fixed. */
  anchors() {
    return this.forces
      .filter(({kind, joint}) => kind === 'joint-coil' && this.joints[joint].freedom === 'slide' && this.joints[joint].axis)
      .map(({joint}) => anchorOf(this.joints[joint], this.ways[joint], this.width))
      .filter(({body}) => body < 0);
  }

  /** Thicker where the whole is so large that links of their own proportion could not be seen. */
  widenFor({radius, center, extent}) {
    this.width = Math.max(this.width, 0.0035 * radius);
    Object.assign(this, {radius, center, extent});
  }

  parts() {
    return [
      ...givenParts(-1, this.ground, this.bodies.length),
      ...this.bodies.flatMap((body, b) => this.bodyParts(body, b).map((part) => ({...part, isBody: true}))),
      ...this.joints.flatMap((joint) => this.jointParts(joint)),
      ...this.forces.flatMap((force) => this.forceParts(force)),
      ...this.planes(),
    ];
  }

  /**
   * A spring is a coil, or a spiral where it turns, a tyre a wheel, a rope a line; stops are plates or bars, rods are
   * rods. What else acts between two points is a thin line.
   */
  forceParts(force) {
    const {kind, ends, at, axis, radius} = force,
      {width, joints} = this;
    if (kind === 'joint-coil') return jointCoil(joints[force.joint], this.ways[force.joint], width);
    if (kind === 'torsion') return torsionSpring(ends, joints, width);
    if (kind === 'stop') return stops(force, joints[force.joint], this.ways[force.joint], width);
    if (kind === 'wheel' && this.isTyre(at.body, radius)) return [];
    if (kind === 'wheel')
      return [{shape: 'wheel', tint: 'tyre', at, along: {body: at.body, axis}, width: radius, length: radius}];
    if (kind === 'coil') return [{shape: 'coil', tint: 'spring', ends, width: 1.5 * width}];
    const thin = kind === 'rod' ? 0.6 : 0.4;
    return ends
      .slice(1)
      .map((to, k) => ({shape: 'cylinder', tint: 'spring', ends: [ends[k], to], width: thin * width}));
  }

  /** Whether a cylinder of the body is drawn as the tyre already. */
  isTyre(body, radius) {
    return this.bodies[body].shapes.some((shape) => shape.type === 'cylinder' && shape.radius > 0.9 * radius);
  }

  /** Planes of ground as far as the motion reaches along them, and a little on; those of bodies about the body. */
  planes() {
    const patch = (body, {position, orientation}, tint) => {
      const matrix = placed(position, orientation, [1, 1, 1]);
      const centre = body < 0 ? this.center.clone() : new Vector3(...position);
      centre.applyMatrix4(matrix.clone().invert()).setZ(0).applyMatrix4(matrix);
      const reach = (column) =>
        local.setFromMatrixColumn(matrix, column).toArray().reduce((sum, x, k) => sum + Math.abs(x) * this.extent.getComponent(k), 0);
      const edges = body < 0 ? [0, 1].map((column) => 1.1 * reach(column) + 0.25 * this.radius) : [1, 1].map((x) => x * this.radius);
      return {shape: 'plane', body, tint, matrix: placed(centre.toArray(), orientation, [...edges, 1])};
    };
    const of = (shapes) => shapes.filter(({type}) => type === 'plane');
    return [
      ...of(this.ground).filter((plane) => plane !== this.floor).map((plane) => patch(-1, plane, 'spring')),
      ...this.bodies.flatMap(({shapes}, b) => of(shapes).map((plane) => patch(b, plane, this.tints[b]))),
    ];
  }

  bodyParts(body, b) {
    const {width} = this;
    const wheel = this.forces.find(({kind, at, radius}) => kind === 'wheel' && at.body === b && this.isTyre(b, radius));
    const solids = givenParts(b, body.shapes, wheel ? 'tyre' : this.tints[b]);
    const given = [...solids, ...marksOf(solids)];
    if (body.edges?.length > 0) return [...given, ...this.flexibleParts(body, b)];
    if (given.length > 0 && !this.isSpeck(body)) return [...given, ...this.arms(body, b)];
    const links = this.links(b),
      solid = this.solid(b);
    if (solid) return [...given, ...this.solidParts(body, b, solid)];
    // Where bodies are many, balls at the ends of links are most of what is drawn, and too small to be seen.
    const ends = this.bodies.length > many ? [] : distinct(links.flat(), 1);
    const balls = ends.map((at) => ({shape: 'sphere', tint: b, at: {body: b, point: at}, width}));
    return [
      ...(given.length > 0 ? [...given, ...this.arms(body, b)] : []),
      ...links.map(([from, to]) => ({
        shape: 'cylinder',
        tint: b,
        ends: [
          {body: b, point: from},
          {body: b, point: to},
        ],
        width,
      })),
      ...balls,
    ];
  }

  solidParts({center}, b, {type, orientation, edges: [x, y, z]}) {
    const scale = type === 'box' ? [x, y, z] : [x / 2, y / 2, type === 'sphere' ? z / 2 : z];
    const drawn = [{shape: type, body: b, tint: this.tints[b], matrix: placed(center, orientation, scale)}];
    return [...drawn, ...marksOf(drawn)];
  }

  /** Of a body with geometry, thin arms to what is attached to it outside of its shapes. */
  arms({shapes}, b) {
    const solid = shapes.filter(({type}) => type !== 'plane');
    const width = 0.6 * this.width;
    return this.attached[b]
      .filter((point) => !isWithin(solid, point, this.size))
      .flatMap((point) => {
        const nearest = solid.reduce((best, one) =>
          distance(one.position, point) < distance(best.position, point) ? one : best,
        ).position;
        const ends = [point, nearest].map((at) => ({body: b, point: at}));
        return [
          {shape: 'cylinder', tint: this.tints[b], ends, width},
          {shape: 'sphere', tint: this.tints[b], at: ends[0], width},
        ];
      });
  }

  /** Lines that bend as the modes say. */
  flexibleParts(body, b) {
    const {width} = this;
    return body.edges.flatMap((edge) => {
      const ends = edge.map((k) => ({body: b, ...body.points[k]}));
      return [
        {shape: 'cylinder', tint: b, ends, width: 0.8 * width},
        {shape: 'sphere', tint: b, at: ends[1], width: 0.8 * width},
      ];
    });
  }

  jointParts({freedom, ends: [base, moving], axis}) {
    // Where links are thick for their length, joints would hide them.
    if (freedom === 'all' || freedom === 'none' || this.width > 0.12 * this.size) return [];
    const at = base.body >= 0 && moving.body < 0 ? base : moving;
    const tint = base.body < 0 || moving.body < 0 ? 'anchor' : 'joint';
    const parts = [];
    if (freedom === 'turn' && axis)
      parts.push({
        shape: 'cylinder',
        tint,
        at: moving,
        along: {body: base.body, axis},
        width: 1.35 * this.width,
        length: 3.2 * this.width,
      });
    else if (freedom === 'slide' && axis)
      parts.push({
        shape: 'box',
        tint,
        at: moving,
        along: {body: base.body, axis},
        width: 3 * this.width,
        length: 5 * this.width,
      });
    else parts.push({shape: 'sphere', tint, at, width: 1.5 * this.width});
    return parts;
  }
}
