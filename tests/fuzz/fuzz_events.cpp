// Elements whose guards, knots and event functions are what a number makes of them, good or bad: whatever they tell, a
// run ends, and where it fails it says why.
//
// Runs the elements FUZZ_FIRST … FUZZ_FIRST + FUZZ_COUNT - 1, from the environment; each depends on its number only.
#include <fmt/core.h>

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <limits>
#include <random>
#include <string>

#include "framework/host/reading/reader.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "polyform/contract/events.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
using Random = std::minstd_rand;

/// A time that leaves a run some thousand steps, or what no element should give for one.
double any_time(Random& random) {
  constexpr std::array special{infinite, 0.0, -1.0, nan, -infinite, 1e-300, 1e-16, 1e300};
  if (random() % 2 == 0) return special[random() % special.size()];
  return std::pow(10.0, -4 + static_cast<double>(random() % 40) / 10);
}

/// One way to behave, the same in each of its calls.
struct Behaviour {
  explicit Behaviour(unsigned number) {
    Random random(number);
    guard = any_time(random);
    guard_varies = random() % 3 == 0;
    knot_distance = any_time(random);
    knots = random() % 4;
    value = random() % 6;
    rate = random() % 4;
    where = 0.02 * static_cast<double>(1 + random() % 9);
    jump = std::pow(10.0, static_cast<double>(random() % 7));
  }
  double guard, knot_distance, where, jump;
  bool guard_varies;
  std::size_t knots, value, rate;
};

class Anything final : public ForceBatch, public EventSource {
 public:
  explicit Anything(Strided<const ElementInstance> instances)
      : behaviour_(static_cast<unsigned>(instances[0].fields[1].integer)) {}
  void destroy() noexcept override { delete this; }
  void* query(std::string_view name) noexcept override {
    return name == EventSource::interface_name ? static_cast<EventSource*>(this) : nullptr;
  }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    const double push = in.markers[0].position.x > behaviour_.where ? -behaviour_.jump : 0;
    out.wrenches[0].linear.x = push;
    out.power = push * in.markers[0].velocity.x;
  }
  std::size_t event_count() const noexcept override { return 1; }
  void describe_event(std::size_t, EventDescription& out) const noexcept override {
    out.instance = 0;
    out.name = "something";
  }
  void evaluate_events(const EventInput& in, EventOutput& out) noexcept override {
    const double x = in.attachments->markers[0].position.x, v = in.attachments->markers[0].velocity.x;
    const double t = in.attachments->time, away = behaviour_.where - x;
    out.values[0] = of(behaviour_.value, {away, std::sin(1e2 * x), x * 1e-3, std::fmod(t * 100, 2) - 1, 0.0,
                                          x > behaviour_.where ? nan : away});
    out.rates[0] = of(behaviour_.rate, {nan, -v, v, infinite, nan, nan});
    out.guard = behaviour_.guard_varies && std::fmod(t * 1e6, 2) < 1 ? infinite : behaviour_.guard;
  }
  double next_knot(double t) const noexcept override {
    return of(behaviour_.knots, {infinite, t + behaviour_.knot_distance, t, t - 1, nan, nan});
  }
  double shortest_time(std::size_t) const noexcept override { return infinite; }

 private:
  static double of(std::size_t which, const std::array<double, 6>& from) noexcept { return from[which]; }
  const Behaviour behaviour_;
};

constexpr FieldSpec anything_fields[] = {
    {.name = "body", .type = FieldType::body, .unit = "", .meaning = "what it pushes", .required = true},
    {.name = "number", .type = FieldType::integer, .unit = "", .meaning = "what it is made of", .required = true}};

class AnythingType final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "anything", .meaning = "for the fuzz", .fields = anything_fields};
    return descriptor;
  }
  bool define(ElementInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<Anything>(instances);
  }
};

std::unique_ptr<host::System> system_of(unsigned number) {
  static const AnythingType type;
  host::Catalog catalog = test::registry().catalog();
  catalog.forces.emplace(std::string(type.name()), &type);
  const std::string text = fmt::format(
      "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n"
      "  - {{name: b, mass: 1, center_of_mass: [0, 0, 0], inertia: {{xx: 1, yy: 1, zz: 1}}}}\njoints:\n"
      "  - {{name: s, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [1, 0, 0], "
      "initial: {{velocity: 1}}}}\nforces:\n  - {{name: f, type: anything, body: b, number: {}}}\n",
      number);
  host::Diagnostics diagnostics;
  bool missing = false;
  host::Description model = host::read_model_text(text, "fuzz", catalog, diagnostics, missing);
  REQUIRE_FALSE(diagnostics.failed());
  return host::System::assemble(std::move(model), test::registry().keep_alive(), diagnostics);
}

/// What is wrong with a run, or empty.
std::string fault(const host::System& system, const host::RunSettings& settings) {
  constexpr std::size_t most_evaluations = 3000000;
  try {
    const auto solver = test::solver_for(system, *test::formulations_for(system).front());
    const host::RunRecord record = host::simulate(system, *solver, settings, {}, {});
    if (record.end == host::End::failed && record.failure.empty()) return "a failure without words";
    if (record.end == host::End::done && !(record.time >= settings.duration)) return "an end before its time";
    if (record.evaluations > most_evaluations) return fmt::format("{} evaluations", record.evaluations);
  } catch (const host::Failure& failure) {
    if (failure.message().empty()) return "a failure without words";
  } catch (const std::exception& e) {
    return e.what();
  }
  return {};
}

unsigned from_environment(const char* name, unsigned otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

}  // namespace

TEST_CASE("whatever an element tells of guards, knots and events, a run ends and says why") {
  const unsigned first = from_environment("FUZZ_FIRST", 0), count = from_environment("FUZZ_COUNT", 24);
  for (unsigned number = first; number < first + count; ++number) {
    const auto system = system_of(number);
    for (const char* const name : {"rk4", "dopri5", "radau5", "cvode-bdf"}) {
      host::RunSettings settings = test::run_settings(name);
      settings.duration = 0.3;
      settings.step = 1e-2;
      INFO("element " << number << " with " << name);
      CHECK(fault(*system, settings) == "");
    }
  }
}
