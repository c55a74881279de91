// What is told of entries that are likely not meant.
#include <catch2/catch.hpp>
#include <string>

#include "framework/diagnostics.hpp"
#include "framework/host/reading/reader.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

std::string told_of(const std::string& entries, bool good = true) {
  const std::string text =
      "polyform: 1\n"
      "ground: {geometry: [{type: plane}]}\n"
      "bodies:\n"
      "  - {name: one, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}, geometry: [{type: sphere, radius: 0.1}]}\n"
      "  - {name: two, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}, position: [1, 0, 0],\n"
      "     geometry: [{type: sphere, radius: 0.1}]}\n"
      "joints:\n"
      "  - {name: j, type: free, base: ground, moving: one}\n"
      "  - {name: k, type: free, base: ground, moving: two}\n" +
      entries;
  host::Diagnostics diagnostics;
  bool missing = false;
  auto model = host::read_model_text(text, "m.yaml", registry().catalog(), diagnostics, missing);
  if (!diagnostics.failed()) host::System::assemble(std::move(model), registry().keep_alive(), diagnostics);
  CHECK(diagnostics.failed() == !good);
  std::string told;
  for (const Diagnostic& d : diagnostics.all()) told += host::format(d) + "\n";
  return told;
}

}  // namespace

TEST_CASE("what is wrong with the entry of several contacts is no breach of the contract") {
  const std::string told = told_of("contacts: {all: true}\n", false);
  CHECK_THAT(told, Catch::Contains("the law hunt-crossley needs a stiffness") && !Catch::Contains("contract"));
}

TEST_CASE("two entries that make the same bodies touch are told by both places") {
  const std::string twice = told_of(
      "forces:\n"
      "  - {name: x, type: contact, a: one, b: ground, stiffness: 1e5}\n"
      "contacts: {all: true, stiffness: 1e5}\n");
  CHECK_THAT(twice, Catch::Contains("m.yaml:12:") &&
                        Catch::Contains("'ground' and 'one' touch by 'x' already (forces[0], line 11)"));
  const std::string of_lists = told_of(
      "contacts:\n"
      "  - {all: true, stiffness: 1e5}\n"
      "  - {name: q, bodies: [two, one], stiffness: 1e5}\n");
  CHECK_THAT(of_lists, Catch::Contains("m.yaml:12:") && Catch::Contains("(contacts[0], line 11)"));
  const std::string of_groups = told_of(
      "contacts:\n"
      "  - {name: p, all: true, stiffness: 1e5, results: total}\n"
      "  - {name: q, bodies: [two, one], stiffness: 1e5, results: total}\n");
  CHECK_THAT(of_groups, Catch::Contains("(contacts[0], line 11)"));
  const std::string mixed = told_of(
      "contacts:\n"
      "  - {name: p, all: true, stiffness: 1e5, results: total}\n"
      "  - {name: q, bodies: [two, one], stiffness: 1e5}\n");
  CHECK_THAT(mixed, Catch::Contains("(contacts[0], line 11)"));
  CHECK(told_of("forces:\n"
                "  - {name: x, type: contact, a: one, b: two, stiffness: 1e5}\n"
                "contacts: {bodies: [one, two, ground], except: [[one, two]], stiffness: 1e5}\n") == "");
}

TEST_CASE("friction at rest without friction in sliding is told once") {
  const std::string told = told_of("contacts: {all: true, law: rigid, friction: {static: 0.5}}\n");
  CHECK_THAT(told, Catch::Contains("m.yaml:10:") && Catch::Contains("'dynamic' is 0 where it is not given"));
  CHECK(told_of("contacts: {all: true, law: rigid, friction: {static: 0.5, dynamic: 0}}\n") == "");
  CHECK(told_of("contacts: {all: true, law: rigid, friction: {dynamic: 0.5}}\n") == "");
}
