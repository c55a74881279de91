// CAD meshes that somebody lays over bodies: STL, OBJ and glTF files, in the axes of the body.
import {Box3, Group, Mesh, MeshStandardMaterial, Vector3} from 'three';
import {GLTFLoader} from 'three/examples/jsm/loaders/GLTFLoader.js';
import {OBJLoader} from 'three/examples/jsm/loaders/OBJLoader.js';
import {STLLoader} from 'three/examples/jsm/loaders/STLLoader.js';

export const accepted = '.stl,.obj,.glb,.gltf';
/** A mesh so many times larger than the motion is in millimetres. */
const tooLarge = 25;

const readers = {
  stl: async (file) => new Mesh(new STLLoader().parse(await file.arrayBuffer())),
  obj: async (file) => new OBJLoader().parse(await file.text()),
  glb: (file) => readGltf(file),
  gltf: (file) => readGltf(file),
};

/** Names of other files in a glTF file that is no .glb. */
async function namedFiles(file) {
  const {buffers = [], images = []} = JSON.parse(await file.text());
  return [...buffers, ...images].map(({uri}) => uri).filter((uri) => uri && !uri.startsWith('data:'));
}

/** Whether all vertices have a direction out of the surface. STL files may have zeros for it. */
function hasNormals({normal}) {
  if (!normal) return false;
  for (let k = 0; k < normal.count; ++k)
    if (!(Math.hypot(normal.getX(k), normal.getY(k), normal.getZ(k)) > 0.1)) return false;
  return true;
}

async function readGltf(file) {
  const {scene} = await new GLTFLoader().parseAsync(await file.arrayBuffer(), '');
  return scene;
}

/** The mesh of a file: {object, triangles}. Throws an Error with a sentence. */
export async function readMesh(file) {
  const kind = file.name.split('.').pop().toLowerCase();
  if (!readers[kind]) throw new Error(`${file.name} is none of STL, OBJ, glb and glTF`);
  let object;
  const say = (message) => `${file.name} could not be read: ${message.replace(/\.$/, '')}.`;
  try {
    // Before the loader asks the browser for them.
    const others = kind === 'gltf' ? await namedFiles(file) : [];
    if (others.length > 0) throw new Error(`it names another file, ${others[0]}: save it as .glb, which holds all`);
    object = await readers[kind](file);
  } catch (problem) {
    throw new Error(say(problem.message), {cause: problem});
  }
  let triangles = 0;
  object.traverse((node) => {
    if (!node.isMesh) return;
    const {index, attributes} = node.geometry;
    if (!hasNormals(attributes)) node.geometry.computeVertexNormals();
    triangles += (index ? index.count : (attributes.position?.count ?? 0)) / 3;
  });
  if (!(triangles > 0)) throw new Error(`${file.name} has no triangles`);
  return {object, triangles: Math.floor(triangles)};
}

/** The meshes of one mechanism. */
export class Meshes {
  constructor(scene, radius) {
    Object.assign(this, {scene, radius, byBody: new Map()});
  }

  has(body) {
    return this.byBody.has(body);
  }

  /** Lays it over the body in place of its shapes; gives the unit that it is taken to be in. */
  add(body, object, color) {
    this.drop(body);
    const material = new MeshStandardMaterial({color, roughness: 0.6, metalness: 0.1});
    object.traverse((node) => {
      if (node.isMesh) Object.assign(node, {material, castShadow: true, receiveShadow: true});
    });
    const size = new Box3().setFromObject(object).getSize(new Vector3()).length();
    const group = new Group();
    group.matrixAutoUpdate = false;
    group.add(object);
    this.scene.add(group);
    this.byBody.set(body, {group, object, material});
    const unit = size > tooLarge * this.radius ? 'mm' : 'm';
    this.setUnit(body, unit);
    return unit;
  }

  setUnit(body, unit) {
    const {object} = this.byBody.get(body);
    object.scale.setScalar(unit === 'mm' ? 1e-3 : 1);
  }

  drop(body) {
    const mesh = this.byBody.get(body);
    if (!mesh) return;
    this.scene.remove(mesh.group);
    mesh.object.traverse((node) => node.isMesh && node.geometry.dispose());
    mesh.material.dispose();
    this.byBody.delete(body);
  }

  move(motion) {
    for (const [body, {group}] of this.byBody) group.matrix.copy(motion.matrices[body]);
  }

  paint(colorOf) {
    for (const [body, {material}] of this.byBody) material.color.set(colorOf(body));
  }
}
