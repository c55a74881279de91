// The wording and the places of messages about bodies.
#include "tests/messages/messages.hpp"

using namespace polyform::host::testing;

TEST_CASE("messages about bodies") {
  check_messages({
      {"an unknown key at the top",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "gravitty: [0, 0, -1]\n",
       "m.yaml:4:1: error: gravitty: unknown key 'gravitty'\n"
       "  Did you mean 'gravity'? Known keys here: polyform, parameters, include, name, lenient, gravity, "
       "bodies, joints, forces, constraints, modules, subsystems, parts, place, signals, chains, ground, groups, "
       "contacts, simulation, … (21 in all).\n"},
      {"an unknown key of a body",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mas: 1, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:15: error: bodies[0].mas: unknown key 'mas'\n"
       "  Did you mean 'mass'? Known keys here: type, name, position, orientation, velocity, "
       "angular_velocity, geometry, mass, center_of_mass, inertia.\n"},
      {"no mass",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:5: error: bodies[0].mass: 'mass' is missing: a rigid body needs one, in kg (0 is "
       "allowed)\n"
       "  Add 'mass: …' here.\n"},
      {"no inertia",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1}\n",
       "m.yaml:3:5: error: bodies[0].inertia: 'inertia' is missing: a rigid body needs {xx, yy, zz} "
       "about its centre of mass, in kg m²\n"
       "  Add 'inertia: …' here.\n"},
      {"a moment of inertia left out",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1}}\n",
       "m.yaml:3:33: error: bodies[0].inertia.zz: 'zz' is missing: a moment of inertia about the centre "
       "of mass, in kg m²\n"
       "  Add 'zz: …' here.\n"},
      {"a negative mass",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: -1, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:21: error: bodies[0].mass: the mass is negative: -1 kg\n"
       "  A mass is 0 kg or more.\n"},
      {"a text for a number",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: heavy, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:21: error: bodies[0].mass: found 'heavy', expected a number in kg: there is no name "
       "'heavy'\n"
       "  The model has no parameters here: define them under 'parameters', or write a number.\n"},
      {"a name that is no parameter",
       "polyform: 1\n"
       "parameters: {mass: 2, m: 'mass/4'}\n"
       "bodies:\n"
       "  - {name: a, mass: '2*mas + m', inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:4:24: error: bodies[0].mass: found the text in quotes '2*mas + m', expected a number in kg: there is no "
       "name 'mas', at character 3 of the expression\n"
       "  Did you mean 'mass'? Parameters here: m, mass.\n"},
      {"a division by zero",
       "polyform: 1\n"
       "parameters: {n: 2}\n"
       "bodies:\n"
       "  - {name: a, mass: 3 + 1/(n - 2), inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:4:25: error: bodies[0].mass: found '3 + 1/(n - 2)', expected a number in kg: division by zero in "
       "'1/(n - 2)'\n"
       "  Look at the values of its parameters.\n"},
      {"a number with a unit",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 5 kg, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:23: error: bodies[0].mass: found '5 kg', expected a number in kg: found 'k' where an operator or the "
       "end should be, at character 3 of the expression\n"
       "  Operators are + - * / ^ < <= > >= == != and or not, and c ? a : b.\n"},
      {"the time for a number",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 2*t, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:23: error: bodies[0].mass: found '2*t', expected a number in kg: 't' changes with the motion, and "
       "this is a number for the whole run; where a function of time may stand, a formula is written {expression: "
       "\"…\"}, at character 3 of the expression\n"
       "  The model has no parameters here: define them under 'parameters', or write a number.\n"},
      {"a NaN",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: .nan, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:21: error: bodies[0].mass: found '.nan', which is not a finite number\n"
       "  Every number of a model is finite; look at what wrote this value.\n"},
      {"an infinity",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, center_of_mass: [0, -.inf, 0], inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:44: error: bodies[0].center_of_mass[1]: found '-.inf', which is not a finite number\n"
       "  Every number of a model is finite; look at what wrote this value.\n"},
      {"a number beyond a double",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1e999, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:21: error: bodies[0].mass: found '1e999', which is beyond the range of a double "
       "(1e-308 to 1e308)\n"},
      {"no value",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: , inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:21: error: bodies[0].mass: found nothing, expected a number in kg\n"
       "  Give a value, or remove the key.\n"},
      {"a list of the wrong length",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, position: [1, 2], inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:34: error: bodies[0].position: found a list of 2, expected a list of 3 numbers [x, y, "
       "z], in m\n"},
      {"a number for a list",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, velocity: 3, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:34: error: bodies[0].velocity: found '3', expected a list of 3 numbers [x, y, z], in "
       "m/s\n"},
      {"the triangle inequality",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 2.1}}\n",
       "m.yaml:3:33: error: bodies[0].inertia: the inertia violates the triangle inequality: of its "
       "principal moments 1, 1 and 2.1 kg m², the largest exceeds the sum of the others by 0.1\n"
       "  No body has such an inertia; check the values, their order and whether they are about the "
       "centre of mass. --lenient, or 'lenient: true' in the model, takes it as it is, with a warning.\n"},
      {"the triangle inequality in a lenient model",
       "polyform: 1\n"
       "lenient: true\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 2.1}}\n",
       "m.yaml:4:33: warning: bodies[0].inertia: the inertia violates the triangle inequality: of its "
       "principal moments 1, 1 and 2.1 kg m², the largest exceeds the sum of the others by 0.1; it is used as it is "
       "given\n"
       "  Solvers may refuse it, or differ, where its motion depends on it.\n"},
      {"a name that is a formula to a spreadsheet",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: =1+2, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:12: error: bodies[0].name: the name '=1+2' begins with '=' and reads as a formula of a spreadsheet\n"
       "  Names become those of output columns: let it begin with a letter, a digit or '_'.\n"},
      {"a name that steers a terminal",
       "polyform: 1\n"
       "name: \"a\\u009b2J\"\n"
       "bodies:\n"
       "  - {name: \"b\\u202e\", mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:2:7: error: name: the name 'a\\u009b2J' holds '\\u009b', which no name may\n"
       "  It steers a terminal or cannot be seen; look at what wrote this name.\n"
       "m.yaml:4:12: error: bodies[0].name: the name 'b\\u202e' holds '\\u202e', which no name may\n"
       "  It steers a terminal or cannot be seen; look at what wrote this name.\n"},
      {"a negative principal moment",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1, xy: 2}}\n",
       "m.yaml:3:33: error: bodies[0].inertia: the inertia has a negative principal moment (-1 kg m²), "
       "which no body has\n"
       "  Check the signs: xx, yy, zz are not negative, and a product of inertia is at most as large as "
       "they are (xy is the element of the tensor, −∫xy dm). --lenient, or 'lenient: true' in the model, takes it as "
       "it "
       "is, with a warning.\n"},
      {"a quaternion that is not unit",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, orientation: [1, 0.1, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:37: error: bodies[0].orientation: the quaternion has length 1.00498756, expected 1 (to "
       "1e-6)\n"
       "  Give more digits, w first, or use {axis: [x, y, z], angle: a}.\n"},
      {"an orientation about no axis",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, orientation: {axis: [0, 0, 0], angle: 1}, inertia: {xx: 1, yy: 1, zz: "
       "1}}\n",
       "m.yaml:3:44: error: bodies[0].orientation.axis: found [0, 0, 0], which has no direction\n"
       "  Give a vector along the axis; its length does not matter.\n"},
      {"an orientation without angle",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, orientation: {axis: [0, 0, 1]}, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:37: error: bodies[0].orientation.angle: 'angle' is missing: the angle of the rotation, "
       "in rad\n"
       "  Add 'angle: …' here.\n"},
      {"an orientation in two forms",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, orientation: {rpy: [0, 0, 1], angle: 1}, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:54: error: bodies[0].orientation.angle: 'angle' does not belong here: the orientation "
       "is given as 'rpy'\n"
       "  Remove it.\n"},
      {"a body without name",
       "polyform: 1\n"
       "bodies:\n"
       "  - {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:5: error: bodies[0].name: 'name' is missing: every body has one\n"
       "  Add 'name: …' here.\n"},
      {"two bodies of one name",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:4:12: error: bodies[1].name: the name 'a' is taken by another body, in line 3\n"
       "  Give each its own name.\n"},
      {"a body called ground",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: ground, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:12: error: bodies[0].name: the name 'ground' is taken: it stands for the inertial "
       "frame, which is always there\n"
       "  Choose another name.\n"},
      {"a name with a comma",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: 'a,b', mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:12: error: bodies[0].name: the name 'a,b' holds ',', which no name may\n"
       "  Names become those of output columns; use letters, digits, '_', '-' and '.'.\n"},
      {"a name as chains make them",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: 'a[1]', mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:12: error: bodies[0].name: the name 'a[1]' holds '[', which no name may\n"
       "  Names such as arm[3] are made by chains and placed parts only; choose a name without brackets.\n"},
      {"a name with a letter of patterns",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: 'a*', mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:12: error: bodies[0].name: the name 'a*' holds '*', which no name may\n"
       "  In patterns such as --columns \"*.q\" it stands for other letters; choose a name without it.\n"},
      {"a missing plugin for a body",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, type: cable, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:21: error: bodies[0].type: no loaded plugin offers body type 'cable'\n"
       "  Known body types: rigid, flexible-beam. If a plugin offers it: see 'polyform plugins' for "
       "what is loaded, and check --plugin-path and POLYFORM_PLUGIN_PATH.\n"},
      {"geometry that is no list",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, geometry: {type: box}, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:34: error: bodies[0].geometry: found a map, expected a list of shapes, [{type: "
       "cylinder, …}, …]\n"},
      {"a shape without type",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, geometry: [{size: 1}], inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:35: error: bodies[0].geometry[0].type: 'type' is missing: the kind of shape: box, "
       "capsule, cylinder, ellipsoid, height-field, mesh, plane, sphere\n"
       "  Add 'type: …' here.\n"},
      {"a shape of unknown kind",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, geometry: [{type: cylindre}], inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:42: error: bodies[0].geometry[0].type: there is no shape 'cylindre'\n"
       "  Did you mean 'cylinder'? Shapes: box, capsule, cylinder, ellipsoid, height-field, mesh, plane, "
       "sphere.\n"},
      {"a shape of no size",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, geometry: [{type: sphere, radius: 0}], inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:58: error: bodies[0].geometry[0].radius: a shape has no extent of 0 m\n"
       "  Give a length greater than 0.\n"},
      {"a key that a shape does not have",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, geometry: [{type: sphere, radius: 1, length: 2}], inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:3:61: error: bodies[0].geometry[0].length: unknown key 'length'\n"
       "  Known keys here: type, visual, radius, position, orientation.\n"},
      {"a body that is no map",
       "polyform: 1\n"
       "bodies: [a]\n",
       "m.yaml:2:10: error: bodies[0]: found 'a', expected a map of 'key: value' entries\n"},
      {"bodies that are no list",
       "polyform: 1\n"
       "bodies: {name: a}\n",
       "m.yaml:2:9: error: bodies: found a map, expected a list of bodies\n"
       "  Begin each item with '- '.\n"},
      {"bodies without value",
       "polyform: 1\n"
       "bodies:\n",
       "m.yaml:3:1: error: bodies: found nothing, expected a list of bodies\n"
       "  Write [] for none, or remove the key.\n"},
  });
}
