// The wording and the places of what is said about chains.
#include "tests/messages/messages.hpp"

using namespace polyform::host::testing;

TEST_CASE("messages about chains") {
  check_messages({
      {"a count that is no integer",
       "polyform: 1\n"
       "chains:\n"
       "  - {name: arm, count: 1e3, body: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}, joint: {type: "
       "spherical}, step: [1, 0, 0]}\n",
       "m.yaml:3:24: error: chains[0].count: found '1e3', expected an integer\n"
       "  Write it without decimal point or exponent, such as 12.\n"},
      {"a count of zero",
       "polyform: 1\n"
       "chains:\n"
       "  - {name: arm, count: 0, body: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}, joint: {type: "
       "spherical}, step: [1, 0, 0]}\n",
       "m.yaml:3:24: error: chains[0].count: found 0, expected at least 1\n"
       "  A chain has one body or more; remove the chain if it has none.\n"},
      {"a template that places its body",
       "polyform: 1\n"
       "chains:\n"
       "  - {name: arm, count: 2, body: {position: [0, 0, 0], mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}, "
       "joint: {type: spherical}, step: [1, 0, 0]}\n",
       "m.yaml:3:34: error: chains[0].body.position: 'position' does not belong here: the chain places "
       "its bodies at start + k step\n"
       "  Remove it.\n"},
      {"a template that connects its joint",
       "polyform: 1\n"
       "chains:\n"
       "  - {name: arm, count: 2, body: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}, joint: {type: "
       "spherical, base: ground}, step: [1, 0, 0]}\n",
       "m.yaml:3:101: error: chains[0].joint.base: 'base' does not belong here: the chain connects its "
       "bodies\n"
       "  Remove it.\n"},
      {"no step",
       "polyform: 1\n"
       "chains:\n"
       "  - {name: arm, count: 2, body: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}, joint: {type: "
       "spherical}}\n",
       "m.yaml:3:5: error: chains[0].step: 'step' is missing: from each body to the next, in m\n"
       "  Add 'step: …' here.\n"},
      {"a body beyond the chain's end",
       "polyform: 1\n"
       "chains:\n"
       "  - {name: arm, count: 2, body: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}, joint: {type: "
       "spherical}, step: [1, 0, 0]}\n"
       "joints:\n"
       "  - {name: j, type: free, base: ground, moving: 'arm[2]'}\n",
       "m.yaml:5:49: error: joints[0].moving: there is no body 'arm[2]'\n"
       "  Chain 'arm' has arm[0] to arm[1].\n"},
      {"a chain for a body",
       "polyform: 1\n"
       "chains:\n"
       "  - {name: arm, count: 2, body: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}, joint: {type: "
       "spherical}, step: [1, 0, 0]}\n"
       "joints:\n"
       "  - {name: j, type: free, base: ground, moving: arm}\n",
       "m.yaml:5:49: error: joints[0].moving: there is no body 'arm'\n"
       "  Chain 'arm' has arm[0] to arm[1].\n"},
      {"a chain that hangs from itself",
       "polyform: 1\n"
       "chains:\n"
       "  - {name: arm, count: 2, base: 'arm[1]', body: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}, "
       "joint: {type: spherical}, step: [1, 0, 0]}\n",
       "m.yaml:3:33: error: chains[0].base: the base 'arm[1]' is a body of the chain itself\n"
       "  Name 'ground' or a body outside this chain; close a loop with a joint under 'joints'.\n"},
      {"two chains of one name",
       "polyform: 1\n"
       "chains:\n"
       "  - {name: arm, count: 2, body: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}, joint: {type: "
       "spherical}, step: [1, 0, 0]}\n"
       "  - {name: arm, count: 3, body: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}, joint: {type: "
       "spherical}, step: [1, 0, 0]}\n",
       "m.yaml:4:5: error: chains[1]: the name 'arm' is taken by another chain, in line 3\n"
       "  Give each its own name.\n"},
      {"a mistake in a template is reported once",
       "polyform: 1\n"
       "chains:\n"
       "  - {name: arm, count: 5, body: {mass: -1, inertia: {xx: 1, yy: 1, zz: 1}}, joint: {type: "
       "spherical}, step: [1, 0, 0]}\n",
       "m.yaml:3:40: error: chains[0].body.mass: the mass is negative: -1 kg\n"
       "  A mass is 0 kg or more.\n"},
  });
}
