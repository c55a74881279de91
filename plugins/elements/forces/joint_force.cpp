#include <algorithm>
#include <array>
#include <vector>

#include "force_types.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "polyform/helpers/law_number.hpp"

namespace polyform::forces {
namespace {

enum Field : std::size_t { joint, effort };
constexpr std::array specs{
    FieldSpec{.name = "joint",
              .type = FieldType::joint,
              .unit = "",
              .meaning = "the joint that the effort acts on",
              .required = true},
    FieldSpec{.name = "effort",
              .type = FieldType::time_functions,
              .unit = "N or N m",
              .meaning = "generalized force conjugate to the joint's velocity coordinates, one for each",
              .required = true}};

class JointForces final : public ForceBatch, private ForceLaw {
 public:
  explicit JointForces(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances)
      efforts_.insert(efforts_.end(), i.fields[effort].functions.begin(), i.fields[effort].functions.end());
  }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t k = 0; k < efforts_.size(); ++k) {
      out.efforts[k] = efforts_[k](in.time).value;
      out.power += out.efforts[k] * in.v[k];
    }
  }
  void* query(std::string_view asked) noexcept override {
    return asked == ForceLaw::interface_name ? static_cast<ForceLaw*>(this) : nullptr;
  }
  void destroy() noexcept override { delete this; }

 private:
  std::string_view obstacle() const noexcept override {
    return std::ranges::all_of(efforts_, &TimeFunction::is_constant) ? "" : "depends on time";
  }
  std::size_t parameter_count() const noexcept override { return efforts_.size(); }
  void parameters(std::span<double> out) const noexcept override {
    for (std::size_t k = 0; k < efforts_.size(); ++k) out[k] = efforts_[k].constant;
  }
  void record(LawRecorder& recorder, const LawInput& in, LawOutput& out) noexcept override {
    const LawRecording recording(recorder);
    for (std::size_t k = 0; k < efforts_.size(); ++k) {
      put_effort(out, k, in_parameter(in, k));
      add_power(out, in_parameter(in, k) * in_v(in, k));
    }
  }

  std::vector<TimeFunction> efforts_;  ///< in the order of v, instance after instance
};

class JointForce final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "joint-force",
        .meaning = "given force or torque in a joint, e.g. of a motor; never potential",
        .fields = specs};
    return descriptor;
  }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    const std::size_t given = instance.fields[effort].functions.size(), needed = instance.joints[0].nv;
    if (needed == 0) {
      sink.report(Severity::error, number, joint, "the joint has no velocity coordinates, so no effort can act in it",
                  "Name a joint that can move, or use a point-force.");
      return false;
    }
    if (given == needed) return true;
    sink.report(Severity::error, number, effort,
                Message("{} effort{} given, but the joint has {} velocity coordinate{}", given, plural(given), needed,
                        plural(needed)),
                Message("Give {} effort{}, in the order of the joint's velocity coordinates.", needed, plural(needed)));
    return false;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<JointForces>(instances);
  }
};

}  // namespace

const ForceType& joint_force() noexcept {
  static constexpr JointForce type;
  return type;
}

}  // namespace polyform::forces
