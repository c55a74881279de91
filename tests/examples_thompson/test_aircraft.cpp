// The rigid aircraft: trim, and its modes against the linear model of the textbooks.
#include <Eigen/Eigenvalues>
#include <cmath>
#include <complex>
#include <vector>

#include "tests/examples_thompson/example.hpp"
#include "tests/examples_thompson/textbook_aircraft.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

using Complex = std::complex<double>;

/// Deviation from trim in body axes: u, w, q, θ and v, p, r, φ.
struct Deviation {
  Eigen::Vector4d longitudinal, lateral;
};
Deviation deviation(const Observation& o) {
  const Mat3 R = rotation_matrix(o.bodies[0].pose.orientation);  // forward, right, down in ground axes
  const Vec3 v = transpose_times(R, o.bodies[0].velocity), w = transpose_times(R, o.bodies[0].angular_velocity);
  const double theta = std::asin(R(2, 0)), phi = std::atan2(-R(2, 1), -R(2, 2));  // ground z is up
  return {{v.x - textbook::V, v.z, w.y, theta}, {v.y, w.x, w.z, phi}};
}

/// The coordinate of each mode in x: rows of the inverse of the matrix of eigenvectors.
struct Modes {
  Eigen::Vector4cd value;
  Eigen::Matrix4cd coordinate;

  explicit Modes(const Eigen::Matrix4d& A) {
    const Eigen::EigenSolver<Eigen::Matrix4d> solver(A);
    value = solver.eigenvalues();
    coordinate = solver.eigenvectors().inverse();
  }
  /// The mode whose eigenvalue is nearest.
  Eigen::Index nearest(Complex to) const {
    Eigen::Index best = 0;
    for (Eigen::Index i = 1; i < 4; ++i)
      if (std::abs(value[i] - to) < std::abs(value[best] - to)) best = i;
    return best;
  }
};

/// The eigenvalue that a mode shows between two rows of a run: log(z2 / z1) / Δt, with whole turns as expected.
Complex measured(Complex z1, Complex z2, double dt, Complex expected) {
  Complex l = std::log(z2 / z1);
  const double turn = 2 * 3.14159265358979323846;
  l.imag(l.imag() + turn * std::round((expected.imag() * dt - l.imag()) / turn));
  return l / dt;
}

struct Row {
  double time;
  Deviation x;
};
std::vector<Row> run_of(const std::string& text, double duration, int rows) {
  const auto system = system_from_text(text);
  const auto solver = solver_for(*system, *formulations_for(*system).back());
  std::vector<Row> out;
  run_rows(
      *system, *solver, duration,
      [&](double t, const Observation& o) {
        out.push_back({t, deviation(o)});
      },
      rows);
  return out;
}

/// published: the eigenvalue that the source gives, from rounded imperial data, within a share of its size.
void check_mode(const std::vector<Row>& run, const Modes& modes, Complex published, double share, double from,
                double to, Eigen::Vector4d Deviation::*part) {
  const Eigen::Index i = modes.nearest(published);
  INFO("eigenvalue " << modes.value[i]);
  CHECK(std::abs(modes.value[i] - published) < share * std::abs(published));
  const auto at = [&](double time) {
    for (const Row& row : run)
      if (std::abs(row.time - time) < 1e-9)
        return Complex((modes.coordinate.row(i) * (row.x.*part).cast<Complex>())(0));
    throw std::invalid_argument("no row at that time");
  };
  const Complex seen = measured(at(from), at(to), to - from, modes.value[i]);
  INFO("seen in the run " << seen);
  CHECK(std::abs(seen - modes.value[i]) < 1e-4 * std::abs(modes.value[i]));
}

}  // namespace

TEST_CASE("the aircraft in steady level flight stays trimmed in every formulation") {
  const auto system = system_from_text(with(model_text("navion"), "-0.02", "0"));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    run_rows(*system, *solver, 60, [&](double t, const Observation& o) {
      CHECK(std::abs(o.bodies[0].pose.position.z - 1000) < 1e-6);
      CHECK(std::abs(o.bodies[0].pose.position.x - textbook::V * t) < 1e-6);
      CHECK(deviation(o).longitudinal.norm() + deviation(o).lateral.norm() < 1e-8);
    });
  }
}

TEST_CASE("short period and phugoid of a run have the period and damping of the textbook's linear model") {
  const Modes modes(textbook::longitudinal());
  // A pull of the elevator so small that the rest is linear.
  const std::vector<Row> run = run_of(with(model_text("navion"), "-0.02", "-0.000002"), 60, 600);
  // Nelson, Example 4.2 gives these with the derivatives by the rate of w apart. Counted to those by q they leave the
  // short period where it is in the sum of damping, and slow it and the phugoid down by what they add to the stiffness.
  check_mode(run, modes, {-2.51, 2.59}, 0.1, 2.2, 3.2, &Deviation::longitudinal);
  check_mode(run, modes, {-0.0171, 0.213}, 0.07, 10, 60, &Deviation::longitudinal);
}

TEST_CASE("Dutch roll, roll subsidence and spiral of a run are those of the textbook's linear model") {
  // Nelson, Example 5.3. The spiral is a small difference of products, so it keeps few digits of the data.
  const Modes modes(textbook::lateral());
  const std::string text = with(model_text("navion"), "inertia:", "angular_velocity: [1.0e-6, 0, 1.0e-6], inertia:");
  const std::vector<Row> run = run_of(with(text, "-0.02", "0"), 20, 400);
  check_mode(run, modes, {-8.435, 0}, 0.03, 0, 0.5, &Deviation::lateral);
  check_mode(run, modes, {-0.487, 2.335}, 0.03, 1, 5, &Deviation::lateral);
  check_mode(run, modes, {-0.00877, 0}, 0.07, 1, 20, &Deviation::lateral);
}
