// The wording and the places of what is said about text that is no model.
#include "tests/messages/messages.hpp"

using namespace polyform::host::testing;

TEST_CASE("messages about text that is no model") {
  check_messages({
      {"an empty file", "",
       "m.yaml: error: the file is empty, expected a model\n"
       "  A model begins with 'polyform: 1'.\n"},
      {"only comments", "# nothing yet\n",
       "m.yaml: error: the file holds no model, only comments or blanks\n"
       "  A model begins with 'polyform: 1'.\n"},
      {"a scalar", "hello\n", "m.yaml:1:1: error: found 'hello', expected a map of 'key: value' entries\n"},
      {"a list", "- polyform: 1\n", "m.yaml:1:1: error: found a list of 1, expected a map of 'key: value' entries\n"},
      {"no version",
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:1:1: error: polyform: 'polyform' is missing: the version of the format, which is 1\n"
       "  Add 'polyform: …' here.\n"},
      {"another version",
       "polyform: 2\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:1:11: error: polyform: the file has format 2, this program reads format 1\n"
       "  Write 'polyform: 1', or use a program that reads that format.\n"},
      {"no bodies", "polyform: 1\n",
       "m.yaml:1:1: error: the model has no bodies\n"
       "  Add them under 'bodies', as 'chains', or in placed parts.\n"},
      {"a NUL byte", std::string("polyform: 1\nname: \0\n", 20),
       "m.yaml:2:7: error: the file is no text: found byte 0x00, expected YAML in UTF-8\n"
       "  Check that this is the model file; if it is, save it as UTF-8.\n"},
      {"Latin-1", std::string("polyform: 1\nname: \xe4\n", 20),
       "m.yaml:2:7: error: the file is no text: found byte 0xe4, expected YAML in UTF-8\n"
       "  Check that this is the model file; if it is, save it as UTF-8.\n"},
      {"a truncated map",
       "polyform: 1\n"
       "bodies: [{name: a, mass: 1",
       "m.yaml:2:1: error: not valid YAML: the map that '{' opens does not go on as 'key: value, …}'\n"
       "  Close it with '}', and put a comma between its entries.\n"},
      {"a truncated quoted text",
       "polyform: 1\n"
       "name: \"never closed\n",
       "m.yaml:2:7: error: not valid YAML: this text in quotes does not end on its line\n"
       "  Close the quotes; a text of several lines is written after '|'.\n"},
      {"a name with an index in a map on one line",
       "polyform: 1\n"
       "joints:\n"
       "  - {name: c, base: leg[0].foot[12].toe, moving: p}\n",
       "m.yaml:3:24: error: not valid YAML: a text with brackets stands within {…} or […] without quotes\n"
       "  Put it into quotes: \"leg[0].foot[12].toe\".\n"},
      {"a name with an index in a list on one line",
       "polyform: 1\n"
       "forces: [{name: f, joints: [leg[1], a]}]\n",
       "m.yaml:2:32: error: not valid YAML: a text with brackets stands within {…} or […] without quotes\n"
       "  Put it into quotes: \"leg[1]\".\n"},
      {"a formula with the index of a name",
       "polyform: 1\n"
       "forces: [{name: f, effort: {expression: -3*q(leg[1].knee)}}]\n",
       "m.yaml:2:49: error: not valid YAML: a text with brackets stands within {…} or […] without quotes\n"
       "  Put the whole formula into quotes.\n"},
      {"an unclosed list",
       "polyform: 1\n"
       "gravity: [0, 0, -9.81\n"
       "name: a\n",
       "m.yaml:3:5: error: not valid YAML: the list that '[' opens does not go on as 'value, …]'\n"
       "  Close it with ']', and put a comma between its values.\n"},
      {"a colon in a text",
       "polyform: 1\n"
       "name: this: that\n",
       "m.yaml:2:11: error: not valid YAML: found ':' where no 'key: value' can stand\n"
       "  Check the indentation; a text with ': ' in it needs quotes.\n"},
      {"wrong indentation",
       "polyform: 1\n"
       "bodies:\n"
       "  - name: a\n"
       "   mass: 1\n",
       "m.yaml:4:4: error: not valid YAML: this does not go on as the list that it stands in\n"
       "  Give all items of a list the same indentation, each after '- '.\n"},
      {"a tab in the indentation",
       "polyform: 1\n"
       "bodies:\n"
       "	- name: a\n",
       "m.yaml:3:1: error: not valid YAML: found a tab in the indentation\n"
       "  Indent with spaces only.\n"},
      {"two documents",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "---\n"
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:4:1: error: found more text after the end of the model, expected one document in a file\n"
       "  Put each model in a file of its own; if this is one model, check the indentation and brackets "
       "before this line.\n"},
      {"an undefined alias",
       "polyform: 1\n"
       "name: *unknown\n",
       "m.yaml:2:7: error: not valid YAML: this alias (*) refers to an anchor (&) that is not defined "
       "before it\n"
       "  Define the anchor above; a text that begins with * needs quotes.\n"},
      {"a repeated key",
       "polyform: 1\n"
       "bodies:\n"
       "  - name: a\n"
       "    mass: 1\n"
       "    mass: 2\n"
       "    inertia: {xx: 1, yy: 1, zz: 1}\n",
       "m.yaml:5:5: error: bodies[0].mass: key 'mass' is given twice, first in line 4\n"
       "  Remove one of them; if they belong to two items, the second needs a '- ' of its own.\n"},
      {"a key that is no text",
       "polyform: 1\n"
       "? [1, 2]\n"
       ": 3\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n",
       "m.yaml:2:3: error: found a key that is no text, expected 'key: value'\n"
       "  Check the brackets and colons of this line; a text with ': ' in it needs quotes.\n"},
  });
}
