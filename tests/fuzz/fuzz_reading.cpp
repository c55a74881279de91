// Mutates sample models and reads them: whatever the text, reading neither throws nor crashes, what it reports has a
// message, and what it accepts is complete.
//
//   fuzz_reading [first [count]]     runs the mutations first … first + count - 1; each depends on its number only
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include "framework/host/reading/reader.hpp"
#include "tests/unit/reading/fake_catalog.hpp"

using namespace polyform::host;
using polyform::BodyIndex;

namespace {

const std::array<std::string, 3> samples{
    R"(# A block model.
polyform: 1
name: rods
gravity: [0, -9.81, 0]
bodies:
  - name: rod
    position: [0, 0, 0]
    orientation: {axis: [0, 0, 1], angle: 1.57}
    mass: 1.0
    center_of_mass: [0.5, 0, 0]
    inertia: &rod {xx: 0, yy: 0.0833, zz: 0.0833, xy: 0}
    geometry: [{type: cylinder, radius: 0.1, length: 1, position: [0.5, 0, 0]}]
  - name: tip
    mass: 2
    inertia: *rod
    velocity: [1, 0, 0]
joints:
  - {name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1],
     initial: {position: 0.3}}
  - {name: ball, type: spherical, base: rod, moving: tip, position: [1, 0, 0], cut: true}
forces:
  - {name: s, type: spring-damper, a: {body: rod, point: [1, 0, 0]}, b: {body: ground}, stiffness: 100}
  - name: m
    type: joint-force
    joint: ball
    effort: [1, {sine: {amplitude: 1, frequency: 2}}, {table: [[0, 1], [1, 2], [2, 0]], interpolation: cubic}]
modules:
  - {name: g, bodies: [rod], modules: [{name: h, bodies: [tip]}]}
subsystems:
  - {name: i, bodies: [], subsystems: [{name: j, bodies: []}]}
simulation: {duration: 5, step: 1e-3, tolerance: {relative: 1e-8, absolute: 1e-10}}
solver: {name: riccati, options: {a: [1, 2], b: "text"}}
)",
    R"({"polyform": 1, "bodies": [{"name": "beam", "type": "flexible-beam", "length": 1, "linear_density": 0.5,
  "bending_stiffness": 0.8, "modes": 2, "boundary": "clamped-free", "modal_position": [0.02, 0]}],
  "joints": [{"name": "pin", "type": "free", "base": "ground", "moving": "beam"}],
  "constraints": [{"name": "d", "type": "prescribed-motion", "joint": "pin",
  "motion": {"ramp": {"rate": 1, "end": 2}}}]}
)",
    R"(polyform: 1
chains:
  - name: arm
    count: 4
    body: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, orientation: {rpy: [0, 0.1, 0]}}
    joint: {type: revolute, axis: [0, 0, 1]}
    start: [0, 0, 0]
    step: [0, -1, 0]
forces:
  - {name: e, type: everything, flag: true, n: 3, label: 'x', matrix: [[1, 2], [3, 4]], law: {polynomial: [1, 2]}}
  - {name: f, type: joint-force, joint: "arm[2].joint", effort: 1}
)"};

const std::array<std::string, 44> tokens{"{",
                                         "}",
                                         "[",
                                         "]",
                                         ":",
                                         ": ",
                                         ",",
                                         "- ",
                                         "? ",
                                         "&a ",
                                         "*a",
                                         "*rod",
                                         "!!str ",
                                         "!",
                                         "|\n",
                                         ">-\n",
                                         "\"",
                                         "'",
                                         "\n",
                                         "\n\n",
                                         "\t",
                                         " ",
                                         "  ",
                                         "#",
                                         "---\n",
                                         "...\n",
                                         "%TAG ",
                                         "<<: ",
                                         ".nan",
                                         "-.inf",
                                         "1e999",
                                         "-1",
                                         "0",
                                         "null",
                                         "~",
                                         "true",
                                         "ground",
                                         "arm[0]",
                                         "rod",
                                         "\xC3\xA4",
                                         "\xFF",
                                         std::string(1, '\0'),
                                         "99999999999999999999",
                                         "1e12"};

using Random = std::mt19937;
std::size_t below(Random& random, std::size_t n) { return n == 0 ? 0 : random() % n; }

void mutate(std::string& text, Random& random) {
  const std::size_t at = below(random, text.size() + 1);
  const std::size_t length = std::min(below(random, 12) + 1, text.size() - at);
  switch (below(random, 7)) {
    case 0: text.insert(at, tokens[below(random, tokens.size())]); break;
    case 1: text.replace(at, length, tokens[below(random, tokens.size())]); break;
    case 2: text.erase(at, length); break;
    case 3: text.insert(below(random, text.size() + 1), text.substr(at, length * 8)); break;
    case 4:
      if (at < text.size()) text[at] = static_cast<char>(below(random, 256));
      break;
    case 5:
      if (below(random, 8) == 0) text.resize(at);
      break;
    default: {
      const std::string& other = samples[below(random, samples.size())];
      text.insert(at, other.substr(below(random, other.size()), below(random, 60)));
    }
  }
}

std::string mutation(unsigned number) {
  Random random(number);
  std::string text = samples[below(random, samples.size())];
  for (std::size_t i = below(random, 5) + 1; i > 0; --i) mutate(text, random);
  return text;
}

/// The fault of a result, or nullptr.
const char* fault(const Description& model, const Diagnostics& diagnostics) {
  for (const polyform::Diagnostic& d : diagnostics.all())
    if (d.message.empty() || d.line < 0 || d.column < 0) return "a diagnostic without message or place";
  if (diagnostics.failed()) return nullptr;
  const auto within = [&](BodyIndex b) { return is_ground(b) || at(b) < model.bodies.size(); };
  for (const BodyItem& b : model.bodies)
    if (b.name.empty() || !(b.mass >= 0)) return "an accepted body without name or mass";
  for (const JointItem& j : model.joints)
    if (j.name.empty() || !j.type || !within(j.base) || !within(j.moving) || j.base == j.moving)
      return "an accepted joint without ends";
  for (const ForceItem& f : model.forces)
    if (!f.type || f.fields.values.size() != f.type->fields().size()) return "an accepted force without fields";
  return nullptr;
}

bool run(unsigned number) {
  const std::string text = mutation(number);
  const char* problem = nullptr;
  try {
    Diagnostics diagnostics;
    bool missing_plugin = false;
    const Description model = read_model_text(text, "fuzz", testing::fake_catalog(), diagnostics, missing_plugin);
    problem = fault(model, diagnostics);
  } catch (const std::exception& e) {
    problem = e.what();
  }
  if (problem) fmt::print("mutation {}: {}\n----\n{}\n----\n", number, problem, text);
  return problem == nullptr;
}

unsigned argument(int argc, char** argv, int i, unsigned otherwise) {
  return i < argc ? static_cast<unsigned>(std::strtoul(argv[i], nullptr, 10)) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned first = argument(argc, argv, 1, 0), count = argument(argc, argv, 2, 20000);
  unsigned faults = 0;
  for (unsigned i = 0; i < count; ++i) faults += run(first + i) ? 0u : 1u;
  fmt::print("{} mutations, {} faults\n", count, faults);
  return faults == 0 ? 0 : 1;
}
