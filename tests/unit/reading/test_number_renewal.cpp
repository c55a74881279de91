// Numbers that are read again by themselves.
#include "framework/host/reading/document.hpp"
#include "framework/host/reading/number_renewal.hpp"
#include "tests/unit/reading/reading.hpp"

using namespace polyform;
using namespace polyform::host;
using namespace polyform::host::testing;

namespace {

const std::string renewed_model = R"(polyform: 1
parameters: {m: 2, J: m / 4, length: 3}
bodies:
  - {name: rod, mass: m, inertia: {xx: J, yy: J, zz: 1}, position: [length, 0, 0], velocity: [0, 1, 0]}
chains:
  - {name: arm, count: 2, body: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}, step: [0, 1, 0],
     joint: {type: revolute, axis: [0, 0, 1], initial: {position: 0.5}}}
joints:
  - {name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1],
     initial: {velocity: 1}}
forces:
  - {name: spring, type: spring-damper, a: {body: rod}, b: {body: ground}, stiffness: 10}
)";

/// A model as a tree, one of whose scalars changes.
struct Renewed {
  explicit Renewed(const std::string& of) {
    Diagnostics diagnostics;
    Report report(diagnostics, "model.yaml");
    root = document.parse(renewed_model, report);
    report.finish();
    REQUIRE(root != nullptr);
    find(*root, of);
    REQUIRE(varied != nullptr);
    model = read();
  }
  Description read() const {
    Diagnostics diagnostics;
    bool missing_plugin = false;
    Description all = read_model_tree(*root, "model.yaml", fake_catalog(), diagnostics, missing_plugin);
    INFO(printed(diagnostics));
    REQUIRE_FALSE(diagnostics.failed());
    return all;
  }
  NumberRenewal renewal() const {
    const Node* const nodes[] = {varied};
    return {*root, nodes, model, fake_catalog()};
  }
  void set(const std::string& text) const { varied->text = text; }

  Document document;
  const Node* root = nullptr;
  Node* varied = nullptr;  ///< the first scalar with that text
  Description model;

 private:
  void find(const Node& from, const std::string& text) {
    if (varied != nullptr) return;
    if (from.kind == Node::Kind::scalar && from.text == text) varied = const_cast<Node*>(&from);
    for (const Node* const item : from.items) find(*item, text);
    for (const Node::Entry& entry : from.entries) find(*entry.value, text);
  }
};

}  // namespace

TEST_CASE("numbers are read again where they alone change, parameters with all that is made of them") {
  Renewed mass("2");  // the parameter m
  Diagnostics unheard;
  const NumberRenewal numbers = mass.renewal();
  REQUIRE(numbers.is_whole());
  mass.set("8");
  REQUIRE(numbers.read(mass.model, unheard));
  const Description anew = mass.read();
  CHECK(mass.model.bodies[0].mass == 8);
  CHECK(mass.model.bodies[0].inertia.xx == anew.bodies[0].inertia.xx);
  CHECK(mass.model.bodies[0].inertia.xx == 2);
  CHECK(mass.model.parameters == anew.parameters);
  mass.set("-1");
  CHECK_FALSE(numbers.read(mass.model, unheard));
}

TEST_CASE("a number of a force or of a chain is read again with its bounds") {
  Diagnostics unheard;
  Renewed spring("10");
  const NumberRenewal stiffness = spring.renewal();
  REQUIRE(stiffness.is_whole());
  spring.set("25");
  REQUIRE(stiffness.read(spring.model, unheard));
  CHECK(spring.model.forces[0].fields.values[2].number == 25);
  spring.set("-25");
  CHECK_FALSE(stiffness.read(spring.model, unheard));

  Renewed chain("0.5");
  const NumberRenewal angles = chain.renewal();
  REQUIRE(angles.is_whole());
  chain.set("0.25");
  REQUIRE(angles.read(chain.model, unheard));
  for (const JointItem& joint : chain.model.joints)
    CHECK(joint.initial_position == (joint.name == "pin" ? std::vector<double>{} : std::vector<double>{0.25}));
}

TEST_CASE("what places bodies, names or counts them is not read by itself") {
  CHECK_FALSE(Renewed("3").renewal().is_whole());  // the parameter length, of a position
  CHECK_FALSE(Renewed("rod").renewal().is_whole());
  CHECK_FALSE(Renewed("revolute").renewal().is_whole());
}
