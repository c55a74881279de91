#include <algorithm>
#include <array>
#include <vector>

#include "force_types.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/contract/type_variants.hpp"
#include "polyform/helpers/counted_outputs.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "polyform/helpers/law_number.hpp"
#include "polyform/helpers/time_vector.hpp"

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

constexpr Variable effort_output{.name = "effort", .unit = "N or N m"};

class JointForces final : public ForceBatch, public OutputSource, private ForceLaw {
 public:
  explicit JointForces(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances)
      efforts_.insert(efforts_.end(), i.fields[effort].functions.begin(), i.fields[effort].functions.end());
  }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t k = 0; k < efforts_.size(); ++k) {
      out.efforts[k] = value_at(efforts_[k], in.time);
      out.power += out.efforts[k] * in.v[k];
    }
  }
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    std::ranges::transform(efforts_, values.begin(),
                           [&](const TimeFunction& effort) { return value_at(effort, in.attachments->time); });
  }
  void* query(std::string_view asked) noexcept override {
    if (asked == ForceLaw::interface_name) return static_cast<ForceLaw*>(this);
    return asked == OutputSource::interface_name ? static_cast<OutputSource*>(this) : nullptr;
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

/// A type for each number of efforts: each is an output.
class JointForce final : public ForceType, public TypeVariants {
 public:
  explicit JointForce(std::size_t count) : outputs_(effort_output, count, {}) {
    descriptor_.name = "joint-force";
    descriptor_.meaning = "given force or torque in a joint, e.g. of a motor; never potential";
    descriptor_.fields = specs;
    descriptor_.outputs = outputs_.all();
  }
  const TypeDescriptor& descriptor() const noexcept override { return descriptor_; }
  const void* query(std::string_view asked) const noexcept override {
    return asked == TypeVariants::interface_name ? static_cast<const TypeVariants*>(this) : nullptr;
  }
  const ForceType* variant(Strided<const FieldValue> fields) const noexcept override {
    return &of_count(fields[effort].functions.size());
  }
  static const JointForce& of_count(std::size_t count) {
    static TypesByCount<JointForce> types;
    return types.of(std::max<std::size_t>(count, 1));
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

 private:
  CountedOutputs outputs_;
  TypeDescriptor descriptor_;
};

}  // namespace

const ForceType& joint_force() noexcept { return JointForce::of_count(1); }

}  // namespace polyform::forces
