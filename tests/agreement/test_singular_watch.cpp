// Messages about singular positions in a run, with a solver that keeps a loop at rest up to rounding.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "framework/host/simulation/simulate.hpp"
#include "framework/host/watches/energy_watch.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::host;

namespace {

/// A parallelogram of 1 m and 2 m whose cranks stand at an angle to its flat position.
std::string parallelogram_at(double angle) {
  const double x = std::cos(angle), y = std::sin(angle);
  const std::string shape = "mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}\n";
  std::string text = "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n  - {name: left, " + shape +
                     fmt::format("  - {{name: coupler, position: [{}, {}, 0], ", x, y) + shape +
                     "  - {name: right, position: [2, 0, 0], " + shape + "joints:\n";
  const auto pin = [&](const char* name, const char* base, const char* moving, double px, double py) {
    text +=
        fmt::format("  - {{name: {}, type: revolute, base: {}, moving: {}, position: [{}, {}, 0], axis: [0, 0, 1]}}\n",
                    name, base, moving, px, py);
  };
  pin("A", "ground", "left", 0, 0);
  pin("B", "left", "coupler", x, y);
  pin("C", "coupler", "right", 2 + x, y);
  pin("D", "ground", "right", 2, 0);
  return text;
}

/// Its state is the time. All coordinates and rates are those of the beginning, and noise.
class NoisyRest final : public Solver {
 public:
  NoisyRest(const System& system, double noise, double seed)
      : start_(system.initial_state()), noise_(noise), seed_(seed) {}
  std::string_view failure() const noexcept override { return {}; }
  void destroy() noexcept override {}

 protected:
  std::size_t do_state_size() const noexcept override { return 1; }
  Status do_encode(const ConstStateView&, std::span<double> y) noexcept override {
    y[0] = 0;
    return Status::ok;
  }
  Status do_decode(std::span<const double> y, const StateView& out) noexcept override {
    double phase = 0;
    const auto noise = [&] {
      phase += 1;
      return noise_ * std::sin(phase * (1e5 * y[0] + seed_));
    };
    for (std::size_t k = 0; k < out.q.size(); ++k) out.q[k] = start_.q[k] + noise();
    for (double& v : out.v) v = noise();
    return Status::ok;
  }
  Status do_derivative(double, std::span<const double>, std::span<double> ydot) noexcept override {
    ydot[0] = 1;
    return Status::ok;
  }
  Status do_correct(double, std::span<double>, Correction&) noexcept override { return Status::ok; }
  Status do_observe(double, std::span<const double>, Observation& out) noexcept override {
    for (auto& body : out.bodies) body = {};
    for (auto& reaction : out.reactions) reaction = {};
    return Status::ok;
  }

 private:
  ConstStateView start_;
  double noise_, seed_;
};

/// Tells the balance that it is given, as kinetic energy.
class GivenEnergy final : public Solver {
 public:
  double energy = 0;
  std::string_view failure() const noexcept override { return {}; }
  void destroy() noexcept override {}

 protected:
  std::size_t do_state_size() const noexcept override { return 1; }
  Status do_encode(const ConstStateView&, std::span<double>) noexcept override { return Status::ok; }
  Status do_decode(std::span<const double>, const StateView&) noexcept override { return Status::ok; }
  Status do_derivative(double, std::span<const double>, std::span<double>) noexcept override { return Status::ok; }
  Status do_correct(double, std::span<double>, Correction&) noexcept override { return Status::ok; }
  Status do_observe(double, std::span<const double>, Observation& out) noexcept override {
    out.kinetic_energy = energy;
    return Status::ok;
  }
};

}  // namespace

TEST_CASE("what rounding does to a loop at rest next to a singular position is no passage") {
  const auto system = test::system_from_text(parallelogram_at(1e-4));
  RunSettings settings = test::run_settings("rk4");
  settings.duration = 20;
  settings.output_interval = 10;
  settings.step = 0.03;
  for (int seed = 1; seed <= 16; ++seed) {
    INFO("seed " << seed);
    NoisyRest solver(*system, 1e-8, seed);
    const RunRecord record = simulate(*system, solver, settings, {}, {});
    CHECK(record.end == End::done);
    for (const std::string& warning : record.warnings) CHECK_THAT(warning, !Catch::Contains("singular"));
  }
}

// 1 J moves. Elsewhere steps lose a microjoule, and at the passage five thousandths of a joule: with a tolerance of
// 1e-3 that is what a few steps may lose anywhere.
TEST_CASE("what a loose tolerance loses beside a singular position is not put down to the position") {
  const auto system = test::system_from_text(parallelogram_at(0.5));
  const double y[] = {0};
  for (const double tolerance : {0.0, 1e-6, 1e-3}) {
    INFO("tolerance " << tolerance);
    GivenEnergy solver;
    EnergyWatch watch(system->view(), solver, tolerance);
    const auto look = [&](double energy, bool beside) {
      solver.energy = energy;
      watch.look(0, y);
      watch.tell(beside);
    };
    look(1, false);
    look(1 - 1e-6, false);
    look(1 - 2e-6, true);
    const double before = watch.balance();
    look(before - 5e-3, true);
    watch.pass(before);
    look(before - 5e-3 - 1e-6, false);
    CHECK(watch.lost(1) == Approx(tolerance == 1e-3 ? 0 : 5e-3));
  }
}
