// The wording and the places of what is said about parts and their placements.
#include "tests/messages/messages.hpp"

using namespace polyform::host::testing;

TEST_CASE("messages about parts") {
  const std::string leg =
      "polyform: 1\n"
      "parts:\n"
      "  - name: leg\n"
      "    parameters: {m: 1}\n"
      "    bodies: [{name: link, mass: m, inertia: {xx: 1, yy: 1, zz: 1}}]\n";
  const std::string link = "bodies: [{name: link, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}]";
  check_messages({
      {"an unknown part", leg + "place:\n  - {part: lag}\n  - {part: leg}\n",
       "m.yaml:7:12: error: place[0].part: there is no part 'lag'\n"
       "  Did you mean 'leg'? Parts are those under 'parts'.\n"},
      {"an unknown part alone, which says nothing of bodies", leg + "place:\n  - {part: lag, name: a}\n",
       "m.yaml:3:5: warning: parts[0]: the part 'leg' is placed nowhere and not read\n"
       "  Place it under 'place', or remove it.\n"
       "m.yaml:7:12: error: place[0].part: there is no part 'lag'\n"
       "  Did you mean 'leg'? Parts are those under 'parts'.\n"},
      {"an unknown parameter", leg + "place: [{part: leg, parameters: {k: 2}}]\n",
       "m.yaml:6:37: error: place[0].parameters.k: the part has no parameter 'k'\n"
       "  Did you mean 'm'? Its parameters: m.\n"},
      {"two placements of one name", leg + "place:\n  - {part: leg, name: a}\n  - {part: leg, name: a}\n",
       "m.yaml:8:5: error: place[1]: the name 'a' is taken by another placement, in line 7\n"
       "  Give each its own name.\n"},
      {"something wrong in the part",
       "polyform: 1\nparts: [{name: leg, bodies: [{name: link, mass: heavy, inertia: {xx: 1, yy: 1, zz: 1}}]}]\n"
       "place: [{part: leg}]\n",
       "m.yaml:2:49: error: leg[0] (line 3, column 9) parts[0].bodies[0].mass: found 'heavy', expected a number in kg: "
       "there is no name 'heavy'\n"
       "  The model has no parameters here: define them under 'parameters', or write a number.\n"},
      {"a part within itself",
       "polyform: 1\nparts:\n  - name: leg\n    " + link + "\n    place: [{part: leg}]\nplace: [{part: leg}]\n",
       "m.yaml:5:20: error: leg[0] (line 6, column 9) parts[0].place[0].part: the part 'leg' is placed within itself\n"
       "  Remove this placement.\n"},
      {"a part that is not placed", "polyform: 1\n" + link + "\nparts: [{name: leg, " + link + "}]\n",
       "m.yaml:3:9: warning: parts[0]: the part 'leg' is placed nowhere and not read\n"
       "  Place it under 'place', or remove it.\n"},
      {"a file that is not there",
       "polyform: 1\n" + link + "\nparts: [{name: leg, file: no_such_leg.yaml}]\nplace: [{part: leg, name: a}]\n",
       "m.yaml:3:27: error: parts[0].file: the part's file 'no_such_leg.yaml' cannot be read\n"
       "  It is named from the folder of the model.\n"},
      {"an integer that is a broken parameter",
       "polyform: 1\nparts:\n  - name: arm\n    parameters: {n: 2.5}\n"
       "    bodies: [{name: beam, type: flexible-beam, length: 1, linear_density: 1, bending_stiffness: 1, "
       "boundary: clamped-free, modes: n}]\n"
       "place: [{part: arm, name: a}]\n",
       "m.yaml:5:131: error: a (line 6, column 9) parts[0].bodies[0].modes: the parameter 'n' is 2.5, expected an "
       "integer\n"
       "  Give it a whole number where the part is placed, or in the part's defaults.\n"},
      {"coordinates along ground axes in a part that is turned",
       "polyform: 1\nparts:\n  - name: leg\n    " + link +
           "\n    joints: [{name: j, type: free, base: ground, moving: link, position: [0, 0, 0],"
           " initial: {velocity: [1, 0, 0, 0, 0, 0]}}]\n"
           "place: [{part: leg, name: a, orientation: {axis: [0, 0, 1], angle: 1}}]\n",
       "m.yaml:5:14: error: a (line 6, column 9) parts[0].joints[0]: the placement turns the part, and the coordinates "
       "of "
       "joint 'a.j' count along ground axes\n"
       "  Give the body its `position`, `orientation`, `velocity` and `angular_velocity` in place of `initial`: those "
       "are "
       "placed.\n"},
      {"an effort along ground axes in a part that is turned",
       "polyform: 1\nparts:\n  - name: leg\n    " + link +
           "\n    joints: [{name: j, type: spherical, base: ground, moving: link, position: [0, 0, 0]}]\n"
           "    forces: [{name: f, type: joint-force, joint: j, effort: [1, 0, 0]}]\n"
           "place: [{part: leg, name: a, orientation: {axis: [0, 0, 1], angle: 1}}]\n",
       "m.yaml:6:14: error: a (line 7, column 9) parts[0].forces[0]: the placement turns the part, and the coordinates "
       "of joint 'a.j', which 'effort' is of, count along ground axes\n"
       "  Define the element outside the part; or load the body by a point-force, or drive it by a joint whose axes "
       "are drawn in the part.\n"},
  });
}
