// Mass matrix and force of both types against sums over mass points and against the conservation laws.
#include <Eigen/Dense>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "plugins/elements/flexible/beam_mode.hpp"
#include "tests/flexible/beam_fields.hpp"
#include "tests/flexible/modal_fields.hpp"

namespace polyform::test {
namespace {

/// Points of a beam of 0.5 kg/m: on each of many panels five, at the nodes of Gauss's rule, with its weights, so that
/// the sums over them are the integrals to rounding.
std::vector<MassPoint> points_of_beam(flexible::Boundary boundary, std::size_t modes, double length, int panels) {
  constexpr double nodes[] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640};
  constexpr double weights[] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                                0.2369268850561891};
  std::vector<MassPoint> points;
  for (int i = 0; i < panels; ++i)
    for (int j = 0; j < 5; ++j) {
      const double half = 0.5 / panels, x = (2 * i + 1 + nodes[j]) * half;
      points.push_back({0.5 * length * half * weights[j], {length * x, 0, 0}, {}});
      for (std::size_t k = 0; k < modes; ++k)
        points.back().shape.push_back({0, flexible::BeamMode(boundary, k).derivative(x, 0), 0});
    }
  return points;
}

/// How the bending of a beam draws its points in, by the trapezoidal rule over a fine row of sections: nothing of the
/// type's own quadrature. Mean axes: without its mean.
void add_foreshortening(std::vector<MassPoint>& points, flexible::Boundary boundary, std::size_t modes, double length) {
  constexpr std::size_t sections = 20000;
  std::vector<double> sum(modes * modes), before(modes), mean(modes * modes);
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return points[i].position.x; });
  const auto slopes = [&](double xi, std::vector<double>& out) {
    for (std::size_t k = 0; k < modes; ++k) out[k] = flexible::BeamMode(boundary, k).derivative(xi, 1);
  };
  std::vector<double> now(modes);
  double xi = 0, mass = 0;
  slopes(0, before);
  for (const std::size_t i : order) {
    const double to = points[i].position.x / length;
    const auto steps = static_cast<std::size_t>(std::ceil((to - xi) * sections)) + 1;
    const double h = (to - xi) / static_cast<double>(steps);
    for (std::size_t s = 1; s <= steps; ++s) {
      slopes(xi + static_cast<double>(s) * h, now);
      for (std::size_t pair = 0; pair < sum.size(); ++pair)
        sum[pair] += 0.5 * h * (before[pair / modes] * before[pair % modes] + now[pair / modes] * now[pair % modes]);
      std::swap(before, now);
    }
    xi = to;
    mass += points[i].mass;
    for (std::size_t pair = 0; pair < sum.size(); ++pair) {
      points[i].second_order.push_back({-sum[pair] / length, 0, 0});
      mean[pair] += points[i].mass * sum[pair] / length;
    }
  }
  for (MassPoint& p : points)
    for (std::size_t pair = 0; pair < sum.size() && boundary == flexible::Boundary::free_free; ++pair)
      p.second_order[pair].x += mean[pair] / mass;
}

/// Adds −[0; 0; K η], as a body at these coordinates without rates or rotation has it.
FlexibleTerms with_elastic(FlexibleTerms terms, FlexibleBench& bench, const FlexibleMotion& motion) {
  const FlexibleTerms still = bench.at({{}, motion.eta, std::vector<double>(motion.eta.size())});
  for (std::size_t i = 0; i < terms.size(); ++i) terms.force[i] += still.force[i];
  return terms;
}

/// Velocity [Ω; v; η̇], and its rate in body axes from the equations of motion of the free body.
struct FreeMotion {
  Eigen::VectorXd velocity, acceleration;
  Eigen::MatrixXd mass;
};
Eigen::MatrixXd matrix_of(const FlexibleTerms& terms) {
  const auto n = static_cast<Eigen::Index>(terms.size());
  return Eigen::Map<const Eigen::MatrixXd>(terms.mass.data(), n, n);  // symmetric
}
FreeMotion free_motion(FlexibleBench& bench, const FlexibleMotion& motion, const Vec3& v) {
  const FlexibleTerms terms = bench.at(motion);
  const auto n = static_cast<Eigen::Index>(terms.size());
  FreeMotion out{Eigen::VectorXd(n), {}, matrix_of(terms)};
  const Vec3& w = motion.angular_velocity;
  out.velocity << w.x, w.y, w.z, v.x, v.y, v.z, Eigen::Map<const Eigen::VectorXd>(motion.etadot.data(), n - 6);
  out.acceleration = out.mass.fullPivLu().solve(Eigen::Map<const Eigen::VectorXd>(terms.force.data(), n));
  const Vec3 turning = cross(w, v);  // a is absolute, the rate of v in body axes is not
  out.acceleration.segment<3>(3) -= Eigen::Vector3d(turning.x, turning.y, turning.z);
  return out;
}
FlexibleMotion moved(FlexibleMotion motion, double time) {
  for (std::size_t k = 0; k < motion.eta.size(); ++k) motion.eta[k] += time * motion.etadot[k];
  return motion;
}
/// dM/dt; M is quadratic in η, so the central difference is exact.
Eigen::MatrixXd mass_rate(FlexibleBench& bench, const FlexibleMotion& motion) {
  return 0.5 * (matrix_of(bench.at(moved(motion, 1))) - matrix_of(bench.at(moved(motion, -1))));
}
Vec3 at(const Eigen::VectorXd& v, Eigen::Index i) { return {v(i), v(i + 1), v(i + 2)}; }

/// Energy, linear and angular momentum of the free body without loads, by their rates at one state.
void check_conservation(FlexibleBench& bench, const FlexibleMotion& motion, const Vec3& v) {
  const FreeMotion now = free_motion(bench, motion, v);
  const Eigen::MatrixXd rate_of_mass = mass_rate(bench, motion);
  const double kinetic =
      now.velocity.dot(now.mass * now.acceleration) + 0.5 * now.velocity.dot(rate_of_mass * now.velocity);
  const double strain = 0.5 * (bench.at(moved(motion, 1)).strain_energy - bench.at(moved(motion, -1)).strain_energy);
  const double scale = now.velocity.dot(now.mass * now.velocity) + std::abs(strain);
  CHECK(std::abs(kinetic + strain - bench.at(motion).damping_power) < 1e-10 * scale);

  const Eigen::VectorXd momentum = now.mass * now.velocity,
                        momentum_rate = now.mass * now.acceleration + rate_of_mass * now.velocity;
  const Vec3& w = motion.angular_velocity;
  const Vec3 linear = at(momentum_rate, 3) + cross(w, at(momentum, 3));
  const Vec3 angular = at(momentum_rate, 0) + cross(w, at(momentum, 0)) + cross(v, at(momentum, 3));
  CHECK(norm(linear) < 1e-10 * scale);
  CHECK(norm(angular) < 1e-10 * scale);
}

}  // namespace

TEST_CASE("a modal body has the equations of motion of its mass points, in any spatial motion") {
  Random random(91);
  for (int i = 0; i < 20; ++i) {
    const auto modes = static_cast<std::size_t>(random.integer(1, 6));
    const std::vector<MassPoint> points = random_points(random, 30, modes);
    FlexibleBench bench(modal_type, lumped_fields(points));
    const FlexibleMotion motion = random_motion(random, modes);
    const FlexibleTerms found = bench.at(motion), expected = with_elastic(sum_over(points, motion), bench, motion);
    CHECK(difference(expected.mass, found.mass) < 1e-14);
    CHECK(difference(expected.force, found.force) < 1e-14);
  }
}

TEST_CASE("a beam has the equations of motion of its points, whatever its boundary, turning in space too") {
  Random random(92);
  for (const std::int64_t boundary : {0, 1, 2}) {
    const double length = random.uniform(0.2, 5);
    const std::vector<MassPoint> points = points_of_beam(static_cast<flexible::Boundary>(boundary), 6, length, 60);
    FieldSet fields = beam_fields(boundary, 6);
    fields.number("length", length);
    FlexibleBench bench(beam_type, std::move(fields));
    for (int i = 0; i < 5; ++i) {
      const FlexibleMotion motion = random_motion(random, 6);
      const FlexibleTerms found = bench.at(motion), expected = with_elastic(sum_over(points, motion), bench, motion);
      CHECK(difference(expected.mass, found.mass) < 1e-13);
      CHECK(difference(expected.force, found.force) < 1e-13);
    }
  }
}

TEST_CASE("a stiffened beam has the equations of motion of its points, whose inertia is positive at any deflection") {
  Random random(97);
  for (const std::int64_t boundary : {0, 1, 2})
    for (const std::size_t modes : {1u, 3u, 5u}) {
      const double length = random.uniform(0.2, 5);
      std::vector<MassPoint> points = points_of_beam(static_cast<flexible::Boundary>(boundary), modes, length, 60);
      add_foreshortening(points, static_cast<flexible::Boundary>(boundary), modes, length);
      FieldSet fields = beam_fields(boundary, static_cast<std::int64_t>(modes));
      fields.number("length", length).integer("geometric_stiffening", 1);
      FlexibleBench bench(beam_type, std::move(fields));
      for (const double slope : {0.01, 0.3, 3.0}) {
        const FlexibleMotion motion = random_motion(random, modes, slope * length);
        const FlexibleTerms found = bench.at(motion), expected = with_elastic(sum_over(points, motion), bench, motion);
        INFO("boundary " << boundary << ", " << modes << " modes, slopes of " << slope);
        CHECK(difference(expected.mass, found.mass) < 1e-6);
        CHECK(difference(expected.force, found.force) < 1e-6);
        CHECK(Eigen::LLT<Eigen::MatrixXd>(matrix_of(found)).info() == Eigen::Success);
      }
    }
}

TEST_CASE("a stiffened body of mass points has their equations of motion") {
  Random random(98);
  for (int i = 0; i < 10; ++i) {
    const auto modes = static_cast<std::size_t>(random.integer(1, 4));
    std::vector<MassPoint> points = random_points(random, 12, modes);
    std::vector<double> rows(modes * modes * 3 * points.size());
    for (std::size_t n = 0; n < points.size(); ++n) {
      points[n].second_order.resize(modes * modes);
      for (std::size_t k = 0; k < modes; ++k)
        for (std::size_t l = 0; l <= k; ++l)
          points[n].second_order[k * modes + l] = points[n].second_order[l * modes + k] = random.vector(1);
      for (std::size_t pair = 0; pair < modes * modes; ++pair)
        for (std::size_t axis = 0; axis < 3; ++axis)
          rows[(pair * points.size() + n) * 3 + axis] = points[n].second_order[pair][axis];
    }
    FieldSet fields = lumped_fields(points);
    fields.matrix("second_order_displacements", modes * modes, rows).integer("geometric_stiffening", 1);
    FlexibleBench bench(modal_type, std::move(fields));
    const FlexibleMotion motion = random_motion(random, modes);
    const FlexibleTerms found = bench.at(motion), expected = with_elastic(sum_over(points, motion), bench, motion);
    CHECK(difference(expected.mass, found.mass) < 1e-12);
    CHECK(difference(expected.force, found.force) < 1e-12);
  }
}

TEST_CASE("a free flexible body without loads keeps energy, linear and angular momentum") {
  Random random(93);
  for (int i = 0; i < 10; ++i) {
    FlexibleBench modal(modal_type, lumped_fields(random_points(random, 20, 4)));
    check_conservation(modal, random_motion(random, 4), random.vector(2));
    // A bent beam, for a straight one has no inertia about its own axis.
    FlexibleBench beam(beam_type, beam_fields(i % 3, 4));
    check_conservation(beam, random_motion(random, 4), random.vector(2));
  }
}

TEST_CASE("what a damped body loses is its damping power") {
  Random random(94);
  for (int i = 0; i < 5; ++i) {
    FieldSet fields = lumped_fields(random_points(random, 20, 3));
    fields.matrix("damping_matrix", 3, {2, 0.5, 0, 0.5, 1, -0.2, 0, -0.2, 3});
    FlexibleBench modal(modal_type, std::move(fields));
    const FlexibleMotion motion = random_motion(random, 3);
    CHECK(modal.at(motion).damping_power < 0);
    check_conservation(modal, motion, random.vector(2));
  }
}

TEST_CASE("bodies of unequal size in one batch do not disturb each other") {
  Random random(95);
  const std::vector<MassPoint> points[] = {random_points(random, 10, 5), random_points(random, 10, 2)};
  const FieldSet fields[] = {lumped_fields(points[0]), lumped_fields(points[1])};
  const FlexibleInstance instances[] = {{.fields = fields[0].values()}, {.fields = fields[1].values()}};
  const FlexibleMotion motions[] = {random_motion(random, 5), random_motion(random, 2)};
  FlexibleBatch* batch = modal_type.create(instances);
  REQUIRE(batch != nullptr);
  std::vector<double> mass[] = {std::vector<double>(121), std::vector<double>(64)};
  std::vector<double> force[] = {std::vector<double>(11), std::vector<double>(8)};
  FlexibleInput in[2];
  FlexibleOutput out[2];
  for (std::size_t i = 0; i < 2; ++i) {
    in[i] = {motions[i].angular_velocity, motions[i].eta, motions[i].etadot};
    out[i] = {mass[i], force[i]};
  }
  for (int repeat = 0; repeat < 2; ++repeat) {
    batch->evaluate(in, out);
    for (std::size_t i = 0; i < 2; ++i) {
      FlexibleBench alone(modal_type, lumped_fields(points[i]));
      const FlexibleTerms expected = alone.at(motions[i]);
      CHECK(mass[i] == expected.mass);
      CHECK(force[i] == expected.force);
      CHECK(out[i].strain_energy == expected.strain_energy);
      CHECK(out[i].damping_power == expected.damping_power);
    }
  }
  batch->destroy();
}

TEST_CASE("mass and first moment for gravity are those of the mass matrix") {
  Random random(96);
  const std::vector<MassPoint> points = random_points(random, 20, 3);
  FlexibleBench benches[] = {{modal_type, lumped_fields(points)},
                             {modal_type, integral_fields(points)},
                             {beam_type, beam_fields(0, 3)},
                             {beam_type, beam_fields(1, 3)}};
  for (FlexibleBench& bench : benches) {
    const FlexibleMotion motion = random_motion(random, 3);
    const FlexibleTerms terms = bench.at(motion);
    const auto [mass, moment] = bench.mass_moment(motion.eta);
    CHECK(terms(3, 3) == Approx(mass));
    CHECK(terms(2, 4) == Approx(moment.x).margin(1e-14));
    CHECK(terms(0, 5) == Approx(moment.y).margin(1e-14));
    CHECK(terms(1, 3) == Approx(moment.z).margin(1e-14));
  }
}

}  // namespace polyform::test
