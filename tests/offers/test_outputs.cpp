// Outputs of elements and their columns: closed forms, in every formulation.
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "framework/host/columns/row_maker.hpp"
#include "tests/offers/offers.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double g = 9.81;

/// A weight on a cable that runs from ground over an eyelet at (0, 0, 1) down to it; the cable is stretched by 2 cm.
const std::string hanging = R"(
polyform: 1
bodies:
  - {name: weight, mass: 3, center_of_mass: [0, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: guide, type: prismatic, base: ground, moving: weight, position: [0, 0, 0], axis: [0, 0, 1]}
forces:
  - name: rope
    type: cable
    points: [{body: ground, point: [1, 0, 1]}, {body: ground, point: [0, 0, 1]}, {body: weight, point: [0, 0, 0]}]
    stiffness: 1000
    free_length: 1.98
)";

/// A disc that turns about z at 5 rad/s, with a sensor 0.2 m from its axis.
const std::string turning = R"(
polyform: 1
bodies:
  - {name: disc, mass: 2, center_of_mass: [0, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.2}}
joints:
  - {name: pin, type: revolute, base: ground, moving: disc, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 5}}
forces:
  - {name: drive, type: joint-force, joint: pin, effort: 0.6}
  - {name: imu, type: inertial-sensor, at: {body: disc, point: [0.2, 0, 0]}, lag: 0.01}
)";

}  // namespace

TEST_CASE("a cable over an eyelet tells its length and tension, and pulls with it") {
  const auto system = system_from_text(hanging);
  in_all_formulations(*system, [](const std::vector<double>& values) {
    REQUIRE(values.size() == 2);
    CHECK(values[0] == Approx(2).epsilon(1e-12));
    CHECK(values[1] == Approx(20).epsilon(1e-9));
  });
  Seen seen(*system, *formulations_for(*system).front());
  CHECK(seen.now().acceleration[0] == Approx(20.0 / 3 - g).epsilon(1e-9));
}

TEST_CASE("outputs see accelerations and gravity, states begin with the motion") {
  const auto system = system_from_text(turning);
  in_all_formulations(*system, [](const std::vector<double>& values) {
    REQUIRE(values.size() == 4);
    CHECK(values[0] == 0.6);                                 // of the drive
    CHECK(values[1] == Approx(-5 * 5 * 0.2).epsilon(1e-9));  // towards the axis
    CHECK(values[2] == Approx(0.6 / 0.2 * 0.2).epsilon(1e-9));
    CHECK(values[3] == Approx(g).epsilon(1e-9));  // held up against gravity
  });
  const ConstStateView start = system->initial_state();
  REQUIRE(start.x.size() == 3);
  CHECK(start.x[2] == Approx(5));
}

TEST_CASE("states of forces and outputs are columns with units") {
  const auto system = system_from_text(turning);
  host::Columns columns{.joints = false, .bodies = false, .energy = false, .constraints = false, .modules = false};
  host::RowMaker rows(*system, columns);
  std::vector<std::string> names;
  for (const host::Channel& channel : rows.channels()) names.push_back(channel.name + " " + channel.unit);
  CHECK(names == std::vector<std::string>{"time s", "imu.rate_x rad/s", "imu.rate_y rad/s", "imu.rate_z rad/s",
                                          "drive.effort N m", "imu.specific_force_x m/s^2",
                                          "imu.specific_force_y m/s^2", "imu.specific_force_z m/s^2"});
  Seen seen(*system, *formulations_for(*system).front());
  const auto row = rows.make(0, seen.now());
  CHECK(row[3] == Approx(5));
  CHECK(row[4] == 0.6);
  CHECK(row[7] == Approx(g));
  for (const host::Channel& channel : rows.channels())
    if (channel.name != "time") CHECK(host::place_of(channel).group == "elements");
}

namespace {

/// A force called `x`, like a coordinate of a body; declares an output and gives it, unless it is `mute`.
class Namesake final : public ForceType {
 public:
  explicit Namesake(bool mute) : mute_(mute) {}
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr std::array outputs{Variable{.name = "x", .unit = "m"}};
    static constexpr TypeDescriptor descriptor{.name = "namesake", .meaning = "for tests", .outputs = outputs};
    return descriptor;
  }
  bool define(ElementInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  ForceBatch* create(Strided<const ElementInstance>) const noexcept override { return new Batch(mute_); }

 private:
  class Batch final : public ForceBatch, public OutputSource {
   public:
    explicit Batch(bool mute) : mute_(mute) {}
    void evaluate(const ForceInput&, ForceOutput&) noexcept override {}
    void evaluate_outputs(const OutputInput&, std::span<double>) noexcept override {}
    void* query(std::string_view) noexcept override { return mute_ ? nullptr : static_cast<OutputSource*>(this); }
    void destroy() noexcept override { delete this; }

   private:
    bool mute_;
  };
  bool mute_;
};

std::unique_ptr<host::System> with_namesake(const std::string& name, const Namesake& type) {
  host::Catalog catalog = registry().catalog();
  catalog.forces["namesake"] = &type;
  host::Diagnostics diagnostics;
  bool missing = false;
  host::Description model = host::read_model_text(
      "polyform: 1\nbodies: [{name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}]\nforces: [{name: " + name +
          ", type: namesake}]\n",
      "model.yaml", catalog, diagnostics, missing);
  auto system = host::System::assemble(std::move(model), nullptr, diagnostics);
  REQUIRE(system != nullptr);
  return system;
}

}  // namespace

TEST_CASE("two columns never have one name") {
  const Namesake type(false);
  CHECK_NOTHROW(host::RowMaker(*with_namesake("a", type), {}));
  CHECK_THROWS_WITH(host::RowMaker(*with_namesake("b", type), {}), Catch::Contains("have the name b.x"));
}

TEST_CASE("outputs that are declared and not given are refused, those not written are no numbers") {
  const Namesake mute(true), silent(false);
  CHECK_THROWS_WITH(host::ElementOutputs(with_namesake("a", mute)->view()), Catch::Contains("declares outputs"));
  const auto system = with_namesake("a", silent);
  Seen seen(*system, *formulations_for(*system).front());
  CHECK(std::isnan(host::ElementOutputs(system->view()).evaluate(0, seen.now())[0]));
}
