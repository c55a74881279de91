// What a level's model is, asked for and held against the accelerations; modules of a type and flexible bodies in it.
#include <Eigen/QR>
#include <algorithm>
#include <catch2/catch.hpp>

#include "polyform/contract/equation_matrices.hpp"
#include "polyform/contract/equations.hpp"
#include "tests/hierarchy/mixed_model.hpp"
#include "tests/hierarchy/solver_with.hpp"

using namespace polyform;
using namespace polyform::test;
using Eigen::VectorXd;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

namespace {

struct Formed {
  Matrix M, A;
  VectorXd f, b, alpha;
};

/// The equations of a solver at the initial state, and the accelerations that it finds.
Formed form(const host::System& system, Solver& solver) {
  auto* equations = ask<Equations>(solver);
  REQUIRE(equations != nullptr);
  Eigen::Index unknowns = 0, rows = 0;
  for (std::size_t i = 0; i < equations->blocks(); ++i)
    unknowns += static_cast<Eigen::Index>(equations->block(i).unknowns);
  for (std::size_t i = 0; i < equations->constraints(); ++i)
    rows += static_cast<Eigen::Index>(equations->constraint(i).rows);
  Formed e{Matrix(unknowns, unknowns), Matrix(rows, unknowns), VectorXd(unknowns), VectorXd(rows), VectorXd(unknowns)};
  const auto span = [](auto& m) { return std::span<double>(m.data(), static_cast<std::size_t>(m.size())); };
  const std::vector<double> y = initial_vector(system, solver);
  std::vector<double> rate(y.size());
  EquationValues values{.M = span(e.M), .f = span(e.f), .A = span(e.A), .b = span(e.b)};
  REQUIRE(equations->form(0, system.initial_state(), values) == Status::ok);
  REQUIRE(solver.derivative(0, y, rate) == Status::ok);
  // ẏ holds the accelerations: per body the last six of 13, then η̇, η̈; u̇ among the last.
  const SystemView& view = system.view();
  const std::size_t n = view.bodies.size();
  double* alpha = e.alpha.data();
  for (std::size_t i = 0; i < n; ++i) {
    alpha = std::copy_n(rate.data() + 13 * i + 7, 6, alpha);
    if (view.bodies[i].flexible == rigid) continue;
    const FlexibleData& flexible = view.flexible[view.bodies[i].flexible];
    alpha = std::copy_n(rate.data() + 13 * n + view.modes + flexible.mode_offset, flexible.modes, alpha);
  }
  const double* states = rate.data() + rate.size() - view.states;
  for (const ModuleInstances& group : view.modules)
    alpha = std::copy_n(states + group.state_offset, group.instances.size() * group.type->variables().size(), alpha);
  return e;
}

}  // namespace

TEST_CASE("the accelerations of every level obey the equations of that level, by every method") {
  const auto system = system_from_text(mixed_model);
  for (const char* method : {"udwadia-kalaba", "square-root-free", "orthogonal-complement", "orthonormalization",
                             "generalized-inverse", "oblique-projector"})
    for (const char* level : {"1", "2", "3"}) {
      INFO("method " << method << ", level " << level);
      const auto solver = solver_with(*system, {{"method", method}, {"level", level}});
      const Formed e = form(*system, *solver);
      CHECK(e.alpha.size() == 6 + 8 + 6 + 2 + 2);
      const double scale = 1 + e.alpha.cwiseAbs().maxCoeff();
      CHECK((e.M - e.M.transpose()).cwiseAbs().maxCoeff() < 1e-14);
      if (e.b.size() != 0) CHECK((e.A * e.alpha - e.b).cwiseAbs().maxCoeff() < 1e-9 * scale);
      // M α − f = Aᵀλ for some λ.
      VectorXd left = e.M * e.alpha - e.f;
      if (e.b.size() != 0)
        left -= e.A.transpose() * Matrix(e.A.transpose()).completeOrthogonalDecomposition().solve(left);
      CHECK(left.cwiseAbs().maxCoeff() < 1e-9 * scale);
    }
}

TEST_CASE("a module of a type stands on level 1 and joins the module that has its bodies") {
  const auto system = system_from_text(mixed_model);
  const auto solver = solver_with(*system, {{"level", "0"}});
  auto* equations = ask<Equations>(*solver);
  REQUIRE(equations->levels() == 3);
  const auto block = [&](std::string_view name) {
    std::size_t i = 0;
    while (equations->block(i).name != name) ++i;
    return i;
  };
  const auto together = [&](std::string_view one, std::string_view other, std::size_t level) {
    return equations->module_of(block(one), level) == equations->module_of(block(other), level);
  };
  CHECK(!together("inner", "crank", 1));
  CHECK(!together("crank", "beam", 1));
  CHECK(together("inner", "crank", 2));
  CHECK(together("crank", "beam", 2));
  CHECK(!together("rod", "beam", 2));
  CHECK(!together("outer", "beam", 2));
  CHECK(together("outer", "beam", 3));
  for (std::size_t t = 0; t < equations->constraints(); ++t) {
    const Equations::Constraint constraint = equations->constraint(t);
    INFO(constraint.kind << " " << constraint.name);
    CHECK(constraint.level == (constraint.name == "C" || constraint.name == "outer" ? 3u : 2u));
  }
}

TEST_CASE("the equations of a level are formed where they do not determine the accelerations") {
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/slider_crank.yaml");  // of rods without spin
  const auto solver = solver_with(*system, {{"level", "1"}});
  auto* equations = ask<Equations>(*solver);
  REQUIRE(equations != nullptr);
  std::size_t unknowns = 0, rows = 0;
  for (std::size_t i = 0; i < equations->blocks(); ++i) unknowns += equations->block(i).unknowns;
  for (std::size_t i = 0; i < equations->constraints(); ++i) rows += equations->constraint(i).rows;
  std::vector<double> M(unknowns * unknowns), f(unknowns), A(rows * unknowns), b(rows), y(solver->state_size());
  EquationValues values{.M = M, .f = f, .A = A, .b = b};
  CHECK(equations->form(0, system->initial_state(), values) == Status::ok);
  for (std::size_t i = 0; i < system->bodies().size(); ++i)
    CHECK(M[(6 * i + 3) * (unknowns + 1)] == system->view().bodies[i].mass);
  CHECK(solver->encode(system->initial_state(), y) == Status::failed);
}

TEST_CASE("below its level a motor runs on its own") {
  const auto system = system_from_text(mixed_model);
  const auto at_level = [&](const char* level) { return observe_with(*system, {{"level", level}}); };
  // inner: i = 2 A, V − R i − k ω with ω = 5 (−2) rad/s; its rotor k i / J. outer: at 30 rad/s without current.
  const auto first = at_level("1"), second = at_level("2");
  CHECK(first->now().state_rates[0] == Approx((12 - 2 + 0.1 * 10) / 0.01));
  CHECK(first->now().state_rates[1] == Approx(0.1 * 2 / 0.001));
  CHECK(first->now().module_multipliers[0] == 0);
  CHECK(second->now().state_rates[1] != Approx(0.1 * 2 / 0.001));
  CHECK(second->now().state_rates[2] == Approx((-5 - 0.05 * 30) / 0.02));
  CHECK(std::abs(second->now().state_rates[3]) < 1e-12);
  CHECK(second->now().module_multipliers[1] == 0);
}

TEST_CASE("the levels that are shown are those of the paper, and end where the recursion does") {
  for (const char* model : {"planar_3rrr_subsystems", "motor_arm", "cardan_shaft", "rolling_disc"}) {
    const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/" + model + ".yaml");
    for (const char* method : {"udwadia-kalaba", "orthogonal-complement", "generalized-inverse", "oblique-projector"}) {
      INFO(model << ", " << method);
      const auto solver = solver_with(*system, {{"method", method}});
      const Formed e = form(*system, *solver);
      auto* shown = ask<EquationMatrices>(*solver);
      REQUIRE(shown != nullptr);
      REQUIRE(shown->form(0, system->initial_state()) == Status::ok);
      VectorXd alpha, gamma, lambda;
      std::size_t level = 0;
      Matrix S, G;  // of the level before, and the inverse of the level
      for (std::size_t i = 0; i < shown->matrices(); ++i) {
        const EquationMatrices::Matrix m = shown->matrix(i);
        const Eigen::Map<const Matrix> values(m.values.data(), static_cast<Eigen::Index>(shown->length(m.rows)),
                                              static_cast<Eigen::Index>(shown->length(m.columns)));
        level = std::max(level, m.level);
        INFO(m.name << " of level " << m.level);
        // P_r and the orthogonal projectors are idempotent and symmetric.
        if (m.name == "P" || (m.name == "S" && std::string(method) == "generalized-inverse")) {
          CHECK((values * values - values).cwiseAbs().maxCoeff() < 1e-8);
          CHECK((values - values.transpose()).cwiseAbs().maxCoeff() < 1e-8);
        }
        // Prop. 3.1 (ii): Y = 1 − G B is a projector onto ker(B), B = Ã S_r, and S_{r+1} = S_r Y.
        if (m.name == "G") G = values;
        if (m.name == "Y") {
          CHECK((values * values - values).cwiseAbs().maxCoeff() < 1e-8);
          CHECK((values * G).cwiseAbs().maxCoeff() < 1e-8 * (1 + G.cwiseAbs().maxCoeff()));
          if (S.cols() == values.rows()) S = (S * values).eval();  // none before the first level
        }
        if (m.name == "S" && std::string(method) == "oblique-projector") {
          if (m.level > 1) CHECK((values - S).cwiseAbs().maxCoeff() < 1e-8);
          S = values;
        }
        if (m.name == "S" && m.level == ask<Equations>(*solver)->levels())
          CHECK((e.A * values).cwiseAbs().maxCoeff() < 1e-8 * (1 + e.A.cwiseAbs().maxCoeff()));
        if (m.name == "alpha") alpha = values.col(0);
        if (m.name == "gamma") gamma = values.col(0);
        if (m.name == "lambda") lambda = values.col(0);
      }
      CHECK(level == ask<Equations>(*solver)->levels());
      const double size = 1 + e.alpha.cwiseAbs().maxCoeff();
      CHECK((alpha - e.alpha).cwiseAbs().maxCoeff() < 1e-7 * size);
      CHECK((e.M * e.alpha - e.f - gamma).cwiseAbs().maxCoeff() < 1e-7 * (size * e.M.cwiseAbs().maxCoeff()));
      REQUIRE(lambda.size() == e.A.rows());  // in the order of the constraints
      CHECK((e.A.transpose() * lambda - gamma).cwiseAbs().maxCoeff() < 1e-7 * (1 + gamma.cwiseAbs().maxCoeff()));
    }
  }
}

TEST_CASE("velocities that rows are given are shown: that of a prescribed motion, and zero of joints") {
  const auto system = system_from_text(R"(
polyform: 1
bodies:
  - {name: slide, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: rod, mass: 1, center_of_mass: [0, 0, -0.4], inertia: {xx: 0.1, yy: 0.1, zz: 0.01}}
joints:
  - {name: rail, type: prismatic, base: ground, moving: slide, position: [0, 0, 0], axis: [1, 0, 0], initial: {velocity: 0.7}}
  - {name: pin, type: revolute, base: slide, moving: rod, position: [0, 0, 0], axis: [0, 1, 0], initial: {velocity: 1.5}}
constraints:
  - {name: drive, type: prescribed-motion, joint: rail, motion: {polynomial: [0, 0.7, 2]}}
)");
  for (const char* method : {"udwadia-kalaba", "oblique-projector"}) {
    const auto solver = solver_with(*system, {{"method", method}});
    auto* shown = ask<EquationMatrices>(*solver);
    REQUIRE(shown->form(0, system->initial_state()) == Status::ok);
    std::size_t driven = 0, joints = 0;
    for (std::size_t i = 0; i < shown->matrices(); ++i) {
      const EquationMatrices::Matrix m = shown->matrix(i);
      if (m.name == "q'") {
        REQUIRE(m.values.size() == 12);
        CHECK(m.values[3] == Approx(0.7).epsilon(1e-14));  // slide.vx
        CHECK(m.values[7] == Approx(1.5).epsilon(1e-14));  // rod.wy
        CHECK(m.values[9] == Approx(0.7 - 0.4 * 1.5).epsilon(1e-12));
      }
      if (m.name != "w") continue;
      std::size_t row = 0;
      for (std::size_t g = 0; g < shown->groups(m.rows); ++g) {
        const EquationMatrices::Group group = shown->group(m.rows, g);
        for (std::size_t k = 0; k < group.count; ++k, ++row) {
          const bool is_drive = group.name == "drive";
          (is_drive ? driven : joints) += 1;
          CHECK(std::abs(m.values[row] - (is_drive ? 0.7 : 0.0)) < 1e-12);
        }
      }
    }
    CHECK(driven == 1);
    CHECK(joints == 10);
  }
}
