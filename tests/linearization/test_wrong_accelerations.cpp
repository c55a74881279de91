// A formulation whose accelerations are wrong is found wherever accelerations are used, as a run finds it.
#include <catch2/catch.hpp>

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/evaluation/solver_check.hpp"
#include "framework/host/simulation/evaluate.hpp"
#include "tests/linearization/linear_bench.hpp"

using namespace polyform;
using namespace polyform::test;
using Catch::Contains;

namespace {

/// What a sound solver gives, with accelerations that are twice as large.
class TooQuick final : public Solver {
 public:
  explicit TooQuick(host::SolverPointer sound) : sound_(std::move(sound)) {}
  std::string_view failure() const noexcept override { return sound_->failure(); }
  void destroy() noexcept override { delete this; }

 private:
  static constexpr double factor = 2;
  std::size_t do_state_size() const noexcept override { return sound_->state_size(); }
  Status do_encode(const ConstStateView& s, std::span<double> y) noexcept override { return sound_->encode(s, y); }
  Status do_decode(std::span<const double> y, const StateView& s) noexcept override { return sound_->decode(y, s); }
  Status do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override {
    return sound_->derivative(t, y, ydot);
  }
  Status do_correct(double t, std::span<double> y, Correction& c) noexcept override { return sound_->correct(t, y, c); }
  Status do_observe(double t, std::span<const double> y, Observation& out) noexcept override {
    if (sound_->observe(t, y, out) != Status::ok) return Status::failed;
    for (double& a : out.acceleration) a *= factor;
    for (std::size_t i = 0; i < out.bodies.size(); ++i) {
      out.bodies[i].acceleration = factor * out.bodies[i].acceleration;
      out.bodies[i].angular_acceleration = factor * out.bodies[i].angular_acceleration;
    }
    return Status::ok;
  }

  host::SolverPointer sound_;
};

constexpr const char* falling_rod = R"(
polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: rod, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.001, yy: 0.09, zz: 0.09}}
joints:
  - {name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1]}
)";

template <class Work>
std::string failure_of(const Work& work) {
  try {
    work();
  } catch (const host::Failure& failure) {
    return failure.message();
  }
  return "no failure";
}

}  // namespace

TEST_CASE("wrong accelerations have no linear model, no equilibrium and no derivative") {
  const auto system = system_from_text(falling_rod);
  const Formulation& formulation = *formulations_for(*system).front();
  const host::SolverMaker sound = maker(formulation);
  const host::SolverMaker wrong = [&](const SystemView& view) {
    return host::SolverPointer(new TooQuick(sound(view)));
  };
  const auto told = [](const std::string& message) {
    CHECK_THAT(message, Contains("do not meet the equations of motion") && Contains("`rod`"));
  };
  const host::OperatingPoint point = initial_point(*system);
  told(failure_of([&] { host::linearize(*system, wrong, point, {}); }));
  CHECK(failure_of([&] { host::linearize(*system, sound, point, {}); }) == "no failure");

  // Held, the rod stays where it is drawn, and falls.
  host::EquilibriumRequest request;
  request.held = {"pin"};
  told(failure_of([&] { host::find_equilibrium(*system, wrong, request); }));
  CHECK(failure_of([&] { host::find_equilibrium(*system, sound, request); }) == "no failure");

  const host::SolverPointer solver = wrong(system->view());
  host::ObservationStore store(system->view());
  host::SolverCheck check(system->view(), *solver);
  const std::vector<double> y = initial_vector(*system, *solver);
  told(failure_of([&] { check.check_given(0, y, store.now()); }));
  CHECK(check.is_due(0));
  CHECK_FALSE(check.is_due(99));
  CHECK(check.is_due(100));
}
