#include "tests/benchmark/headline_cases.hpp"

#include <fmt/format.h>

#include "tests/benchmark/formulation_engine.hpp"

namespace polyform::benchmark {
namespace {

/// A rod of 1 kg and 1 m on a ball joint, the next one along x.
constexpr std::string_view rod =
    "body: {mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.001, yy: 0.08333333333333333, "
    "zz: 0.08333333333333333}}, joint: {type: spherical}, step: [1, 0, 0]";

std::string start_of_model(const std::string& name) {
  return fmt::format("polyform: 1\nname: {}\ngravity: [0, -9.81, 0]\nsimulation: {{integrator: rk4, step: 0.001}}\n",
                     name);
}

/// An output chain, at whose end a body carries two input chains: Rui et al. 2020, Fig. 1. Horizontal, at rest.
std::string branch_system(std::size_t bodies) {
  constexpr std::size_t left = 2, right = 3;
  const std::size_t output = bodies - 1 - left - right;
  return start_of_model(fmt::format("branch system of {} bodies", bodies)) +
         fmt::format(
             "bodies:\n  - {{name: multi, position: [{0}, 0, 0], mass: 1, center_of_mass: [0, 0, 0], inertia: {{xx: "
             "0.001, yy: 0.08333333333333333, zz: 0.08333333333333333}}}}\n"
             "joints:\n  - {{name: hang, type: spherical, base: \"output[{1}]\", moving: multi, position: [{0}, 0, "
             "0]}}\n"
             "chains:\n"
             "  - {{name: output, count: {0}, base: ground, start: [0, 0, 0], {2}}}\n"
             "  - {{name: left, count: {3}, base: multi, start: [{0}, 0, -0.5], {2}}}\n"
             "  - {{name: right, count: {4}, base: multi, start: [{0}, 0, 0.5], {2}}}\n",
             output, output - 1, rod, left, right);
}

std::string chain(std::size_t bodies) {
  return start_of_model(fmt::format("chain of {} rods", bodies)) +
         fmt::format("chains:\n  - {{name: rod, count: {}, base: ground, start: [0, 0, 0], {}}}\n", bodies, rod);
}

/// A rod of unit length and mass in pieces, with springs and dampers in its hinges, clamped at one end by the first
/// hinge. The tip is then within 1e-5 m of its place at tight tolerances.
std::string stiff_rod(std::size_t pieces) {
  const double length = 1.0 / static_cast<double>(pieces), inertia = length * length * length / 12;
  std::string text = fmt::format(
      "polyform: 1\nname: stiff rod of {0} pieces\ngravity: [0, -9.81, 0]\n"
      "simulation: {{integrator: radau5, tolerance: {{relative: 1.0e-5, absolute: 1.0e-7}}}}\n"
      "chains:\n  - {{name: rod, count: {0}, base: ground, start: [0, 0, 0], step: [{1}, 0, 0], joint: {{type: revolute, "
      "axis: [0, 0, 1]}}, body: {{mass: {1}, center_of_mass: [{2}, 0, 0], inertia: {{xx: 0, yy: {3}, zz: {3}}}}}}}\n"
      "forces:\n",
      pieces, length, length / 2, inertia);
  const double stiffness = 10 / length;
  for (std::size_t i = 0; i < pieces; ++i)
    text += fmt::format(
        "  - {{name: spring{0}, type: joint-spring-damper, joint: \"rod[{0}].joint\", stiffness: {1}, damping: {2}}}\n",
        i, stiffness, 1e-3 * stiffness);
  return text;
}

std::function<std::string()> shipped(std::string_view model) {
  return [model] { return content_of(fmt::format(POLYFORM_MODELS "/{}.yaml", model)); };
}

std::vector<HeadlineCase> make_cases() {
  // Attia: the recursion compared with the matrix of all particles, for long chains and for loops; particles compared
  // with absolute coordinates and joint coordinates.
  const std::vector<Variant> particles = {
      {"particles"}, {"particles", {{"equations", "sparse"}}}, {"cartesian"}, {"reduced"}};
  // Orsino: subsystems on levels compared with all constraints at once.
  const std::vector<Variant> subsystems = {
      {"hierarchy"}, {"hierarchy", {{"subsystems", "found"}}}, {"hierarchy", {{"subsystems", "flat"}}}, {"cartesian"}};
  const std::vector<Variant> recursion = {{"hierarchy"}, {"hierarchy", {{"subsystems", "flat"}}}, {"cartesian"}};
  // Thompson: lowest order, by either construction, compared with the implicit forms and the full system with
  // constraints.
  const std::vector<Variant> orders = {{"thompson"},
                                       {"thompson", {{"construction", "null-space"}}},
                                       {"thompson", {{"form", "implicit-2"}}},
                                       {"thompson", {{"form", "implicit-1"}}},
                                       {"cartesian"}};
  const std::vector<Variant> linear = {{"riccati"}, {"reduced"}};
  return {{"stiff", "stiff rod of 20 pieces", [] { return stiff_rod(20); }, 2, 3, linear},
          {"stiff", "stiff rod of 100 pieces", [] { return stiff_rod(100); }, 2, 3, linear},
          {"stiff", "stiff rod of 1000 pieces", [] { return stiff_rod(1000); }, 2, 1, linear},
          {"stiff", "stiff rod of 10000 pieces", [] { return stiff_rod(10000); }, 2, 1, linear},
          {"stiff", "four-bar with stiff couplings", shipped("stiff_loop"), 5, 3, linear},
          {"stiff", "vehicle on bushings of 1e7 N/m", shipped("vehicle_bushings"), 5, 1, linear},
          {"stiff", "beam of 40 modes", shipped("stiff_beam"), 2, 1, linear},
          {"stiff", "wind turbine with three blades of 10 modes", shipped("wind_turbine_flexible"), 20, 1, linear},
          {"branch", "branch system of 500 bodies", shipped("branch_500"), 0.05, 5},
          {"branch", "branch system of 33334 bodies, spatial", [] { return branch_system(33334); }, 0.1, 1},
          {"particles", "chain of 1000 rods (Attia 2005: long chain)", shipped("chain_1000"), 0.05, 3, particles},
          {"particles", "ladder of 40 four-bars (Attia 2005: many loops)", shipped("ladder_40"), 0.1, 3, particles},
          {"particles", "vehicle of Attia 2005, Fig. 2.5", shipped("vehicle"), 2, 3, particles},
          {"hierarchy", "3RRR mechanism of Orsino 2017, Fig. 2, ten subsystems on three levels",
           shipped("planar_3rrr_subsystems"), 0.1, 3, subsystems},
          {"hierarchy", "chain of 10 rods (recursion against one dense subsystem)", [] { return chain(10); }, 0.1, 3,
           recursion},
          {"hierarchy", "chain of 60 rods (recursion against one dense subsystem)", [] { return chain(60); }, 0.05, 3,
           recursion},
          {"thompson", "rotorcraft of Thompson 2011, Fig. 4e", shipped("rotorcraft"), 0.5, 3, orders},
          {"thompson", "wind turbine of Thompson 2011, Fig. 4f", shipped("wind_turbine"), 5, 3, orders}};
}

}  // namespace

const std::vector<HeadlineCase>& headline_cases() {
  static const std::vector<HeadlineCase> all = make_cases();
  return all;
}

}  // namespace polyform::benchmark
