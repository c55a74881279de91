// Modal bodies: the two ways to give inertia, a beam as one, nodes, and messages about wrong data.
#include <catch2/catch.hpp>

#include "plugins/elements/flexible/beam_mode.hpp"
#include "tests/flexible/beam_fields.hpp"
#include "tests/flexible/modal_fields.hpp"

namespace polyform::test {
namespace {

using Catch::Matchers::Contains;

/// The beam of beam_fields as equal masses at the middles of equal pieces.
FieldSet pieces_of_beam(std::size_t modes, std::size_t pieces, FlexibleBench& beam) {
  std::vector<MassPoint> points;
  for (std::size_t i = 0; i < pieces; ++i) {
    const double count = static_cast<double>(pieces), x = (static_cast<double>(i) + 0.5) / count;
    points.push_back({0.5 / count, {x, 0, 0}, {}});
    for (std::size_t k = 0; k < modes; ++k)
      points.back().shape.push_back({0, flexible::BeamMode(flexible::Boundary::clamped_free, k).derivative(x, 0), 0});
  }
  FieldSet fields = lumped_fields(points);
  std::vector<double> stiffness;
  for (std::size_t k = 0; k < modes; ++k) {
    FlexibleMotion bent{{}, std::vector<double>(modes), std::vector<double>(modes)};
    bent.eta[k] = 1;
    stiffness.push_back(-beam.at(bent).force[6 + k]);
  }
  fields.numbers("modal_stiffness", stiffness);
  return fields;
}

/// Two nodes, two modes; lumped.
FieldSet small_body() {
  return lumped_fields({{1, {0, 0, 0}, {{1, 0, 0}, {0, 1, 0}}}, {2, {3, 0, 0}, {{0, 1, 0}, {0, 0, 1}}}});
}

}  // namespace

TEST_CASE("a beam cut into ever more mass points converges to the flexible beam, with the square of their distance") {
  Random random(97);
  FlexibleBench beam(beam_type, beam_fields(0, 3));
  const FlexibleMotion motion = random_motion(random, 3);
  const FlexibleTerms exact = beam.at(motion);
  const auto error = [&](std::size_t pieces) {
    FlexibleBench cut(modal_type, pieces_of_beam(3, pieces, beam));
    const FlexibleTerms found = cut.at(motion);
    CHECK(found.strain_energy == Approx(exact.strain_energy));
    return std::max(difference(exact.mass, found.mass), difference(exact.force, found.force));
  };
  const double coarse = error(100), fine = error(1000);
  CHECK(coarse < 1e-2);
  CHECK(fine < 1.05e-2 * coarse);
}

TEST_CASE("integrals of the modes with the rigid inertia beside them are the lumped body, to rounding") {
  Random random(98);
  for (int i = 0; i < 10; ++i) {
    const std::vector<MassPoint> points = random_points(random, 25, 4);
    FlexibleBench lumped(modal_type, lumped_fields(points)), integrals(modal_type, integral_fields(points));
    const FlexibleMotion motion = random_motion(random, 4);
    // What the host adds: the undeformed body as a rigid one.
    std::vector<MassPoint> undeformed = points;
    for (MassPoint& p : undeformed) p.shape.assign(4, Vec3{});
    const FlexibleTerms rigid = sum_over(undeformed, motion);
    FlexibleTerms both = integrals.at(motion);
    for (std::size_t j = 0; j < both.mass.size(); ++j) both.mass[j] += rigid.mass[j];
    for (std::size_t j = 0; j < both.force.size(); ++j) both.force[j] += rigid.force[j];
    const FlexibleTerms whole = lumped.at(motion);
    CHECK(difference(whole.mass, both.mass) < 1e-14);
    CHECK(difference(whole.force, both.force) < 1e-14);
  }
}

TEST_CASE("coupled modes take full stiffness and damping matrices") {
  FieldSet fields = small_body();
  fields.omit("modal_stiffness").matrix("stiffness_matrix", 2, {3, -1, -1, 2});
  fields.matrix("damping_matrix", 2, {0.2, 0.1, 0.1, 0.3});
  FlexibleBench bench(modal_type, std::move(fields));
  const FlexibleTerms terms = bench.at({{}, {1, 2}, {5, -1}});
  CHECK(terms.strain_energy == Approx(0.5 * (3 - 4 + 8)));
  CHECK(terms.damping_power == Approx(-(0.2 * 25 - 0.2 * 5 + 0.3)));
  CHECK(terms.force[6] == Approx(-(3 - 2) - (1 - 0.1)));
  CHECK(terms.force[7] == Approx(-(-1 + 4) - (0.5 - 0.3)));
}

TEST_CASE("the damping ratio of a mode refers to its own stiffness and mass") {
  FieldSet fields = small_body();
  fields.numbers("damping_ratio", {0.1, 0.2});
  FlexibleBench bench(modal_type, std::move(fields));
  const FlexibleTerms terms = bench.at({{}, {0, 0}, {1, 1}});
  CHECK(terms.force[6] == Approx(-2 * 0.1 * std::sqrt(1 * 3)));
  CHECK(terms.force[7] == Approx(-2 * 0.2 * std::sqrt(2 * 3)));
}

TEST_CASE("attachments to a modal body are its nodes, with the rotations of the modes there") {
  FieldSet fields = small_body();
  fields.matrix("mode_rotations", 2, {0, 0, 0, 1, 2, 3, 0, 0, 0, 4, 5, 6});
  const FlexibleBench bench(modal_type, std::move(fields));
  const auto at = bench.shapes_at({3, 1e-9, 0});
  REQUIRE(at);
  CHECK(at->displacement == std::vector<double>{0, 0, 1, 0, 0, 1});
  CHECK(at->rotation == std::vector<double>{1, 4, 2, 5, 3, 6});
  CHECK_FALSE(bench.shapes_at({1.5, 0, 0}));
  const auto without = FlexibleBench(modal_type, small_body()).shapes_at({3, 0, 0});
  REQUIRE(without);
  CHECK(without->rotation == std::vector<double>(6));
}

TEST_CASE("what is wrong with the shape of modal data is said with what was found") {
  const auto said = [](const FieldSet& fields) { return complaints(modal_type, fields); };
  CHECK_THAT(said(std::move(small_body().matrix("nodes", 2, {1, 2, 3, 4}))),
             Contains("nodes: a row of 2 numbers, expected 3: x, y, z of a node"));
  CHECK_THAT(
      said(std::move(small_body().matrix("mode_displacements", 2, {1, 2, 3, 4}))),
      Contains("mode_displacements: mode_displacements has 2 rows of 2, expected 2 of 6 for 2 modes and 2 nodes"));
  CHECK_THAT(said(std::move(small_body().matrix("mode_rotations", 1, {1, 2, 3, 4, 5, 6}))),
             Contains("mode_rotations has 1 row of 6, expected 2 of 6"));
  CHECK_THAT(said(std::move(small_body().numbers("modal_stiffness", {1}))),
             Contains("1 value given for modal_stiffness, but the body has 2 modes | Give one number per mode."));
  CHECK_THAT(said(std::move(small_body().numbers("node_masses", {1, 2, 3}))),
             Contains("3 values given for node_masses, but the body has 2 nodes"));
  CHECK_THAT(said(std::move(small_body().numbers("modal_velocity", {1, 2, 3}))),
             Contains("3 values given for modal_velocity, but the body has 2 modes"));
}

TEST_CASE("a modal body takes one stiffness, at most one damping and one inertia") {
  const auto said = [](const FieldSet& fields) { return complaints(modal_type, fields); };
  CHECK_THAT(said(std::move(small_body().omit("modal_stiffness"))), Contains("modal_stiffness: no stiffness is given"));
  CHECK_THAT(said(std::move(small_body().matrix("stiffness_matrix", 2, {1, 0, 0, 1}))),
             Contains("both modal_stiffness and stiffness_matrix are given"));
  CHECK_THAT(said(std::move(small_body().numbers("damping_ratio", {1}).matrix("damping_matrix", 2, {1, 0, 0, 1}))),
             Contains("both damping_ratio and damping_matrix are given"));
  CHECK_THAT(said(std::move(small_body().omit("node_masses"))), Contains("node_masses: no inertia is given"));
  CHECK_THAT(said(std::move(small_body().matrix("integral_phi", 2, {1, 2, 3, 4, 5, 6}))),
             Contains("both node_masses and integrals of the modes are given"));
  CHECK_THAT(said(std::move(small_body().omit("node_masses").matrix("integral_phi", 2, {1, 2, 3, 4, 5, 6}))),
             Contains("the integrals are not complete: no integral_phi_phi"));
}

TEST_CASE("matrices that no body has are refused with the value found") {
  const auto said = [](const FieldSet& fields) { return complaints(modal_type, fields); };
  FieldSet stiffness = small_body();
  stiffness.omit("modal_stiffness").matrix("stiffness_matrix", 2, {1, 2, 2, 1});
  CHECK_THAT(said(stiffness), Contains("stiffness_matrix has the negative eigenvalue -1 (its largest element is 2)"));
  FieldSet damping = small_body();
  damping.matrix("damping_matrix", 2, {1, 0.5, 0.2, 1});
  CHECK_THAT(said(damping),
             Contains("damping_matrix is not symmetric: two elements that should be equal differ by 0.3, "
                      "the largest element is 1"));
  FieldSet mass = integral_fields({{1, {0, 0, 0}, {{1, 0, 0}}}});
  CHECK(said(mass) == "accepted");
  mass.matrix("integral_phi_phi", 3, {1, 0, 0, 0, -0.25, 0, 0, 0, 0});
  CHECK_THAT(said(mass), Contains("integral_phi_phi has the negative eigenvalue -0.25") &&
                             Contains("No distribution of mass has such integrals"));
}

}  // namespace polyform::test
