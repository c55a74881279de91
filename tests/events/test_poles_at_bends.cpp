// Places where a formula bends and has a pole, or a value that only rounding hides.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/events/elements.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// 1 kg on a straight guide with an effort.
std::unique_ptr<host::System> guided(const std::string& effort, const std::string& speed) {
  return system_from_text(
      "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n  - {name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\njoints:\n"
      "  - {name: s, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [1, 0, 0], "
      "initial: {velocity: " +
      speed +
      "}}\nforces:\n"
      "  - {name: push, type: joint-force, joint: s, effort: {expression: \"" +
      effort + "\"}}\n");
}

class TimeOfLastRow final : public host::RowSink {
 public:
  void row(double t, const Observation&) override { time = t; }
  double time = -1;
};

/// As a file on a disk that is full from a time on, s.
class FullFile final : public host::RowSink {
 public:
  explicit FullFile(double from) : from_(from) {}
  void row(double t, const Observation&) override {
    if (t >= from_) fail();
  }
  void finish(const host::RunRecord&) override { fail(); }

 private:
  static void fail() { throw host::Failure(host::Exit::simulation_failed, "no space left for rows.csv"); }
  double from_;
};

std::vector<host::RunSettings> seven_integrators(double duration) {
  std::vector<host::RunSettings> all;
  for (const char* const name :
       {"rk4", "dopri5", "dop853", "cvode-adams", "cvode-bdf", "radau5", "generalized-alpha"}) {
    host::RunSettings settings = run_settings(name);
    settings.duration = duration;
    settings.step = 2e-3;
    settings.output_interval = duration / 4;
    all.push_back(settings);
  }
  return all;
}

template <class Check>
void in_all_integrators(const std::string& effort, double duration, const Check& check) {
  INFO(effort);
  const auto system = guided(effort, "1");
  for (const host::RunSettings& settings : seven_integrators(duration)) {
    INFO(std::string(settings.integrator.name()));
    check(run_to_end(*system, *formulations_for(*system).front(), settings));
  }
}

}  // namespace

// The logarithm of the distance grows without bound, however weak the force.
TEST_CASE("a weak pole at a bend ends the run before it in all integrators") {
  for (const char* const effort :
       {"1e-7/abs(q(s)-1.05)", "1e-7/max(0,1.05-q(s))", "-1e-6/abs(sin(q(s)-1.05))", "1e-7*abs(1/(q(s)-1.05))"}) {
    const auto system = guided(effort, "1");
    const Formulation& formulation = *formulations_for(*system).front();
    for (const host::RunSettings& settings : seven_integrators(2)) {
      INFO(effort << ", " << std::string(settings.integrator.name()));
      TimeOfLastRow rows;
      host::RowSink* const sinks[] = {&rows};
      const host::RunRecord record = host::simulate(*system, *solver_for(*system, formulation), settings, sinks, {});
      CHECK(record.end == host::End::failed);
      CHECK(record.time < 1.1);
      CHECK(rows.time == Approx(1).margin(1e-9));  // every half second
      CHECK(record.failure.find("formula") != std::string::npos);
    }
  }
}

// Steps beside the pole become so short that a ten thousandth of them is less than the rounding of the time.
TEST_CASE("a weak pole at a bend ends the run before it whatever the tolerance") {
  const auto system = guided("1e-7*abs(1/(q(s)-1.05))", "1");
  const Formulation& formulation = *formulations_for(*system).front();
  for (const char* const name : {"cvode-bdf", "cvode-adams", "dop853"})
    for (const double tolerance : {1e-6, 3e-8, 1e-8, 1e-9, 3e-10, 1e-10}) {
      host::RunSettings settings = run_settings(name);
      settings.duration = 2;
      settings.relative_tolerance = settings.absolute_tolerance = tolerance;
      INFO(name << ", " << tolerance);
      const host::RunRecord record = host::simulate(*system, *solver_for(*system, formulation), settings, {}, {});
      CHECK(record.end == host::End::failed);
      CHECK(record.time == Approx(1.05).margin(1e-4));
    }
}

// The last step of some integrators has several rows before the pole.
TEST_CASE("a run tells of the pole that ends it, though rows before it cannot be written") {
  const auto system = guided("1e-7/abs(q(s)-1.05)", "1");
  const Formulation& formulation = *formulations_for(*system).front();
  std::size_t lost_in_last_step = 0;
  for (host::RunSettings settings : seven_integrators(2))
    for (const bool in_last_step : {true, false}) {
      INFO(std::string(settings.integrator.name()));
      settings.output_interval = 1e-3;
      FullFile file(in_last_step ? 1.0495 : 5);
      host::RowSink* const sinks[] = {&file};
      const host::RunRecord record = host::simulate(*system, *solver_for(*system, formulation), settings, sinks, {});
      CHECK(record.end == host::End::failed);
      const std::size_t first = record.failure.find("no motion leads past"),
                        later = record.failure.find("no space left for rows.csv");
      INFO(record.failure);
      CHECK(later != std::string::npos);
      CHECK(record.failure.find("no space left", later + 1) == std::string::npos);
      if (first == std::string::npos) continue;  // steps become too short for it, or a row fails before
      lost_in_last_step += in_last_step ? 1 : 0;
      CHECK(first < later);
      CHECK(record.failure.find("formula") < later);
      CHECK(record.later_failures.empty());
    }
  CHECK(lost_in_last_step > 0);
}

// v² = 1 + 2 ∫ F dx.
TEST_CASE("a weak singularity that a motion leads past is passed in all integrators") {
  in_all_integrators("1e-3/sqrt(abs(q(s)-1.05))", 2, [](const Ended& end) {
    REQUIRE(end.record.end == host::End::done);
    const double x = end.positions[0].x, work = 2e-3 * (std::sqrt(1.05) + std::sqrt(x - 1.05));
    CHECK(std::abs(end.velocities[0].x - std::sqrt(1 + 2 * work)) < 3e-5);
  });
  in_all_integrators("0.01*log(abs(q(s)-1.05))", 2, [](const Ended& end) {
    REQUIRE(end.record.end == host::End::done);
    const auto part = [](double u) { return u * std::log(u) - u; };
    const double work = 0.01 * (part(1.05) + part(end.positions[0].x - 1.05));
    CHECK(std::abs(end.velocities[0].x - std::sqrt(1 + 2 * work)) < 3e-5);
  });
}

// sin² x/(1 − cos x) = 1 + cos x: next to x = 0 its parts are rounding, 0/0 below 1e-8.
TEST_CASE("a quotient of two that vanish together is passed in all integrators") {
  in_all_integrators("sin(q(s)-1)^2/(1-cos(q(s)-1))", 1.5, [](const Ended& end) {
    REQUIRE(end.record.end == host::End::done);
    const double x = end.positions[0].x, work = x + std::sin(x - 1) + std::sin(1.0);
    CHECK(end.velocities[0].x == Approx(std::sqrt(1 + 2 * work)).epsilon(1e-5));
  });
}

// θ = atan2(1 − x, −1) jumps from π to −π at x = 1.
TEST_CASE("the jump of atan2 is an event in all integrators") {
  in_all_integrators("0.1*atan2(1-q(s),-1)", 2, [](const Ended& end) {
    REQUIRE(end.record.end == host::End::done);
    const auto integral = [](double u) { return u * std::atan(u) - 0.5 * std::log(1 + u * u); };
    const double pi = 3.14159265358979323846, u = end.positions[0].x - 1;
    const double work = 0.1 * (pi - integral(1)) + 0.1 * (-pi * u + integral(u));
    CHECK(end.velocities[0].x == Approx(std::sqrt(1 + 2 * work)).epsilon(5e-6));
  });
}

TEST_CASE("fixed steps that are long beside a narrow peak are told") {
  for (const char* const effort : {"exp(-((t-0.777)/5e-4)^2)", "exp(-((q(s)-77.7)/5e-2)^2)"})
    for (const double step : {5e-2, 5e-5}) {
      INFO(effort << ", " << step);
      const auto system = guided(effort, "100");
      host::RunSettings settings = settings_of_all_integrators(2, step).front();
      REQUIRE(settings.integrator.fixed_step());
      const Ended end = run_to_end(*system, *formulations_for(*system).front(), settings);
      REQUIRE(end.record.end == host::End::done);
      const bool is_told = !end.record.warnings.empty();
      CHECK(is_told == (step > 1e-3));
    }
}
