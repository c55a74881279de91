// The planar beam: integrals, the flexible pendulum at one instant, fields and attachments.
#include <Eigen/Dense>
#include <catch2/catch.hpp>

#include "tests/flexible/beam_fields.hpp"

namespace polyform::test {

using Catch::Matchers::Contains;

TEST_CASE("the integrals of a clamped beam of two modes are those found at 40 digits") {
  FlexibleBench beam(beam_type, beam_fields(0, 2));
  const FlexibleTerms straight = beam.at({{}, {0, 0}, {0, 0}});
  const double shift[] = {0.19574793900990645, -0.10848397377767982};
  const double turn[] = {0.1422064359274777, -0.02269169672159674};
  const double bending[] = {2.472472673665238, 97.10376370267421};
  CHECK(straight(2, 2) == Approx(1.0 / 6).epsilon(1e-14));
  CHECK(straight(1, 1) == straight(2, 2));
  CHECK(straight(0, 0) == 0);
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK(straight(4, 6 + k) == Approx(shift[k]).epsilon(1e-14));
    CHECK(straight(2, 6 + k) == Approx(turn[k]).epsilon(1e-14));
    CHECK(straight(6 + k, 6 + k) == Approx(0.125).epsilon(1e-14));
    CHECK(straight(6 + k, 7 - k) == 0);
    FlexibleMotion bent{{}, {0, 0}, {0, 0}};
    bent.eta[k] = 1;
    CHECK(beam.at(bent).force[6 + k] == Approx(-bending[k]).epsilon(1e-14));
    CHECK(beam.at(bent).strain_energy == Approx(0.5 * bending[k]).epsilon(1e-14));
  }
}

TEST_CASE("the flexible pendulum starts as its Lagrange equations at 40 digits say") {
  // Pinned at the frame origin with a hub of 0.02 kg m², horizontal, 1 rad/s, gravity along −y, first mode at 0.02.
  FlexibleBench beam(beam_type, beam_fields(0, 2));
  const FlexibleTerms now = beam.at({{0, 0, 1}, {0.02, 0}, {0, 0}});
  const std::size_t free[] = {2, 6, 7};
  Eigen::Matrix3d mass;
  Eigen::Vector3d load;
  for (int i = 0; i < 3; ++i) {
    load(i) = now.force[free[i]] - 9.81 * now(free[i], 4);
    for (int j = 0; j < 3; ++j) mass(i, j) = now(free[i], free[j]);
  }
  mass(0, 0) += 0.02;
  const Eigen::Vector3d acceleration = mass.ldlt().solve(load);
  CHECK(acceleration(0) == Approx(-1.0221527164647262).epsilon(1e-12));
  CHECK(acceleration(1) == Approx(-14.575040323027569).epsilon(1e-12));
  CHECK(acceleration(2) == Approx(8.32826722651093).epsilon(1e-12));
}

TEST_CASE("elastic free-free modes are mean axes: they move neither the mass centre nor the angular momentum") {
  FlexibleBench beam(beam_type, beam_fields(2, 4));
  const FlexibleTerms straight = beam.at({{}, {0, 0, 0, 0}, {0, 0, 0, 0}});
  for (std::size_t k = 6; k < 10; ++k)
    for (std::size_t i = 0; i < 6; ++i) CHECK(straight(i, k) == 0);
}

TEST_CASE("a straight beam swings with lambda^2 sqrt(EI / (mu l^4)), whatever its size and boundary") {
  // λ of the second mode of each boundary: R. D. Blevins, Formulas for Natural Frequency and Mode Shape, 1979, Table
  // 8-1.
  const double lambda[] = {4.69409113, 6.28318531, 7.85320462};
  for (const std::int64_t boundary : {0, 1, 2}) {
    FieldSet fields = beam_fields(boundary, 2);
    fields.number("length", 2.5).number("linear_density", 3).number("bending_stiffness", 70);
    FlexibleBench beam(beam_type, std::move(fields));
    const FlexibleTerms bent = beam.at({{}, {0, 0.1}, {0, 0}});
    const double squared = -bent.force[7] / (0.1 * bent(7, 7));
    CHECK(std::sqrt(squared) == Approx(std::pow(lambda[boundary] / 2.5, 2) * std::sqrt(70.0 / 3)).epsilon(1e-8));
  }
}

TEST_CASE("damping of a mode is 2 zeta omega times its modal mass") {
  FieldSet fields = beam_fields(1, 2);
  fields.numbers("damping_ratio", {0.01, 0.3});
  FlexibleBench beam(beam_type, std::move(fields));
  const FlexibleTerms rest = beam.at({{}, {0, 0}, {0, 0}}), moving = beam.at({{}, {0, 0}, {1, 2}});
  for (std::size_t k = 0; k < 2; ++k) {
    FlexibleMotion bent{{}, {0, 0}, {0, 0}};
    bent.eta[k] = 1;
    const double mass = rest(6 + k, 6 + k), omega = std::sqrt(-beam.at(bent).force[6 + k] / mass);
    CHECK(moving.force[6 + k] == Approx(-2 * (k == 0 ? 0.01 : 0.3) * omega * mass * (k == 0 ? 1 : 2)));
  }
  CHECK(moving.damping_power == Approx(moving.force[6] + 2 * moving.force[7]));
}

TEST_CASE("attachments to a beam are points of its axis, with deflection along y and rotation about z") {
  FieldSet fields = beam_fields(0, 2);
  fields.number("length", 2);
  const FlexibleBench beam(beam_type, std::move(fields));
  for (const double x : {0.0, 0.7, 1.3, 2.0}) {
    const auto at = beam.shapes_at({x, 0, 0});
    REQUIRE(at);
    const double h = x == 0 ? 1e-5 : -1e-5;
    const auto beside = beam.shapes_at({x + h, 0, 0});
    for (std::size_t k = 0; k < 2; ++k) {
      for (const std::size_t row : {0UL, 4UL}) CHECK(at->displacement[row + k] == 0);
      for (const std::size_t row : {0UL, 2UL}) CHECK(at->rotation[row + k] == 0);
      CHECK(at->rotation[4 + k] == Approx((beside->displacement[2 + k] - at->displacement[2 + k]) / h).margin(1e-3));
      if (x == 2) CHECK(at->displacement[2 + k] == Approx(1).epsilon(1e-13));
      if (x == 0) CHECK(std::abs(at->rotation[4 + k]) + std::abs(at->displacement[2 + k]) < 1e-14);
    }
  }
  CHECK(beam.shapes_at({-1e-7, 0, 0}));
  CHECK_FALSE(beam.shapes_at({-1e-3, 0, 0}));
  CHECK_FALSE(beam.shapes_at({2.001, 0, 0}));
  CHECK_FALSE(beam.shapes_at({1, 0.001, 0}));
  CHECK_FALSE(beam.shapes_at({1, 0, -0.001}));
}

TEST_CASE("a beam starts from one number for all modes or one per mode, and says when there are too few") {
  FieldSet fields = beam_fields(0, 3);
  fields.numbers("modal_position", {1, 2, 3}).numbers("modal_velocity", {4});
  const FlexibleMotion start = FlexibleBench(beam_type, std::move(fields)).initial();
  CHECK(start.eta == std::vector<double>{1, 2, 3});
  CHECK(start.etadot == std::vector<double>{4, 4, 4});

  FieldSet wrong = beam_fields(0, 3);
  wrong.numbers("modal_position", {1, 2}).numbers("damping_ratio", {0, 0, 0, 0});
  const std::string said = complaints(beam_type, wrong);
  CHECK_THAT(said, Contains("modal_position: 2 values given for modal_position, but the body has 3 modes | Give one "
                            "number for all modes or a list with one per mode."));
  CHECK_THAT(said, Contains("damping_ratio: 4 values given for damping_ratio, but the body has 3 modes"));
}

}  // namespace polyform::test
