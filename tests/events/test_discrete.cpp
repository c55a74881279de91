// Discrete states of elements: the shipped latch compared with closed forms, in every formulation and with every
// integrator.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "framework/host/simulation/simulate.hpp"
#include "polyform/contract/discrete_state.hpp"
#include "polyform/solvers/rows_left_out.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A slide of 1 kg on a rail along x at the height z, 0.5 m before the latch of 100 N/m and 20 N at its place 0.
std::string slide(const std::string& name, double speed, int z) {
  return fmt::format(
      "  - {{name: {0}, position: [0, 0, {2}], mass: 1, center_of_mass: [0, 0, 0], "
      "inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}}}\n"
      "|  - {{name: {0}_rail, type: prismatic, base: ground, moving: {0}, position: [0, 0, {2}], axis: [1, 0, 0], "
      "initial: {{position: -0.5, velocity: {1}}}}}\n"
      "|  - {{name: {0}_latch, type: latch, joint: {0}_rail, stiffness: 100, strength: 20}}\n",
      name, speed, z);
}

/// One slide that stays caught, and two that pull their latches open in the same instants.
std::string three_slides() {
  std::string bodies, joints, forces;
  int z = 0;
  for (const auto& [name, speed] : {std::pair("slow", 1.0), std::pair("fast", 3.0), std::pair("twin", 3.0)}) {
    const std::string text = slide(name, speed, z++);
    const std::size_t first = text.find('|'), second = text.rfind('|');
    bodies += text.substr(0, first);
    joints += text.substr(first + 1, second - first - 1);
    forces += text.substr(second + 1);
  }
  return "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n" + bodies + "joints:\n" + joints + "forces:\n" + forces;
}

struct Row {
  double time;
  std::vector<double> q;
  std::vector<std::int32_t> latches;
};

class Rows final : public host::RowSink {
 public:
  void row(double time, const Observation& now) override {
    rows.push_back({time, {now.q.begin(), now.q.end()}, {now.discrete.begin(), now.discrete.end()}});
    energy = now.kinetic_energy + now.potential_energy;
  }
  void work(double done) override { work_done = done; }
  std::vector<Row> rows;
  double energy = 0, work_done = 0;
};

constexpr double omega = 10, stretch = 0.2;
const double slow_caught = 0.5, fast_caught = 0.5 / 3, fast_free = fast_caught + std::asin(omega * stretch / 3) / omega;

double slow_at(double t) { return t < slow_caught ? t - slow_caught : std::sin(omega * (t - slow_caught)) / omega; }
double fast_at(double t) {
  if (t < fast_caught) return 3 * (t - fast_caught);
  return t < fast_free ? 3 / omega * std::sin(omega * (t - fast_caught)) : stretch + std::sqrt(5.0) * (t - fast_free);
}

host::RunSettings settings_for(const char* integrator) {
  host::RunSettings s = run_settings(integrator);
  s.duration = 1.2;
  s.output_interval = 0.04;
  s.step = 1e-3;
  s.relative_tolerance = 1e-10;
  s.absolute_tolerance = 1e-12;
  return s;
}

/// The energy of the springs that let go is lost: (v² − 5)/2 of each fast slide.
void require_closed_form(const host::System& system, const Formulation& formulation, const char* integrator,
                         double tolerance) {
  INFO(formulation.name() << " " << integrator);
  const auto solver = solver_for(system, formulation);
  Rows rows;
  host::RowSink* sinks[] = {&rows};
  const host::RunRecord record = host::simulate(system, *solver, settings_for(integrator), sinks, {});
  INFO(record.failure);
  REQUIRE(record.end == host::End::done);
  CHECK(record.events == 3);  // caught slowly; caught fast, twice at once; let go, twice at once
  std::map<std::string, std::size_t> joint;
  for (const JointData& j : system.view().joints) joint[std::string(j.name)] = j.q_offset;
  REQUIRE(rows.rows.size() == 31);
  for (const Row& row : rows.rows) {
    INFO(row.time);
    REQUIRE(row.latches.size() == 3);
    CHECK(row.q[joint["slow_rail"]] == Approx(slow_at(row.time)).margin(tolerance));
    CHECK(row.q[joint["fast_rail"]] == Approx(fast_at(row.time)).margin(tolerance));
    CHECK(row.q[joint["twin_rail"]] == Approx(fast_at(row.time)).margin(tolerance));
    const bool holds = row.time > fast_caught && row.time < fast_free;
    CHECK(row.latches == std::vector<std::int32_t>{row.time > slow_caught ? 1 : 0, holds ? 1 : 0, holds ? 1 : 0});
  }
  CHECK(rows.energy - rows.work_done == Approx(9.5).epsilon(1e-6));
}

}  // namespace

TEST_CASE("latches catch and let go as their closed forms say, in every formulation") {
  const auto system = system_from_text(three_slides());
  std::size_t ran = 0;
  for (const Formulation* formulation : formulations_for(*system)) {
    if (!has(formulation->abilities(), Ability::discrete_states)) continue;
    require_closed_form(*system, *formulation, "dopri5", 1e-7);
    ++ran;
  }
  CHECK(ran >= 6);
}

TEST_CASE("latches catch and let go as their closed forms say, with every integrator") {
  const auto system = system_from_text(three_slides());
  for (const auto& [integrator, tolerance] : {std::pair("rk4", 1e-7), std::pair("dop853", 1e-7),
                                              std::pair("cvode-adams", 1e-6), std::pair("cvode-bdf", 1e-5)})
    require_closed_form(*system, *formulations_for(*system).front(), integrator, tolerance);
}

TEST_CASE("the discrete states of elements go into a solver with the state, and out again") {
  const auto system = system_from_text(three_slides());
  const SystemView& view = system->view();
  REQUIRE(view.discrete == 3);
  for (const Formulation* formulation : formulations_for(*system)) {
    if (!has(formulation->abilities(), Ability::discrete_states)) continue;
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    auto* const state = ask<DiscreteState>(*solver);
    REQUIRE(state != nullptr);
    std::vector<double> y(solver->state_size());
    const std::vector<std::int32_t> caught{0, 1, 0};
    ConstStateView start = system->initial_state();
    start.discrete = caught;
    REQUIRE(solver->encode(start, y) == Status::ok);
    CHECK(std::ranges::equal(state->values().first(3), caught));
    DiscreteDescription what;
    state->describe(1, what);
    CHECK(what.owner == "fast_latch");
    CHECK(what.name == "latch");
    CHECK(what.words[1] == "caught");
    std::vector<std::int32_t> wrong(state->values().begin(), state->values().end());
    wrong[0] = 2;
    CHECK(state->set(wrong) == Status::failed);
    CHECK(std::ranges::equal(state->values().first(3), caught));
    start.discrete = {};  // as at the start of the model
    REQUIRE(solver->encode(start, y) == Status::ok);
    CHECK(std::ranges::equal(state->values().first(3), std::vector<std::int32_t>{0, 0, 0}));
  }
}

namespace {

/// A slide of 1 kg on a rail along x with an element that acts on it.
std::string one_slide(double place, double speed, const std::string& element) {
  return fmt::format(
      "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n"
      "  - {{name: slide, position: [1, 0, 0], mass: 1, center_of_mass: [0, 0, 0], inertia: {{xx: 1, yy: 1, zz: 1}}}}\n"
      "joints:\n"
      "  - {{name: rail, type: prismatic, base: ground, moving: slide, position: [1, 0, 0], axis: [1, 0, 0], "
      "initial: {{position: {}, velocity: {}}}}}\nforces:\n  - {{name: element, joint: rail, {}}}\n",
      place, speed, element);
}

/// The last row of a run of the given duration, s, for each formulation.
template <class Check>
void run_each(const std::string& model, double duration, const Check& check) {
  const auto system = system_from_text(model);
  std::size_t ran = 0;
  for (const Formulation* formulation : formulations_for(*system)) {
    if (!has(formulation->abilities(), Ability::discrete_states)) continue;
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    Rows rows;
    host::RowSink* sinks[] = {&rows};
    host::RunSettings settings = settings_for("dopri5");
    settings.duration = settings.output_interval = duration;
    const host::RunRecord record = host::simulate(*system, *solver, settings, sinks, {});
    INFO(record.failure);
    REQUIRE(record.end == host::End::done);
    REQUIRE(rows.rows.size() == 2);
    check(rows.rows.front(), rows.rows.back());
    ++ran;
  }
  CHECK(ran >= 6);
}

}  // namespace

TEST_CASE("a latch whose joint starts at its place holds it from the start, whichever way it moves") {
  for (const double place : {0.0, 0.3})
    for (const double speed : {1.0, -1.0})
      for (const double off : {0.0, 1e-13, -1e-13}) {
        INFO(place << ", " << speed << ", " << off);
        run_each(
            one_slide(place + off, speed, fmt::format("type: latch, place: {}, stiffness: 100, strength: 20", place)),
            0.13, [&](const Row& start, const Row& end) {
              CHECK(start.latches == std::vector<std::int32_t>{1});
              CHECK(end.q[0] == Approx(place + 0.1 * speed * std::sin(1.3)).epsilon(1e-8));
            });
      }
}

TEST_CASE("a latch that is too weak for any deflection lets go in the instant in which it catches") {
  for (const double strength : {1e-8, 1e-10, 1e-12, 1e-14})
    for (const double speed : {1.0, -1.0}) {
      INFO(strength << " N, " << speed << " m/s");
      run_each(one_slide(-0.5 * speed, speed, fmt::format("type: latch, stiffness: 100, strength: {}", strength)), 1,
               [&](const Row&, const Row& end) {
                 CHECK(end.latches == std::vector<std::int32_t>{0});
                 CHECK(end.q[0] == Approx(0.5 * speed).epsilon(1e-8));
               });
    }
}

TEST_CASE("rows left out stand in as many values as their bits need") {
  SystemView nothing;
  DiscreteValues values(nothing);
  RowsLeftOut rows(values);
  rows.add("loop", 5);
  rows.add("gear", 0);
  rows.add("many", 64);
  CHECK(values.values().size() == 1 + 0 + 3);
  const std::uint64_t many = 0x8000'0001'8000'0003;
  rows.keep(0, 0b10001);
  rows.keep(2, many);
  CHECK(rows[0] == 0b10001);
  CHECK(rows[1] == 0);
  CHECK(rows[2] == many);
  const std::vector<std::int32_t> kept(values.values().begin(), values.values().end());
  rows.clear();
  CHECK((rows[0] == 0 && rows[2] == 0));
  REQUIRE(values.set(kept) == Status::ok);
  CHECK(rows[2] == many);
  std::vector<std::int32_t> room(kept.size());
  {
    const KeptDiscrete keep(values, room);
    rows.clear();
  }
  CHECK(rows[0] == 0b10001);
}
