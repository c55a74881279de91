// Mechanisms that several tests share.
#pragma once

#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <numbers>

#include "plugins/formulations/cartesian/cartesian.hpp"
#include "tests/support/hand_built.hpp"

namespace polyform::test {

inline constexpr Sym3 rod_inertia{0.001, 1.0 / 12, 1.0 / 12, 0, 0, 0};  // 1 m, 1 kg, along x
inline constexpr BodyIndex ground = BodyIndex::ground;
inline constexpr Vec3 z_axis{0, 0, 1};

inline BodyIndex add_rod(HandBuilt& m, const std::string& name, const Vec3& from, double angle, double mass = 1) {
  return m.add_body(name, {axis_angle(z_axis, angle), from}, mass, {0.5, 0, 0},
                    {mass * rod_inertia.xx, mass * rod_inertia.yy, mass * rod_inertia.zz, 0, 0, 0});
}

/// The rhombus four-bar of 1 m rods at 60 degrees in the x–y plane: bodies 0 to 2, joints A, B, D and the cut joint C.
inline void build_four_bar(HandBuilt& m, double angle = std::numbers::pi / 3) {
  const Vec3 top{std::cos(angle), std::sin(angle), 0};
  const BodyIndex a = add_rod(m, "link1", {}, angle), b = add_rod(m, "link2", top, 0),
                  c = add_rod(m, "link3", {1, 0, 0}, angle);
  m.revolute("A", ground, a, {}, z_axis);
  m.revolute("B", a, b, top, z_axis);
  m.revolute("D", ground, c, {1, 0, 0}, z_axis);
  m.revolute("C", b, c, top + Vec3{1, 0, 0}, z_axis);
}

struct Report final : DiagnosticSink {
  std::string text;
  void report(const Diagnostic& d) noexcept override { text += d.message; }
};

struct Destroy {
  void operator()(Solver* s) const { s->destroy(); }
};
using SolverPointer = std::unique_ptr<Solver, Destroy>;

inline SolverPointer make_cartesian(const SystemView& view, bool project = true) {
  FieldValue options[2];
  options[0].integer = project ? 0 : 1;
  options[1].number = 1e-10;
  Report report;
  return SolverPointer(cartesian::formulation().compile(view, options, report));
}

/// Largest difference of two vectors of equal length.
inline double distance(std::span<const double> a, std::span<const double> b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

inline std::vector<double> encoded(Solver& solver, const State& state) {
  std::vector<double> y(solver.state_size());
  REQUIRE(solver.encode(state.constant(), y) == Status::ok);
  return y;
}

inline double energy(Solver& solver, const SystemView& view, double t, const std::vector<double>& y) {
  Observed o(view);
  REQUIRE(solver.observe(t, y, o.observation) == Status::ok);
  return o.observation.kinetic_energy + o.observation.potential_energy;
}

}  // namespace polyform::test
