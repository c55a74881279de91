// Every shipped problem with a reference, through every formulation that can run it: trajectories at the reference
// times and accelerations at the start. Where each reference comes from stands in its file (source, notes).
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "framework/simulation/observation_store.hpp"
#include "framework/simulation/row_maker.hpp"
#include "framework/simulation/simulate.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;
using Json = nlohmann::json;

namespace {

/// The tolerance group of a channel, by its last component.
std::string group_of(const std::string& channel) {
  if (channel.starts_with("energy.")) return "energy";
  const std::string last = channel.substr(channel.rfind('.') + 1);
  if (last.starts_with("eta")) return last.starts_with("etadot") ? "modal_velocity" : "modal";
  if (last.size() == 1) return "position";
  if (last[0] == 'q') return "orientation";
  return last[0] == 'v' ? "velocity" : "angular_velocity";
}

double tolerance(const Json& reference, const std::string& group, double time) {
  double value = reference["tolerance"][group];
  if (reference.contains("tolerance_after"))
    for (const Json& later : reference["tolerance_after"])
      if (time > later["time"].get<double>() && later.contains(group)) value = later[group];
  return value;
}

/// Compares rows with the reference as they come; keeps the worst ratio of error to tolerance.
class ReferenceSink final : public host::RowSink {
 public:
  ReferenceSink(const host::System& system, const Json& reference)
      : rows_(system, host::Columns{}), reference_(reference) {
    for (std::size_t i = 0; i < rows_.channels().size(); ++i) column_[rows_.channels()[i].name] = i;
  }
  void row(double time, const Observation& o) override {
    const std::span<const double> row = rows_.make(time, o);
    const std::vector<double> times = reference_["times"];
    for (std::size_t k = 0; k < times.size(); ++k) {
      if (std::abs(times[k] - time) > 1e-9) continue;
      ++compared;
      for (const auto& [name, values] : reference_["channels"].items()) {
        const auto column = column_.find(name);
        REQUIRE(column != column_.end());
        const double ratio =
            std::abs(row[column->second] - values[k].get<double>()) / tolerance(reference_, group_of(name), time);
        if (ratio > worst || std::isnan(ratio)) {
          worst = std::isnan(ratio) ? 1e300 : ratio;
          place = name + " at " + std::to_string(time);
        }
      }
    }
  }
  double worst = 0;
  std::size_t compared = 0;
  std::string place;

 private:
  host::RowMaker rows_;
  const Json& reference_;
  std::map<std::string, std::size_t> column_;
};

void check_trajectory(const host::System& system, const Formulation& formulation, const Json& reference) {
  const host::SimulationItem& given = system.description().simulation;
  host::RunSettings settings;
  settings.duration = given.duration.value();
  settings.integrator = given.integrator.value();
  settings.step = given.step.value();
  settings.relative_tolerance = given.relative_tolerance.value_or(settings.relative_tolerance);
  settings.absolute_tolerance = given.absolute_tolerance.value_or(settings.absolute_tolerance);
  settings.output_interval = given.output_interval.value();
  const auto solver = solver_for(system, formulation);
  ReferenceSink sink(system, reference);
  host::RowSink* sinks[] = {&sink};
  const host::RunRecord record = host::simulate(system, *solver, settings, sinks, {});
  INFO(record.failure);
  CHECK(record.end == host::End::done);
  CHECK(sink.compared == reference["times"].size());
  INFO("worst: " << sink.place);
  CHECK(sink.worst <= 1);
}

void near(const Json& expected, const Vec3& found, double limit) {
  for (std::size_t k = 0; k < 3; ++k) CHECK(std::abs(found[k] - expected[k].get<double>()) <= limit);
}

void check_accelerations(const host::System& system, const Formulation& formulation, const Json& expected) {
  const auto solver = solver_for(system, formulation);
  const std::vector<double> y = initial_vector(system, *solver);
  host::ObservationStore store(system.view());
  REQUIRE(solver->observe(0, y, store.now()) == Status::ok);
  const SystemView& view = system.view();
  for (std::size_t i = 0; i < view.bodies.size(); ++i) {
    const std::string name(view.bodies[i].name);
    if (!expected["bodies"].contains(name)) continue;
    INFO("body " << name);
    near(expected["bodies"][name]["linear"], store.now().bodies[i].acceleration, expected["tolerance"]["linear"]);
    near(expected["bodies"][name]["angular"], store.now().bodies[i].angular_acceleration,
         expected["tolerance"]["angular"]);
    if (!expected["bodies"][name].contains("modal")) continue;
    const FlexibleData& flexible = view.flexible[view.bodies[i].flexible];
    const Json& modal = expected["bodies"][name]["modal"];
    REQUIRE(modal.size() == flexible.modes);
    for (std::size_t k = 0; k < flexible.modes; ++k)
      CHECK(store.now().modal_acceleration[flexible.mode_offset + k] == Approx(modal[k].get<double>()).epsilon(1e-11));
  }
  for (const JointData& joint : view.joints) {
    const std::string name(joint.name);
    if (!expected["joints"].contains(name)) continue;
    INFO("joint " << name);
    const Json& values = expected["joints"][name]["acceleration"];
    REQUIRE(values.size() == joint.nv);
    for (std::size_t k = 0; k < joint.nv; ++k)
      CHECK(std::abs(store.now().acceleration[joint.v_offset + k] - values[k].get<double>()) <=
            expected["tolerance"]["joint"].get<double>());
  }
}

}  // namespace

TEST_CASE("every shipped problem meets its reference in every formulation") {
  const std::string problem =
      GENERATE("branch_pendulum", "double_pendulum", "triple_spherical_pendulum", "four_bar_rhombus", "ladder_1",
               "ladder_40", "free_body", "heavy_top", "planar_3rrr", "random_tree", "flexible_pendulum");
  INFO("problem " << problem);
  std::ifstream file(std::string(POLYFORM_REFERENCES) + "/" + problem + ".json");
  const Json reference = Json::parse(file);
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/" + problem + ".yaml");
  const auto formulations = formulations_for(*system);
  REQUIRE(!formulations.empty());
  for (const Formulation* formulation : formulations) {
    INFO("formulation " << formulation->name());
    if (reference.contains("channels")) check_trajectory(*system, *formulation, reference);
    if (reference.contains("evaluate")) check_accelerations(*system, *formulation, reference["evaluate"]);
    if (reference.contains("bodies")) check_accelerations(*system, *formulation, reference);
  }
}
