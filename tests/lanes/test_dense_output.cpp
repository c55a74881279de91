// The state within the last step of a lane, whatever the other lanes do meanwhile.
#include <catch2/catch.hpp>
#include <cmath>
#include <deque>
#include <vector>

#include "plugins/integrators/runge_kutta/runge_kutta.hpp"
#include "polyform/contract/batch_integration.hpp"

using namespace polyform;

namespace {

/// ẏ = -rate y, of the first number; the second oscillates with that frequency.
class Decay final : public FirstOrderSystem {
 public:
  explicit Decay(double rate) : rate_(rate) {}
  std::size_t size() const noexcept override { return 3; }
  std::size_t integrals() const noexcept override { return 0; }
  Status derivative(double, std::span<const double> y, std::span<double> ydot) noexcept override {
    ydot[0] = -rate_ * y[0];
    ydot[1] = y[2];
    ydot[2] = -rate_ * rate_ * y[1];
    return Status::ok;
  }
  Status correct(double, std::span<double>) noexcept override { return Status::ok; }
  std::string_view failure() const noexcept override { return {}; }

 private:
  double rate_;
};

/// Numbers of lanes that are not active become no numbers, as those of a batch may.
class Decays final : public BatchSystem {
 public:
  explicit Decays(std::size_t lanes) {
    for (std::size_t k = 0; k < lanes; ++k) worlds_.emplace_back(1 + 0.5 * static_cast<double>(k));
  }
  std::size_t lanes() const noexcept override { return worlds_.size(); }
  FirstOrderSystem& world(std::size_t lane) noexcept override { return worlds_[lane]; }
  void derivatives(const BatchInput& in, BatchOutput& out) noexcept override {
    const std::size_t lanes = worlds_.size();
    for (std::size_t k = 0; k < lanes; ++k) {
      double y[3], ydot[3] = {NAN, NAN, NAN};
      for (std::size_t i = 0; i < 3; ++i) y[i] = in.y[i * lanes + k];
      if (in.active[k] != 0) worlds_[k].derivative(in.t[k], y, ydot);
      for (std::size_t i = 0; i < 3; ++i) out.ydot[i * lanes + k] = ydot[i];
      out.done[k] = in.active[k];
    }
  }

 private:
  std::deque<Decay> worlds_;
};

}  // namespace

TEST_CASE("a lane tells states within its last step while others go on") {
  const std::size_t lanes = GENERATE(3u, 8u);
  Decays system(lanes);
  BatchIntegrator* const all = runge_kutta::lane_dopri5().create(system, {});
  REQUIRE(all != nullptr);
  StepSettings settings;
  settings.step = 0.05;
  settings.relative_tolerance = settings.absolute_tolerance = 1e-10;
  const double start[3] = {1, 1, 0};
  for (std::size_t k = 0; k < lanes; ++k) {
    all->begin_world(k, settings);
    REQUIRE(all->lane(k).start(0, start) == Status::ok);
  }
  std::vector<LaneStep> results(lanes);
  std::vector<bool> is_tried(lanes);  // a step that has not come to its end: until then no state is asked for
  const auto step = [&](const std::vector<double>& limits) {
    all->step(limits, results);
    for (std::size_t k = 0; k < lanes; ++k) {
      if (results[k] != LaneStep::none) is_tried[k] = results[k] == LaneStep::repeated;
      if (results[k] == LaneStep::done) REQUIRE(all->lane(k).step(limits[k]) == Status::ok);
    }
  };
  std::size_t checked = 0;
  const auto check = [&](std::size_t k) {
    if (is_tried[k]) return;
    ++checked;
    Integrator& lane = all->lane(k);
    const double rate = 1 + 0.5 * static_cast<double>(k);
    for (const double share : {0.2, 0.5, 0.9}) {
      const double t = lane.previous_time() + share * (lane.time() - lane.previous_time());
      double y[3];
      REQUIRE(lane.state_at(t, y) == Status::ok);
      INFO("lane " << k << " at t = " << t);
      CHECK(y[0] == Approx(std::exp(-rate * t)).epsilon(1e-7));
      CHECK(y[1] == Approx(std::cos(rate * t)).margin(1e-7));
    }
  };
  for (int n = 0; n < 5; ++n) step(std::vector<double>(lanes, 10.0));
  std::vector<double> rests(lanes, -1.0);
  rests[1] = 10;
  SECTION("one lane after the other is asked") {
    for (std::size_t k = 0; k < lanes; ++k) check(k);
  }
  SECTION("one lane makes steps alone") {
    for (int n = 0; n < 3; ++n) REQUIRE(all->lane(1).step(10) == Status::ok);
    for (std::size_t k = 0; k < lanes; ++k) check(k);
  }
  SECTION("all others rest while one steps") {
    check(0);
    for (int n = 0; n < 3; ++n) step(rests);
    for (std::size_t k = 0; k < lanes; ++k) check(k);
    for (int n = 0; n < 2; ++n) step(std::vector<double>(lanes, 10.0));
    for (std::size_t k = 0; k < lanes; ++k) check(k);
  }
  CHECK(checked > 1);
  all->destroy();
}
