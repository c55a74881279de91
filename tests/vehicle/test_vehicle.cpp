// The vehicle of Attia 2005, Sect. 2.5 (apps/models/vehicle.yaml), released above its static position.
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>

#include "framework/host/simulation/simulate.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"
#include "tests/vehicle/static_position.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

const std::string model_file = std::string(POLYFORM_MODELS) + "/vehicle.yaml";

std::unique_ptr<host::System> vehicle() { return system_from_file(model_file); }

/// The same, driving at 12 m/s with turning wheels, disturbed in roll, pitch and yaw: without symmetry.
std::unique_ptr<host::System> disturbed_vehicle() {
  std::ifstream file(model_file);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto start = [&text](const std::string& joint, const std::string& velocity) {
    const std::size_t end = text.find('}', text.find("name: " + joint + ","));
    REQUIRE(end != std::string::npos);
    text.insert(end, ", initial: {velocity: " + velocity + "}");
  };
  start("floating_base", "[12, 0.2, -0.3, 0.4, 0.3, 0.2]");
  for (const char* side : {"left", "right"})
    for (const char* end : {"front", "rear"}) start(std::string(side) + "_" + end + "_spindle", "34");
  start("left_front_lower_ball", "[0, 0, 0.2]");
  return system_from_text(text);
}

/// The numbers that are kept of a row.
struct Row {
  double time, energy, power;
  std::vector<Pose> poses;
  Vec3 chassis_velocity, chassis_acceleration;
};
class Rows final : public host::RowSink {
 public:
  explicit Rows(const SystemView& view) {
    for (std::size_t i = 0; i < view.bodies.size(); ++i) index_[view.bodies[i].name] = i;
  }
  void row(double time, const Observation& o) override {
    const Observation::Body& chassis = o.bodies[index_.at("chassis")];
    Row& r = all.emplace_back(
        Row{time, o.kinetic_energy + o.potential_energy, o.power, {}, chassis.velocity, chassis.acceleration});
    for (const Observation::Body& b : o.bodies) r.poses.push_back(b.pose);
  }
  const Pose& pose(const Row& row, std::string_view body) const { return row.poses[index_.at(body)]; }

  std::vector<Row> all;

 private:
  std::map<std::string_view, std::size_t> index_;
};

Rows run(const host::System& system, const Formulation& formulation, const host::RunSettings& settings) {
  const auto solver = solver_for(system, formulation);
  Rows rows(system.view());
  host::RowSink* sinks[] = {&rows};
  const host::RunRecord record = host::simulate(system, *solver, settings, sinks, {});
  INFO(record.failure);
  CHECK(record.end == host::End::done);
  return rows;
}

/// The settings that the model comes with.
host::RunSettings settings_of(const host::System& system) {
  const host::SimulationItem& given = system.description().simulation;
  host::RunSettings settings = test::run_settings();
  settings.duration = given.duration.value();
  settings.integrator = test::integrator(given.integrator.value());
  settings.step = given.step.value();
  settings.relative_tolerance = given.relative_tolerance.value();
  settings.absolute_tolerance = given.absolute_tolerance.value();
  settings.output_interval = given.output_interval.value();
  return settings;
}

/// Largest distance between positions and angle between orientations of all bodies in all rows.
struct Deviation {
  double position = 0, angle = 0;
};
Deviation deviation(const Rows& a, const Rows& b) {
  REQUIRE(a.all.size() == b.all.size());
  Deviation d;
  for (std::size_t k = 0; k < a.all.size(); ++k)
    for (std::size_t i = 0; i < a.all[k].poses.size(); ++i) {
      const Pose &p = a.all[k].poses[i], &q = b.all[k].poses[i];
      d.position = std::max(d.position, norm(p.position - q.position));
      d.angle = std::max(d.angle, norm(rotation_vector(p.orientation * conjugate(q.orientation))));
    }
  return d;
}

}  // namespace

TEST_CASE("the vehicle has 13 bodies, two loops, 16 degrees of freedom and no redundant constraint") {
  const auto system = vehicle();
  CHECK(system->bodies().size() == 13);
  CHECK(system->loops() == 2);
  const host::ConstraintCount count = system->count_constraints();
  CHECK(count.degrees_of_freedom == 16);
  CHECK(count.redundant == 0);
}

TEST_CASE("the vehicle settles in a damped oscillation to the position of least potential energy") {
  const auto system = vehicle();
  const auto formulations = formulations_for(*system);
  REQUIRE(!formulations.empty());
  const StaticPosition expected = static_position();
  for (const Formulation* formulation : formulations) {
    INFO("formulation " << formulation->name());
    host::RunSettings settings = settings_of(*system);
    CHECK(settings.integrator.name() == "cvode-bdf");
    settings.duration = 6;
    const Rows rows = run(*system, *formulation, settings);
    const Row &first = rows.all.front(), &last = rows.all.back();
    const auto height = [&](const Row& row) { return rows.pose(row, "chassis").position.z; };

    // Energy only falls, by the power that dampers and tyres take.
    for (std::size_t k = 1; k < rows.all.size(); ++k) {
      CHECK(rows.all[k].power <= 0);
      CHECK(rows.all[k].energy - rows.all[k - 1].energy < 1e-4);
    }

    // Extremes of the chassis' height alternate about the static one and shrink; its acceleration leads back.
    std::vector<double> extremes{height(first) - expected.chassis_height};
    for (std::size_t k = 1; k < rows.all.size() && extremes.size() < 6; ++k) {
      if (!(rows.all[k - 1].chassis_velocity.z * rows.all[k].chassis_velocity.z < 0)) continue;
      extremes.push_back(height(rows.all[k]) - expected.chassis_height);
      CHECK(rows.all[k].chassis_acceleration.z * extremes.back() < 0);
    }
    REQUIRE(extremes.size() == 6);
    CHECK(extremes[0] == Approx(0.093).epsilon(0.01));
    for (std::size_t k = 1; k < extremes.size(); ++k) {
      CHECK(extremes[k] * extremes[k - 1] < 0);
      CHECK(std::abs(extremes[k]) < 0.3 * std::abs(extremes[k - 1]));
    }

    // At the end it rests where the potential energy is least, straight and level across.
    const Pose& chassis = rows.pose(last, "chassis");
    CHECK(norm(last.chassis_velocity) < 1e-5);
    CHECK(norm(last.chassis_acceleration) < 1e-4);
    CHECK(std::abs(chassis.position.z - expected.chassis_height) < 1e-6);
    CHECK(norm(rotation_vector(chassis.orientation) - Vec3{0, expected.pitch, 0}) < 1e-6);
    for (const std::string side : {"left", "right"}) {
      CHECK(std::abs(rows.pose(last, side + "_front_wheel").position.z - expected.front_wheel) < 1e-6);
      CHECK(std::abs(rows.pose(last, side + "_rear_wheel").position.z - expected.rear_wheel) < 1e-6);
    }
  }
}

TEST_CASE("all formulations and integrators agree on the motion of the vehicle") {
  // The time of the largest speeds, contact included; runs with a fixed step are the independent integration.
  const bool disturbed = GENERATE(false, true);
  INFO((disturbed ? "disturbed" : "as shipped"));
  const auto system = disturbed ? disturbed_vehicle() : vehicle();
  host::RunSettings settings = settings_of(*system);
  settings.duration = 0.6;
  settings.output_interval = 0.05;
  // In particle coordinates the points of a spinning wheel run in circles, and BDF makes these a little smaller with
  // every step.
  settings.relative_tolerance = 1e-10;
  settings.absolute_tolerance = 1e-12;
  std::unique_ptr<Rows> first;
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO("formulation " << formulation->name());
    for (const auto& [integrator, step] : {std::pair<std::string, double>{"cvode-bdf", 1e-5}, {"rk4", 1e-3}}) {
      INFO("integrator " << integrator);
      settings.integrator = test::integrator(integrator);
      settings.step = step;
      Rows rows = run(*system, *formulation, settings);
      if (first == nullptr) {
        first = std::make_unique<Rows>(std::move(rows));
        continue;
      }
      const Deviation d = deviation(*first, rows);
      CHECK(d.position < 1e-6);
      CHECK(d.angle < 1e-6);
    }
  }
}

TEST_CASE("the static position of the vehicle balances its weight") {
  // Forces by hand. Moments about the line of the rear wheels: the pitch, below 1e-3 rad, is left out.
  const StaticPosition p = static_position();
  const double g = 9.81, wheelbase = 2.3;
  CHECK(2 * p.front_load + 2 * p.rear_load == Approx(913 * g).epsilon(1e-9));
  CHECK(std::abs(p.pitch) < 1e-3);
  CHECK(2 * p.front_load * wheelbase == Approx(g * (800 * 1.2 + 2 * 26 * wheelbase)).epsilon(1e-3));
}
