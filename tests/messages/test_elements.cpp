// The wording and the places of what is said about forces, constraints and modules.
#include "tests/messages/messages.hpp"

using namespace polyform::host::testing;

TEST_CASE("messages about forces, constraints and modules") {
  check_messages({
      {"a number out of range",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}\n"
       "forces:\n"
       "  - {name: f, type: spring-damper, a: {body: a}, b: {body: ground}, stiffness: -1, free_length: "
       "0}\n",
       "m.yaml:7:80: error: forces[0].stiffness: found '-1', expected a number in N/m of at least 0\n"
       "  stiffness: for the tests.\n"
       "m.yaml:7:97: error: forces[0].free_length: found '0', expected a number in m greater than 0\n"
       "  free_length: for the tests.\n"},
      {"an attachment without body",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}\n"
       "forces:\n"
       "  - {name: f, type: spring-damper, a: {point: [0, 0, 0]}, b: ground, stiffness: 1}\n",
       "m.yaml:7:39: error: forces[0].a.body: 'body' is missing: the body that the point is fixed in\n"
       "  Add 'body: …' here.\n"
       "m.yaml:7:62: error: forces[0].b: found 'ground', expected a point of a body, {body: name, "
       "point: [x, y, z]}\n"},
      {"an unknown joint",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}\n"
       "forces:\n"
       "  - {name: f, type: joint-force, joint: jj, effort: 1}\n",
       "m.yaml:7:41: error: forces[0].joint: there is no joint 'jj'\n"
       "  Did you mean 'j'?\n"},
      {"a formula without its word",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}\n"
       "forces:\n"
       "  - {name: f, type: joint-force, joint: j, effort: '3*q(j)'}\n",
       "m.yaml:7:55: error: forces[0].effort: found the text in quotes '3*q(j)', expected a number in N or N m: 'q' "
       "changes with the motion, and this is a number for the whole run; where a function of time may stand, a formula is written "
       "{expression: \"…\"}, at character 3 of the expression\n"
       "  A formula of time or of the motion stands as {expression: \"…\"}. The model has no parameters here: define them "
       "under 'parameters', or write a number.\n"},
      {"a body for a joint",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}\n"
       "forces:\n"
       "  - {name: f, type: joint-force, joint: a, effort: 1}\n",
       "m.yaml:7:41: error: forces[0].joint: there is no joint 'a'\n"
       "  'a' is a body; name the joint that moves it.\n"},
      {"a misspelt choice",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}\n"
       "forces:\n"
       "  - {name: f, type: point-force, body: a, axes: grounds}\n",
       "m.yaml:7:49: error: forces[0].axes: found 'grounds', expected one of ground, body\n"
       "  Did you mean 'ground'?\n"},
      {"a fraction for an integer",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}\n"
       "forces:\n"
       "  - {name: f, type: everything, n: 1.5}\n",
       "m.yaml:7:36: error: forces[0].n: found '1.5', expected an integer\n"
       "  Write it without decimal point or exponent, such as 12.\n"},
      {"rows of different length",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}\n"
       "forces:\n"
       "  - {name: f, type: everything, matrix: [[1, 2], [3]]}\n",
       "m.yaml:7:50: error: forces[0].matrix[1]: found a list of 1, expected a row of 2 numbers, as the "
       "first one\n"},
      {"an unknown form of function",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}\n"
       "forces:\n"
       "  - {name: f, type: joint-force, joint: j, effort: {sin: {amplitude: 1, frequency: 1}}}\n",
       "m.yaml:7:53: error: forces[0].effort.sin: unknown key 'sin'\n"
       "  Did you mean 'sine'? Known keys here: constant, polynomial, ramp, sine, table, "
       "expression, sum, product.\n"},
      {"two forms of function",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}\n"
       "forces:\n"
       "  - {name: f, type: joint-force, joint: j, effort: {constant: 1, ramp: {rate: 1}}}\n",
       "m.yaml:7:52: error: forces[0].effort: found both 'constant' and 'ramp', expected one form of a "
       "function of time\n"
       "  Give a number, {constant: c}, {polynomial: [c0, c1, …]}, {ramp: {rate, start, end}}, {sine: "
       "{amplitude, frequency, phase, offset}}, {table: [[t, x], …]}, {expression: \"…\"}, "
       "{sum: […]} or {product: […]}.\n"},
      {"a sine without frequency",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}\n"
       "forces:\n"
       "  - {name: f, type: joint-force, joint: j, effort: {sine: {amplitude: 1}}}\n",
       "m.yaml:7:59: error: forces[0].effort.sine.frequency: 'frequency' is missing: in Hz\n"
       "  Add 'frequency: …' here.\n"},
      {"a ramp that ends before it starts",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}\n"
       "forces:\n"
       "  - {name: f, type: joint-force, joint: j, effort: {ramp: {rate: 1, start: 2, end: 1}}}\n",
       "m.yaml:7:59: error: forces[0].effort.ramp: the ramp ends at 1 s, before it starts at 2 s\n"
       "  Give start ≤ end.\n"},
      {"a table whose times do not increase",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}\n"
       "forces:\n"
       "  - {name: f, type: joint-force, joint: j, effort: {table: [[0, 1], [1, 2], [1, 3]]}}\n",
       "m.yaml:7:78: error: forces[0].effort.table[2][0]: 1 does not come after 1 of the row before\n"
       "  Rows of a table increase strictly; sort them and remove repeated ones.\n"},
      {"an unknown interpolation",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}\n"
       "forces:\n"
       "  - {name: f, type: joint-force, joint: j, effort: {table: [[0, 1]], interpolation: cubical}}\n",
       "m.yaml:7:85: error: forces[0].effort.interpolation: found 'cubical', expected linear or cubic\n"
       "  Did you mean 'cubic'?\n"},
      {"two forces of one name",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}\n"
       "forces:\n"
       "  - {name: f, type: everything}\n"
       "  - {name: f, type: everything}\n",
       "m.yaml:8:12: error: forces[1].name: the name 'f' is taken by another force, in line 7\n"
       "  Give each its own name.\n"},
      {"a missing plugin for a force",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}\n"
       "forces:\n"
       "  - {name: f, type: tyre, grip: 1}\n",
       "m.yaml:7:21: error: forces[0].type: no loaded plugin offers force type 'tyre'\n"
       "  Known force types: broken-default, everything, joint-force, point-force, spring-damper. If a "
       "plugin offers it: see 'polyform plugins' for what is loaded, and check --plugin-path and "
       "POLYFORM_PLUGIN_PATH.\n"},
      {"a body in two subsystems",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "subsystems:\n"
       "  - {name: m, bodies: [a]}\n"
       "  - {name: n, bodies: [a]}\n",
       "m.yaml:6:24: error: subsystems[1].bodies[0]: body 'a' is already in a subsystem, in line 5\n"
       "  A body belongs to one subsystem; nest subsystems to build levels.\n"},
      {"ground in a subsystem",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "subsystems: [{name: m, bodies: [ground]}]\n",
       "m.yaml:4:33: error: subsystems[0].bodies[0]: 'ground' is in no subsystem\n"
       "  List bodies only.\n"},
      {"a module within a subsystem",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "subsystems: [{name: m, subsystems: [{name: n, type: dc-motor}]}]\n",
       "m.yaml:4:47: error: subsystems[0].subsystems[0].type: 'type' does not belong here: a module stands in the "
       "list 'modules' of the model\n"
       "  Remove it.\n"},
      {"a misspelt key beside a type within a subsystem",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "subsystems: [{name: m, subsystems: [{name: n, type: dc-motor, bodys: [a], bodies: [a]}]}]\n",
       "m.yaml:4:47: error: subsystems[0].subsystems[0].type: 'type' does not belong here: a module stands in the "
       "list 'modules' of the model\n"
       "  Remove it.\n"
       "m.yaml:4:63: error: subsystems[0].subsystems[0].bodys: unknown key 'bodys'\n"
       "  Known keys here: name, bodies, subsystems.\n"},
      {"subsystems without bodies",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "subsystems:\n"
       "  - {name: m}\n"
       "  - {name: n, bodies: []}\n"
       "  - {name: o, bodies: [], subsystems: [{name: p, bodies: [a]}]}\n",
       "m.yaml:5:5: error: subsystems[0]: the subsystem has no bodies\n"
       "  Name them under 'bodies', or in subsystems under 'subsystems'; or remove it.\n"
       "m.yaml:6:23: error: subsystems[1].bodies: the subsystem has no bodies\n"
       "  Name them under 'bodies', or in subsystems under 'subsystems'; or remove it.\n"},
      {"subsystems under the key that they had before, which is noted once",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "modules:\n"
       "  - {name: m, modules: [{name: n, bodies: [a]}]}\n"
       "  - {name: o, bodies: [a]}\n",
       "m.yaml:5:5: note: modules[0]: a named part of the system is a subsystem\n"
       "  Write it under 'subsystems'. The key 'modules' is read for it as before.\n"
       "m.yaml:6:24: error: modules[1].bodies[0]: body 'a' is already in a subsystem, in line 5\n"
       "  A body belongs to one subsystem; nest subsystems to build levels.\n"},
  });
}
