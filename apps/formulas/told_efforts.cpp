// Efforts in joints: those of forces that tell their law as formulas, the others as symbols.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "apps/formulas/expansion.hpp"
#include "polyform/contract/force_law.hpp"
#include "polyform/mechanics/force_set.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::apps::formulas {
namespace {

/// Takes down a law as polynomials. Number 0 is zero.
class PolynomialRecorder final : public LawRecorder {
 public:
  /// Whether the law is no polynomial.
  bool failed() const { return failed_; }
  const ex& at(LawIndex i) const { return numbers_[i]; }
  LawIndex keep(const ex& value) {
    numbers_.push_back(value);
    return static_cast<LawIndex>(numbers_.size() - 1);
  }
  std::vector<LawIndex> keep(const std::vector<ex>& values) {
    std::vector<LawIndex> kept;
    for (const ex& value : values) kept.push_back(keep(value));
    return kept;
  }

  LawIndex constant(double x) noexcept override {
    return kept([&] { return number(x); });
  }
  LawIndex apply(LawOperation operation, LawIndex a, LawIndex b) noexcept override {
    return kept([&]() -> std::optional<ex> {
      switch (operation) {
        case LawOperation::add: return at(a) + at(b);
        case LawOperation::subtract: return at(a) - at(b);
        case LawOperation::multiply: return at(a) * at(b);
        case LawOperation::negate: return -at(a);
        default: return std::nullopt;
      }
    });
  }

 private:
  template <class Make>
  LawIndex kept(const Make& make) noexcept {
    try {
      if (const std::optional<ex> value = make()) return keep(*value);
    } catch (...) {  // no memory
    }
    failed_ = true;
    return 0;
  }
  std::vector<ex> numbers_{0};
  bool failed_ = false;
};

struct Destroy {
  void operator()(ForceBatch* batch) const { batch->destroy(); }
};

/// Names of a law's parameters: the number field with that value, each of its numbers once; else a number.
class ParameterNames {
 public:
  ParameterNames(const ForceInstances& group, std::size_t instance) {
    const Strided<const FieldSpec> specs = group.type->fields();
    const ElementInstance& one = group.instances[instance];
    for (std::size_t f = 0; f < specs.size(); ++f) {
      const FieldValue& field = one.fields[f];
      if (specs[f].type == FieldType::number) fields_.push_back({&specs[f], field.number, 0});
      for (std::size_t k = 0; k < field.functions.size(); ++k)
        if (field.functions[k].kind == TimeFunction::Kind::constant)
          fields_.push_back({&specs[f], field.functions[k].constant, field.functions.size() > 1 ? k + 1 : 0});
      if (specs[f].type == FieldType::numbers)
        for (std::size_t k = 0; k < field.numbers.size(); ++k)
          fields_.push_back({&specs[f], field.numbers[k], field.numbers.size() > 1 ? k + 1 : 0});
    }
  }
  std::pair<std::string, std::string> next(double value, std::string_view force) {
    ++count_;
    const auto found = std::ranges::find_if(fields_, [value](const Number& n) { return !n.used && n.value == value; });
    if (found == fields_.end())
      return {fmt::format("p{}_{}", count_, force), fmt::format("number {} of the force's law", count_)};
    found->used = true;
    const std::string index = found->index > 0 ? std::to_string(found->index) : "";
    return {fmt::format("{}{}_{}", found->spec->name, index, force),
            fmt::format("{} of the force, {}", found->spec->name, found->spec->unit)};
  }

 private:
  struct Number {
    const FieldSpec* spec;
    double value;
    std::size_t index;
    bool used = false;
  };
  std::vector<Number> fields_;
  std::size_t count_ = 0;
};

}  // namespace

/// Whether the coordinates of a joint are symbols, and its velocities their rates: not those of a ball.
bool Expansion::has_plain_coordinates(const JointData& joint) const {
  return std::ranges::none_of(joint.primitives, [](const Primitive& p) { return p.kind == Primitive::Kind::ball; });
}

/// Adds the efforts of one force as polynomials in coordinates, velocities and parameters. False if it tells no such
/// law.
bool Expansion::tell_efforts(const ForceInstances& group, std::size_t instance, std::span<const JointIndex> joints) {
  const ElementInstance& one = group.instances[instance];
  if (one.markers.size() > 0 || group.type->state_count() > 0) return false;
  for (const JointIndex j : joints)
    if (at(j) >= view_.bodies.size() || !has_plain_coordinates(view_.joints[at(j)])) return false;
  const std::unique_ptr<ForceBatch, Destroy> batch(group.type->create(group.instances.subspan(instance, 1)));
  ForceLaw* const law = batch ? static_cast<ForceLaw*>(batch->query(ForceLaw::interface_name)) : nullptr;
  if (law == nullptr || !law->obstacle().empty()) return false;
  std::vector<double> values(law->parameter_count());
  law->parameters(values);
  std::vector<ex> q, v;
  for (const JointIndex j : joints) {
    const JointData& joint = view_.joints[at(j)];
    for (std::size_t k = 0; k < joint.nq; ++k) q.push_back(positions_[joint.q_offset + k]);
    for (std::size_t k = 0; k < joint.nv; ++k) v.push_back(freedoms_[joint.v_offset + k].u);
  }
  const auto told = [&](const std::vector<ex>& parameters) {
    PolynomialRecorder recorder;
    const std::vector<LawIndex> p = recorder.keep(parameters), at_q = recorder.keep(q), at_v = recorder.keep(v);
    std::vector<LawIndex> efforts(v.size());
    LawOutput out{.efforts = efforts};
    law->record(recorder, {.parameters = p, .q = at_q, .v = at_v}, out);
    std::vector<ex> found;
    for (const LawIndex effort : efforts) found.push_back(recorder.at(effort));
    return recorder.failed() ? std::vector<ex>() : found;
  };
  std::vector<ex> parameters(values.size(), symbol("p"));
  if (told(parameters).size() < v.size()) return false;
  ParameterNames names(group, instance);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto [name, meaning] = names.next(values[k], group.names[instance]);
    parameters[k] = symbols_.parameter(name, values[k], meaning);
  }
  const std::vector<ex> efforts = told(parameters);
  std::size_t next = 0;
  for (const JointIndex j : joints)
    for (std::size_t k = 0; k < view_.joints[at(j)].nv; ++k)
      efforts_[view_.joints[at(j)].v_offset + k] += symbols_.expanded(efforts[next++]);
  return true;
}

/// What forces do in joints: the laws that can be told, and a symbol for what the others do together in a coordinate.
void Expansion::find_efforts(std::span<const double> efforts) {
  efforts_.assign(view_.nv, 0);
  std::vector<char> untold(view_.nv);
  for (const ForceInstances& group : view_.forces) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < group.instances.size(); ++i) {
      const std::span<const JointIndex> joints = group.joints.subspan(first, group.instances[i].joints.size());
      first += joints.size();
      if (joints.empty() || tell_efforts(group, i, joints)) continue;
      for (const JointIndex j : joints)
        std::fill_n(untold.begin() + static_cast<std::ptrdiff_t>(view_.joints[at(j)].v_offset), view_.joints[at(j)].nv,
                    char{1});
    }
  }
  for (const JointData& joint : view_.joints)
    for (std::size_t k = 0; k < joint.nv; ++k) {
      if (untold[joint.v_offset + k] == 0) continue;
      ex& effort = efforts_[joint.v_offset + k];
      effort += symbols_.add(
          Symbols::Kind::load,
          joint.nv == 1 ? fmt::format("tau_{}", joint.name) : fmt::format("tau_{}_{}", joint.name, k + 1),
          efforts[joint.v_offset + k] - symbols_.value(effort),
          has_plain_coordinates(joint) ? "effort in the joint, N or N m" : "effort in the joint, base axes, N or N m");
    }
}

}  // namespace polyform::apps::formulas
