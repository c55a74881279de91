// Comparisons survive what solvers do, and tell a wrong solver from a sensitive system.
#include <catch2/catch.hpp>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "framework/workbench/comparison/comparison.hpp"
#include "framework/workbench/comparison/sweep.hpp"
#include "tests/support/contenders.hpp"
#include "tests/support/faulty_formulations.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/sanitized.hpp"

using namespace polyform;
using namespace polyform::host;
using namespace polyform::test;
using How = HeatEnd::How;

namespace {

std::unique_ptr<System> model(const std::string& name) {
  return system_from_file(std::string(POLYFORM_MODELS) + "/" + name + ".yaml");
}

RunSettings settings(double duration) {
  RunSettings s = test::run_settings();
  s.duration = duration;
  s.output_interval = duration / 50;
  return s;
}

const HeatControl patient{{20, 1u << 30}, 1, nullptr, {}};
const SinkMaker no_output = [](std::string_view) { return nullptr; };

const ToldFormulation refuses("refuses", [](const SystemView&, DiagnosticSink& sink) -> Solver* {
  sink.report({.message = "not this model"});
  return nullptr;
});

[[noreturn]] void throw_out() { throw std::runtime_error("out of a solver"); }

/// All solvers that can run the system, and one that feels more gravity than there is.
struct WrongAmongAble {
  WrongAmongAble(const System& system, double share) : heavier(system.view()), all(able(system)) {
    heavier.gravity = share * heavier.gravity;
    all.push_back({&wrong, {}});
  }
  SystemView heavier;
  std::vector<Contender> all;
  ToldFormulation wrong{"wrong", [this](const SystemView&, DiagnosticSink& sink) {
                          return all.front().formulation->compile(heavier, all.front().options, sink);
                        }};
};

/// A sound solver that goes astray after a while: its velocities change a little too fast.
class LateAstray final : public Solver {
 public:
  explicit LateAstray(Solver* sound) : sound_(sound) {}
  std::string_view failure() const noexcept override { return sound_->failure(); }
  void destroy() noexcept override {
    sound_->destroy();
    delete this;
  }

 private:
  std::size_t do_state_size() const noexcept override { return sound_->state_size(); }
  Status do_encode(const ConstStateView& s, std::span<double> y) noexcept override { return sound_->encode(s, y); }
  Status do_decode(std::span<const double> y, const StateView& s) noexcept override { return sound_->decode(y, s); }
  Status do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override {
    const Status status = sound_->derivative(t, y, ydot);
    if (t > 0.5)
      for (double& rate : ydot) rate *= 1.001;
    return status;
  }
  Status do_correct(double t, std::span<double> y, Correction& c) noexcept override { return sound_->correct(t, y, c); }
  Status do_observe(double t, std::span<const double> y, Observation& o) noexcept override {
    return sound_->observe(t, y, o);
  }

  Solver* sound_;
};

}  // namespace

TEST_CASE("a solver that goes wrong loses its own row and is told by name") {
  const auto system = model("double_pendulum");
  const ToldFormulation crash = faulty("crash", [] { raise(SIGSEGV); });
  const ToldFormulation throws = faulty("throws", [] { throw_out(); });
  const ToldFormulation hangs = faulty("hangs", [] { std::this_thread::sleep_for(std::chrono::seconds(100)); });
  const ToldFormulation eats = faulty("eats", [] {
    std::vector<std::string> all;
    while (true) all.emplace_back(1u << 20, 'x');
  });
  const ToldFormulation fails = faulty("fails", [] {});
  std::vector<Contender> all = able(*system);
  const std::size_t sound = all.size();
  for (const Formulation* f :
       std::initializer_list<const Formulation*>{&crash, &throws, &hangs, &eats, &fails, &refuses})
    all.push_back({f, {}});
  // To fill the memory takes a busy machine more than a second.
  const HeatControl control{{5, 256u << 20}, 2, nullptr, {}};
  const Comparison result = compare(*system, all, settings(0.1), default_agreement, control, no_output);
  for (std::size_t k = 0; k < sound; ++k) {
    CHECK(result.standings[k].how == How::done);
    CHECK(result.standings[k].deviation);
  }
  const auto reason = [&](std::size_t k) { return result.standings[sound + k].reason; };
  CHECK(reason(0) == "ended by signal 11 (Segmentation fault)");
  CHECK(reason(1) == "threw an exception: out of a solver");
  CHECK(reason(2) == "not done within the time limit of 5 s");
  if (!has_address_sanitizer) CHECK(reason(3) == "needs more memory than the limit of 0.25 GiB");
  CHECK_THAT(reason(4), Catch::Contains("it was told to fail"));
  CHECK_THAT(reason(5), Catch::Contains("not this model"));
  for (std::size_t k = 0; k < 5; ++k) CHECK(result.standings[sound + k].how == How::failed);
  CHECK(result.standings[sound + 5].how == How::skipped);
  CHECK_FALSE(result.first);
}

TEST_CASE("a wrong solver is named, and not excused by chaos") {
  const auto system = model("double_pendulum");
  const WrongAmongAble with_wrong(*system, 1.001);
  const Comparison result = compare(*system, with_wrong.all, settings(2), default_agreement, patient, no_output);
  REQUIRE(result.first);
  CHECK(result.standings[result.first->witness].solver == "wrong");
  REQUIRE(result.divergence);
  CHECK_FALSE(result.divergence->explains);
  CHECK(result.divergence->cause == Divergence::Cause::solver);
  for (const Standing& s : result.standings) CHECK(s.parting.has_value() == (s.solver == "wrong"));
}

TEST_CASE("a solver that is wrong from the start is told so, as nothing has been integrated there, and no twins run") {
  const auto system = model("double_pendulum");
  const WrongAmongAble with_wrong(*system, 1.01);  // the reactions at the start are those of more gravity
  std::size_t heats = 0;
  HeatControl control = patient;
  control.progress = [&](std::size_t heat, double) { heats = std::max(heats, heat + 1); };
  const Comparison result = compare(*system, with_wrong.all, settings(0.5), default_agreement, control, no_output);
  REQUIRE(result.first);
  CHECK(result.first->time == 0);
  REQUIRE(result.divergence);
  CHECK(result.divergence->solver == "wrong");
  CHECK(result.divergence->apart > default_agreement);
  CHECK(result.divergence->cause == Divergence::Cause::solver);
  CHECK(heats <= with_wrong.all.size());
}

TEST_CASE("the cause of a parting at the start is a solver, but where round-off reaches as far") {
  Divergence at_start;
  at_start.at_start = true;
  CHECK(cause_of(at_start, 1e-4) == Divergence::Cause::solver);
  CHECK(cause_of(at_start, 1e-14) == Divergence::Cause::round_off);
}

TEST_CASE("a coarse integration is not called chaos, however long the run goes on after the parting") {
  const auto system = model("double_pendulum");
  for (const double duration : {2.0, 8.0}) {
    RunSettings coarse = settings(duration);
    coarse.integrator = test::integrator("rk4"), coarse.step = 0.02, coarse.output_interval = 0.1;
    const Comparison result = compare(*system, able(*system), coarse, default_agreement, patient, no_output);
    REQUIRE(result.divergence);
    CHECK(result.first->time < 1.5);
    INFO(duration << " s: " << name_of(result.divergence->cause));
    CHECK_FALSE(result.divergence->chaotic);
    CHECK(result.divergence->cause == Divergence::Cause::integration);
  }
}

TEST_CASE("no solver is blamed where many rows lie within a step") {
  const auto system = model("ladder_1");
  RunSettings coarse = settings(3);
  coarse.integrator = test::integrator("rk4"), coarse.step = 0.5, coarse.output_interval = 0.05;
  const Comparison result = compare(*system, able(*system), coarse, default_agreement, patient, no_output);
  REQUIRE(result.first);
  CHECK(result.first->time < coarse.step);
  REQUIRE(result.divergence);
  CHECK(result.divergence->integration_error > 1e-6);
  CHECK(result.divergence->cause != Divergence::Cause::solver);
}

TEST_CASE("a wrong solver is not excused by a coarse integration") {
  const auto system = model("double_pendulum");
  const WrongAmongAble with_wrong(*system, 1.01);
  RunSettings coarse = settings(8);
  coarse.relative_tolerance = 1e-3, coarse.absolute_tolerance = 1e-4;
  const Comparison result = compare(*system, with_wrong.all, coarse, 1e-2, patient, no_output);
  REQUIRE(result.divergence);
  INFO(name_of(result.divergence->cause));
  CHECK((result.divergence->cause == Divergence::Cause::solver ||
         result.divergence->cause == Divergence::Cause::unknown));
}

TEST_CASE("a stiff model integrated loosely is neither chaos nor a wrong solver") {
  const auto system = system_from_text(R"({polyform: 1, gravity: [0, -9.81, 0],
    bodies: [{name: rod, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}},
             {name: tip, position: [1, 0, 0], mass: 0.1, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}],
    joints: [{name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1]},
             {name: slide, type: prismatic, base: rod, moving: tip, position: [1, 0, 0], axis: [1, 0, 0]}],
    forces: [{name: spring, type: joint-spring-damper, joint: slide, stiffness: 1e5, damping: 1}]})");
  RunSettings coarse = settings(4);
  coarse.relative_tolerance = 1e-3, coarse.absolute_tolerance = 1e-4;
  const Comparison result = compare(*system, able(*system), coarse, 1e-5, patient, no_output);
  REQUIRE(result.first);
  REQUIRE(result.divergence);
  CHECK(result.divergence->cause == Divergence::Cause::integration);
}

TEST_CASE("chaos is known by its growth and excuses all solvers") {
  const auto system = model("double_pendulum");
  RunSettings dense = settings(40);
  dense.output_interval = 0.2;
  // Accelerations part long before positions do: at a hundredth there is time enough before, to see the growth.
  const Comparison result = compare(*system, able(*system), dense, 100 * default_agreement, patient, no_output);
  REQUIRE(result.first);
  REQUIRE(result.divergence);
  CHECK(result.divergence->explains);
  CHECK(result.divergence->chaotic);
  CHECK(result.divergence->cause == Divergence::Cause::chaos);
  CHECK(result.divergence->rate > 0.3);
}

TEST_CASE("the errors of a sweep fall with the order of the integrator") {
  const auto system = model("branch_pendulum");
  RunSettings s = settings(1);
  s.integrator = test::integrator("rk4");
  const double values[] = {1e-2, 5e-3};
  const Sweep result = sweep(*system, able(*system), s, SweepOf::step, values, patient);
  REQUIRE(result.reference_solvers.size() >= 2);
  CHECK(result.reference_value == 1.25e-3);
  REQUIRE(result.points.size() == 2 * able(*system).size());
  for (std::size_t k = 0; k < result.points.size(); k += 2) {
    INFO(result.points[k].solver);
    const double ratio = result.points[k].angle->value / result.points[k + 1].angle->value;
    CHECK(ratio > 12);
    CHECK(ratio < 24);
  }
}

TEST_CASE("a solver that drops out of a sweep is told apart, and the others go on without it") {
  const auto system = model("branch_pendulum");
  const ToldFormulation fails = faulty("fails", [] {});
  std::vector<Contender> all = able(*system);
  const std::size_t sound = all.size();
  all.push_back({&fails, {}});
  all.push_back({&refuses, {}});
  const double values[] = {1e-6, 1e-8};
  const Sweep result = sweep(*system, all, settings(0.2), SweepOf::tolerance, values, patient);
  CHECK(result.reference_solvers.size() == sound);
  REQUIRE(result.dropouts.size() == 1);
  CHECK(result.dropouts.front().solver == "fails");
  CHECK(result.dropouts.front().how == How::failed);
  CHECK_THAT(result.dropouts.front().reason, Catch::Contains("it was told to fail"));
  REQUIRE(result.points.size() == 2 * sound + 3);
  for (const SweepPoint& point : result.points) {
    INFO(point.solver);
    CHECK(point.how == (point.solver == "fails" ? How::failed : point.solver == "refuses" ? How::skipped : How::done));
    CHECK(point.position.has_value() == (point.how == How::done));
  }
}

TEST_CASE("an interruption of the twins leaves the parting, and its cause open") {
  const auto system = model("double_pendulum");
  std::vector<Contender> all = able(*system);
  const Contender sound = all.front();
  const ToldFormulation wrong("wrong", [&](const SystemView& view, DiagnosticSink& sink) -> Solver* {
    return new LateAstray(sound.formulation->compile(view, sound.options, sink));
  });
  all.push_back({&wrong, {}});
  static volatile std::sig_atomic_t flag = 0;
  flag = 0;
  std::signal(SIGTERM, [](int) { flag = 1; });
  HeatControl control = patient;
  control.interrupted = &flag;
  control.progress = [&](std::size_t heat, double) { flag = heat >= all.size(); };
  const Comparison result = compare(*system, all, settings(2), default_agreement, control, no_output);
  std::signal(SIGTERM, SIG_DFL);
  CHECK(flag == 1);
  CHECK(result.interrupted);
  REQUIRE(result.first);
  CHECK(result.standings[result.first->witness].solver == "wrong");
  CHECK_FALSE(result.divergence);
  for (const Standing& s : result.standings) CHECK(s.how == How::done);
}

TEST_CASE("an interruption keeps the comparison so far") {
  const auto system = model("branch_pendulum");
  static volatile std::sig_atomic_t flag = 0;
  flag = 0;
  std::signal(SIGTERM, [](int) { flag = 1; });
  HeatControl control = patient;
  control.interrupted = &flag;
  control.progress = [](std::size_t heat, double) { flag = heat == 1; };
  const Comparison result = compare(*system, able(*system), settings(20), default_agreement, control, no_output);
  std::signal(SIGTERM, SIG_DFL);
  CHECK(result.standings[2].how == How::interrupted);
  CHECK(result.standings[2].reason == "interrupted before its start");
  CHECK(result.standings[1].run.has_value());
}
