// An inertial measurement unit: it has no force, and measures the motion of a body as seen from the body.
#include <array>
#include <vector>

#include "force_types.hpp"
#include "polyform/contract/initial_states.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::forces {
namespace {

enum Field : std::size_t { at, lag };
constexpr std::array specs{FieldSpec{.name = "at",
                                     .type = FieldType::marker,
                                     .unit = "",
                                     .meaning = "where the sensor is mounted; its axes are those of the body",
                                     .required = true},
                           FieldSpec{.name = "lag",
                                     .type = FieldType::number,
                                     .unit = "s",
                                     .meaning = "time constant of the gyroscopes, which start settled",
                                     .required = true,
                                     .minimum = 0,
                                     .exclusive_minimum = true,
                                     .typical = 0.01}};

constexpr std::array states{Variable{.name = "rate_x", .unit = "rad/s"}, Variable{.name = "rate_y", .unit = "rad/s"},
                            Variable{.name = "rate_z", .unit = "rad/s"}};
constexpr std::array outputs{Variable{.name = "specific_force_x", .unit = "m/s^2"},
                             Variable{.name = "specific_force_y", .unit = "m/s^2"},
                             Variable{.name = "specific_force_z", .unit = "m/s^2"}};

/// Body axes: gyroscopes of first order, d/dt rate = (ω − rate) / lag; accelerometers, specific force = a − g.
class Sensors final : public ForceBatch, public OutputSource, public InitialStates {
 public:
  explicit Sensors(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances) sensors_.push_back({i.fields[lag].number, i.gravity});
  }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override {
    if (asked == OutputSource::interface_name) return static_cast<OutputSource*>(this);
    if (asked == InitialStates::interface_name) return static_cast<InitialStates*>(this);
    return nullptr;
  }

  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < sensors_.size(); ++i) {
      const Vec3 rate = in_body(in.markers[i], in.markers[i].angular_velocity);
      for (std::size_t k = 0; k < 3; ++k)
        out.state_rates[3 * i + k] = (rate[k] - in.states[3 * i + k]) / sensors_[i].lag;
    }
  }
  void initial_states(std::span<double> x) const noexcept override {
    for (double& rate : x) rate = 0;
  }
  void states_at_start(const ForceInput& start, std::span<double>, std::span<double> x) noexcept override {
    for (std::size_t i = 0; i < sensors_.size(); ++i)
      put(in_body(start.markers[i], start.markers[i].angular_velocity), x.subspan(3 * i, 3));
  }
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (std::size_t i = 0; i < sensors_.size(); ++i)
      put(in_body(in.attachments->markers[i], in.accelerations[i].linear - sensors_[i].gravity),
          values.subspan(3 * i, 3));
  }

 private:
  struct Sensor {
    double lag;
    Vec3 gravity;
  };
  static Vec3 in_body(const MarkerMotion& marker, const Vec3& v) noexcept { return transpose_times(marker.R, v); }
  static void put(const Vec3& v, std::span<double> to) noexcept {
    for (std::size_t k = 0; k < 3; ++k) to[k] = v[k];
  }
  std::vector<Sensor> sensors_;
};

class InertialSensor final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{.name = "inertial-sensor",
                                               .meaning = "accelerometers and gyroscopes in body axes; no force",
                                               .fields = specs,
                                               .states = states,
                                               .outputs = outputs};
    return descriptor;
  }
  bool define(ElementInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<Sensors>(instances);
  }
};

}  // namespace

const ForceType& inertial_sensor() noexcept {
  static constexpr InertialSensor type;
  return type;
}

}  // namespace polyform::forces
