// A row of masses that stick and slip on a belt, against its motion in closed form, event by event.
#include <Eigen/Dense>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/events/elements.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// The row without any integrator. Masses that stick go with the belt. For those that slip, m ẍ = −K x + F with K of
/// all springs: vibrations in the modes of their part of K about a place that goes along evenly. Events are where such
/// a sum of sines crosses a bound, found by bisection.
class Row {
 public:
  explicit Row(const Eigen::Vector3d& start) : x(start), v(Eigen::Vector3d::Constant(belt)) {
    K << wall + between, -between, 0, -between, wall + 2 * between, -between, 0, -between, wall + between;
  }

  void go_to(double end) {
    while (time < end) {
      find_modes();
      constexpr double look = 5e-4;
      double low = 0, high = 0;
      while (time + low < end) {
        high = std::min(low + look, end - time);
        if (first_change(high) >= 0) break;
        low = high;
      }
      if (const int changed = first_change(high); changed >= 0) {
        for (int i = 0; i < 60; ++i) (first_change(0.5 * (low + high)) >= 0 ? high : low) = 0.5 * (low + high);
        const int which = first_change(high);
        go(high);
        change(which);
      } else {
        go(end - time);
        time = end;
      }
    }
  }

  Eigen::Vector3d x, v;
  double time = 0;
  std::vector<double> slips[3];  ///< when each mass let go, s

 private:
  static constexpr double mass = 2, wall = 200, between = 200, belt = 0.1, sliding = 8, holding = 12;

  void find_modes() {
    free.clear();
    for (int i = 0; i < 3; ++i)
      if (slides[i]) free.push_back(i);
    const auto n = static_cast<Eigen::Index>(free.size());
    if (n == 0) return;
    Eigen::MatrixXd own(n, n);
    Eigen::VectorXd load(n), drift(n), place(n), speed(n);
    for (Eigen::Index a = 0; a < n; ++a) {
      const int i = free[static_cast<std::size_t>(a)];
      load[a] = sliding;
      drift[a] = 0;
      place[a] = x[i];
      speed[a] = v[i];
      for (Eigen::Index b = 0; b < n; ++b) own(a, b) = K(i, free[static_cast<std::size_t>(b)]);
      for (int j = 0; j < 3; ++j)
        if (!slides[j]) load[a] -= K(i, j) * x[j], drift[a] -= K(i, j) * belt;
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> modes(own / mass);
    V = modes.eigenvectors();
    omega = modes.eigenvalues().cwiseSqrt();
    mean = own.ldlt().solve(load);
    going = own.ldlt().solve(drift);
    cosines = V.transpose() * (place - mean);
    sines = (V.transpose() * (speed - going)).cwiseQuotient(omega);
  }
  void at(double t, Eigen::Vector3d& place, Eigen::Vector3d& speed) const {
    place = x + Eigen::Vector3d::Constant(belt * t);
    speed = Eigen::Vector3d::Constant(belt);
    if (free.empty()) return;
    const Eigen::ArrayXd phase = omega.array() * t, c = phase.cos(), s = phase.sin();
    const Eigen::VectorXd moved = V * (cosines.array() * c + sines.array() * s).matrix() + mean + going * t;
    const Eigen::VectorXd rate = V * (omega.array() * (sines.array() * c - cosines.array() * s)).matrix() + going;
    for (std::size_t a = 0; a < free.size(); ++a) {
      place[free[a]] = moved[static_cast<Eigen::Index>(a)];
      speed[free[a]] = rate[static_cast<Eigen::Index>(a)];
    }
  }
  /// The mass that lets go, or sticks again, by then; −1 if none does. One that has just let go does not stick.
  int first_change(double t) const {
    Eigen::Vector3d place, speed;
    at(t, place, speed);
    const Eigen::Vector3d pull = K * place;
    for (int i = 0; i < 3; ++i) {
      if (!slides[i] && pull[i] > holding) return i;
      if (slides[i] && time + t > begun[i] + 1e-6 && speed[i] > belt) return i;
    }
    return -1;
  }
  void go(double t) {
    Eigen::Vector3d place, speed;
    at(t, place, speed);
    x = place;
    v = speed;
    time += t;
  }
  void change(int i) {
    slides[i] = !slides[i];
    v[i] = belt;
    begun[i] = time;
    if (slides[i]) slips[i].push_back(time);
  }

  Eigen::Matrix3d K;
  bool slides[3] = {false, false, false};
  double begun[3] = {};
  std::vector<int> free;
  Eigen::MatrixXd V;
  Eigen::VectorXd omega, mean, going, cosines, sines;
};

}  // namespace

TEST_CASE("a row of masses on a belt sticks and slips as its motion in closed form does") {
  Row row({0, 0.01, -0.02});
  row.go_to(4);
  const auto system = system_from_file(POLYFORM_MODELS "/belt_row_stick_slip.yaml");
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    host::RunSettings s = run_settings("dop853");
    s.duration = 4;
    s.output_interval = 1;
    s.step = 1e-3;
    s.relative_tolerance = 1e-10;
    s.absolute_tolerance = 1e-12;
    const Ended ended = run_to_end(*system, *formulation, s);
    for (int i = 0; i < 3; ++i) {
      const auto k = static_cast<std::size_t>(i);
      CHECK(ended.positions[1 + k].x - static_cast<double>(i) == Approx(row.x[i]).margin(1e-8));
      CHECK(ended.velocities[1 + k].x == Approx(row.v[i]).margin(1e-7));
    }
  }
}

// The outer masses slip together, twice in a period; the middle one slips three times.
TEST_CASE("a row of masses on a belt comes to its limit cycle") {
  Row row({0, 0.01, -0.02});
  row.go_to(240);
  const auto period = [](const std::vector<double>& slips, std::size_t turns) {
    return slips.back() - slips[slips.size() - 1 - turns];
  };
  CHECK(period(row.slips[0], 2) == Approx(2.1535).margin(2e-3));
  CHECK(period(row.slips[1], 3) == Approx(period(row.slips[0], 2)).epsilon(1e-9));
  CHECK(row.slips[0].back() == Approx(row.slips[2].back()).epsilon(1e-9));
}
