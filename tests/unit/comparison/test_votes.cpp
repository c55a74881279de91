// Which solvers are witnesses of their own, on which model.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "framework/host/evaluation/kernels_of.hpp"
#include "framework/workbench/comparison/votes.hpp"
#include "tests/support/declared_solver.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::host;
using namespace polyform::test;

namespace {

using KernelNames = std::vector<std::vector<std::string>>;
using Groups = std::set<std::set<std::string>>;

Votes all_of(const KernelNames& kernels) { return Votes(kernels, std::vector<bool>(kernels.size(), true)); }

const std::set<std::string_view> shipped{"cartesian", "hierarchy", "particles", "reduced", "riccati", "thompson"};

std::unique_ptr<System> shipped_model(const std::string& name) {
  return system_from_file(std::string(POLYFORM_MODELS) + "/" + name + ".yaml");
}

/// The shipped solvers that can run a model, by their votes.
Groups groups(const std::string& name) {
  const auto system = shipped_model(name);
  KernelNames kernels;
  std::vector<std::string> names;
  for (const Formulation* formulation : formulations_for(*system)) {
    if (!shipped.contains(formulation->name())) continue;
    kernels.push_back(kernels_of(*solver_for(*system, *formulation)));
    names.emplace_back(formulation->name());
  }
  const Votes votes = all_of(kernels);
  std::map<std::size_t, std::set<std::string>> by_vote;
  for (std::size_t k = 0; k < names.size(); ++k) by_vote[*votes.of(k)].insert(names[k]);
  Groups result;
  for (const auto& [vote, solvers] : by_vote) result.insert(solvers);
  return result;
}

}  // namespace

TEST_CASE("who tells no kernels has a vote of his own") {
  const Votes votes = all_of({{}, {}, {"a"}});
  CHECK(votes.count() == 3);
  CHECK(votes.shared().empty());
}

TEST_CASE("solvers that share a kernel, or each one with a third, have one vote") {
  const Votes votes = all_of({{"a"}, {}, {"b"}, {"a", "b"}, {"c"}});
  CHECK(votes.count() == 3);
  CHECK(votes.of(0) == 0u);
  CHECK(votes.of(1) == 1u);
  CHECK(votes.of(2) == 0u);
  CHECK(votes.of(3) == 0u);
  CHECK(votes.of(4) == 2u);
  REQUIRE(votes.shared().size() == 2);
  CHECK(votes.shared()[0].name == "a");
  CHECK(votes.shared()[0].solvers == std::vector<std::size_t>{0, 3});
  const std::size_t some[] = {0, 1};
  CHECK(votes.weight(some) == Approx(4.0 / 3));
}

TEST_CASE("who does not vote joins nobody") {
  const KernelNames kernels{{"a"}, {"b"}, {"a", "b"}};
  const Votes votes(kernels, {true, true, false});
  CHECK(votes.count() == 2);
  CHECK_FALSE(votes.of(2));
  CHECK(votes.shared().empty());
}

TEST_CASE("kernels go through a text and back, whatever a plugin calls them") {
  CHECK(split_kernels(joined_kernels({"a b", "c"})) == std::vector<std::string>{"a b", "c"});
  CHECK(split_kernels("").empty());
  const auto system = shipped_model("double_pendulum");
  const Formulation& sound = *formulations_for(*system).front();
  const SolverPointer odd(new DeclaredSolver(system->view(), 1, {"a; b", "", "\x1b[2J", "a; b"},
                                             [&](const SystemView&) { return solver_for(*system, sound).release(); }));
  CHECK(kernels_of(*odd) == std::vector<std::string>{"a, b", "\\x1b[2J"});
}

TEST_CASE("the shipped solvers tell what they share, by the model") {
  const std::set<std::string> saddle{"cartesian", "hierarchy"}, hinges{"particles", "reduced", "riccati"};
  SECTION("trees") { CHECK(groups("double_pendulum") == Groups{hinges, saddle, {"thompson"}}); }
  SECTION("loops") { CHECK(groups("planar_3rrr") == Groups{hinges, saddle, {"thompson"}}); }
  SECTION("flexible bodies") {
    CHECK(groups("flexible_pendulum") == Groups{{"reduced", "riccati"}, saddle, {"thompson"}});
  }
  SECTION("modules") {
    CHECK(groups("motor_arm") == Groups{{"reduced", "riccati"}, saddle, {"particles"}, {"thompson"}});
  }
  SECTION("constraint elements") {
    CHECK(groups("rolling_disc") == Groups{saddle, {"particles"}, {"reduced", "riccati"}, {"thompson"}});
  }
  SECTION("welds join all who merge them") {
    CHECK(groups("simple_pendulum") == Groups{{"particles", "reduced", "riccati", "thompson"}, saddle});
  }
}

TEST_CASE("options change what a solver stands on") {
  const auto system = shipped_model("double_pendulum");
  for (const Formulation* formulation : formulations_for(*system)) {
    SolverOptions own;
    if (formulation->name() == "particles") own = {{"equations", "sparse"}};
    if (formulation->name() == "riccati") own = {{"algorithm", "transfer-product"}};
    if (own.empty()) continue;
    CHECK_FALSE(kernels_of(*solver_for(*system, *formulation)).empty());
    CHECK(kernels_of(*solver_for(*system, *formulation, own)).empty());
  }
}
