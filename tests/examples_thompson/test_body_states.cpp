// Linear models in the paper's states, v_b, ω_b and Euler angles: constant velocity, and a steady turn.
#include <Eigen/Eigenvalues>

#include "framework/workbench/linearization/body_states.hpp"
#include "tests/examples_thompson/linear.hpp"
#include "tests/examples_thompson/textbook_aircraft.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// Rows and columns of some states, by their names.
Eigen::MatrixXd part_of(const host::StateSpace& body, const std::vector<std::string>& names) {
  std::vector<Eigen::Index> places;
  for (const std::string& name : names)
    for (std::size_t k = 0; k < body.states.size(); ++k)
      if (body.states[k].name == name) places.push_back(static_cast<Eigen::Index>(k));
  REQUIRE(places.size() == names.size());
  return body.A(places, places);
}

double largest(const Eigen::MatrixXd& m) { return m.cwiseAbs().maxCoeff(); }

}  // namespace

TEST_CASE("the linear aircraft in body axes is the textbook's matrix, entry by entry") {
  const auto system = system_from_text(model_text("navion"));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const host::StateSpace body = host::to_body_states(*system, linear_model(*system, *formulation), "zyx");
    // The model's ground has z up and the body z down: the second angle turns about an axis that points to the left.
    const Eigen::Vector4d down(1, 1, 1, -1), same = Eigen::Vector4d::Ones();
    const Eigen::MatrixXd longitudinal = part_of(body, {"flight.vbx", "flight.vbz", "flight.wby", "flight.angle2"});
    const Eigen::MatrixXd lateral = part_of(body, {"flight.vby", "flight.wbx", "flight.wbz", "flight.angle3"});
    const Eigen::MatrixXd turned = down.asDiagonal() * longitudinal * down.asDiagonal();
    INFO(turned << "\n\n" << textbook::longitudinal() << "\n\n" << lateral << "\n\n" << textbook::lateral());
    CHECK(largest(turned - textbook::longitudinal()) < 1e-8 * textbook::V);
    CHECK(largest(same.asDiagonal() * lateral - textbook::lateral()) < 1e-8 * textbook::V);
  }
}

TEST_CASE("states in body axes have the rates of the motion") {
  // A free body that tumbles without forces: Euler's equations, and v_b that turns against the body.
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: b, orientation: [0.8, 0.4, 0.4, 0.2], mass: 2, velocity: [1, 2, 3], angular_velocity: [0.3, -0.5, 0.7],
     center_of_mass: [0, 0, 0], inertia: {xx: 1, yy: 1.5, zz: 2}}
joints:
  - {name: f, type: free, base: ground, moving: b}
)");
  for (const char* sequence : {"zyx", "zxz", "xyz"}) {
    const host::StateSpace body =
        host::to_body_states(*system, linear_model(*system, *formulations_for(*system).back()), sequence);
    const auto at = [&](const std::string& name) {
      for (std::size_t k = 0; k < body.states.size(); ++k)
        if (body.states[k].name == name) return static_cast<Eigen::Index>(k);
      throw std::invalid_argument(name);
    };
    const Eigen::Index v = at("f.vbx"), w = at("f.wbx");
    const Eigen::Vector3d speed = body.values.segment<3>(v), spin = body.values.segment<3>(w);
    const Eigen::Vector3d J(1, 1.5, 2);
    CHECK((body.rates.segment<3>(v) - speed.cross(spin)).norm() < 1e-13);
    CHECK((body.rates.segment<3>(w) - J.cwiseProduct(spin).cross(spin).cwiseQuotient(J)).norm() < 1e-13);
    // The linear model of Euler's equations: d/dt δω = J⁻¹ (tilde(J ω) − ω̃ J) δω, in which the angles do not occur.
    const auto skewed = [](const Eigen::Vector3d& a) {
      Eigen::Matrix3d m;
      m << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
      return m;
    };
    const Eigen::Matrix3d expected =
        J.cwiseInverse().asDiagonal() * (skewed(J.cwiseProduct(spin)) - skewed(spin) * Eigen::Matrix3d(J.asDiagonal()));
    CHECK(largest(body.A.block<3, 3>(w, w) - expected) < 1e-9);
    CHECK(largest(body.A.block(w, 0, 3, 6)) < 1e-9);
    CHECK(largest(body.A.block<3, 3>(v, v) + skewed(spin)) < 1e-9);
    CHECK(largest(body.A.block<3, 3>(v, w) - skewed(speed)) < 1e-9);
  }
}

TEST_CASE("there are no states in body axes at gimbal lock, and without a ball") {
  const auto locked = system_from_text(R"(
polyform: 1
bodies:
  - {name: b, orientation: {axis: [0, 1, 0], angle: 1.5707963267948966}, mass: 2, inertia: {xx: 1, yy: 1.5, zz: 2}}
joints:
  - {name: f, type: free, base: ground, moving: b}
)");
  const host::Linearization linear = linear_model(*locked, *formulations_for(*locked).back());
  CHECK_THROWS_AS(host::to_body_states(*locked, linear, "zyx"), host::Failure);
  CHECK_NOTHROW(host::to_body_states(*locked, linear, "xyz, b=zxz"));
  CHECK_THROWS_AS(host::to_body_states(*locked, linear, "zz"), host::Failure);
  CHECK_THROWS_AS(host::to_body_states(*locked, linear, "c=zyx"), host::Failure);
  const auto pendulum = system_from_text(model_text("simple_pendulum"));
  CHECK_THROWS_AS(host::to_body_states(*pendulum, linear_model(*pendulum, *formulations_for(*pendulum).back()), "zyx"),
                  host::Failure);
}
