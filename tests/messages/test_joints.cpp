// The wording and the places of what is said about joints.
#include "tests/messages/messages.hpp"

using namespace polyform::host::testing;

TEST_CASE("messages about joints") {
  check_messages({
      {"a misspelt type",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: revolut, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}\n",
       "m.yaml:5:21: error: joints[0].type: no loaded plugin offers joint type 'revolut'\n"
       "  Did you mean 'revolute'? Known joint types: free, prismatic, revolute, spherical, universal. "
       "If a plugin offers it: see 'polyform plugins' for what is loaded, and check --plugin-path and "
       "POLYFORM_PLUGIN_PATH.\n"},
      {"no type",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, base: ground, moving: a}\n",
       "m.yaml:5:5: error: joints[0].type: 'type' is missing: the name of a joint type (polyform plugins lists them)\n"
       "  Add 'type: …' here.\n"},
      {"an unknown body",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: free, base: ground, moving: b}\n",
       "m.yaml:5:49: error: joints[0].moving: there is no body 'b'\n"
       "  Did you mean 'a'?\n"},
      {"a joint for a body",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: free, base: j, moving: a}\n",
       "m.yaml:5:33: error: joints[0].base: there is no body 'j'\n"
       "  'j' is a joint; name one of its bodies.\n"},
      {"a joint of a body with itself",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: free, base: a, moving: a}\n",
       "m.yaml:5:44: error: joints[0].moving: the joint connects 'a' to itself\n"
       "  Base and moving are two bodies, or a body and 'ground'.\n"},
      {"no axis",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: revolute, base: ground, moving: a, position: [0, 0, 0]}\n",
       "m.yaml:5:5: error: joints[0].axis: 'axis' is missing: for the tests\n"
       "  Add 'axis', a direction [x, y, z].\n"},
      {"a zero axis",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 0]}\n",
       "m.yaml:5:83: error: joints[0].axis: found [0, 0, 0], which has no direction\n"
       "  Give a vector along the axis; its length does not matter.\n"},
      {"a misspelt field",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: spherical, base: ground, moving: a, position: [0, 0, 0], axes: [0, 0, 1]}\n",
       "m.yaml:5:78: error: joints[0].axes: unknown key 'axes'\n"
       "  Known keys here: type, name, base, moving, initial, cut, position.\n"},
      {"a wrong initial coordinate",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: free, base: ground, moving: a, initial: {position: [0, x], speed: 1}}\n",
       "m.yaml:5:76: error: joints[0].initial.position[1]: found 'x', expected a number: 'x' changes "
       "with the motion, and this is a number for the whole run; where a function of time may stand, a formula is "
       "written {expression: \"…\"}\n"
       "  The model has no parameters here: define them under 'parameters', or write a number.\n"
       "m.yaml:5:80: error: joints[0].initial.speed: unknown key 'speed'\n"
       "  Known keys here: position, velocity.\n"},
      {"a cut that is no boolean",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "joints:\n"
       "  - {name: j, type: free, base: ground, moving: a, cut: yes}\n",
       "m.yaml:5:57: error: joints[0].cut: found 'yes', expected true or false\n"},
  });
}
