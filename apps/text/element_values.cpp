#include "apps/text/element_values.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>

#include "framework/host/columns/constraint_forces.hpp"
#include "framework/host/columns/element_outputs.hpp"
#include "framework/host/evaluation/joint_units.hpp"
#include "polyform/contract/held_states.hpp"

namespace polyform::apps {

namespace {

/// The numbers of an observation, taken one after the other.
class Reader {
 public:
  Reader(const SystemView& view, const Observation& now, std::span<const double> outputs)
      : view_(view),
        now_(now),
        forces_(host::constraint_forces(view)),
        constraint_rows_(view.constraint_rows()),
        output_(outputs.data()) {}

  template <class Group>
  void read(std::string_view kind, const Group& group, std::vector<ElementValues>& all) {
    const TypeDescriptor& told = group.type->descriptor();
    const HeldStates* held_states = nullptr;
    if constexpr (std::is_same_v<Group, ForceInstances>) held_states = ask<HeldStates>(*group.type);
    const std::size_t count = group.names.size(), u = told.variables.size(), x = told.states.size();
    const std::vector<const JointData*> joints = host::joint_of_each(view_, group);
    for (std::size_t i = 0; i < count; ++i) {
      ElementValues one{kind, group.names[i], {}, {}, {}, {}};
      const auto rate = [&](const Variable& of, std::size_t k) { one.rates.emplace_back(of, now_.state_rates[k]); };
      if constexpr (!std::is_same_v<Group, ConstraintInstances>) {
        for (std::size_t k = 0; k < u; ++k) rate(told.variables[k], group.state_offset + i * u + k);
        for (std::size_t k = 0; k < x; ++k) {
          const std::size_t place = group.state_offset + count * u + i * x + k;
          rate(told.states[k], place);
          if (held_states != nullptr && held_states->is_held(k)) one.held.emplace_back(told.states[k], now_.x[place]);
        }
      }
      if constexpr (std::is_same_v<Group, ModuleInstances>)
        for (const Variable& row : told.rows) {
          const std::string_view unit = host::unit_at_joint(row.unit, joints[i], 0);
          one.multipliers.push_back(
              {std::string(row.name), std::string(unit), now_.module_multipliers[row_], constraint_rows_ + row_});
          ++row_;
        }
      if constexpr (std::is_same_v<Group, ConstraintInstances>)
        for (; force_ != forces_.size() && forces_[force_].element == one.name; ++force_)
          one.multipliers.push_back({forces_[force_].name, forces_[force_].unit,
                                     now_.constraint_multipliers[forces_[force_].row], forces_[force_].row});
      for (const Variable& output : told.outputs) {
        Variable& of = one.outputs.emplace_back(output, *output_++).first;
        of.unit = host::unit_at_joint(of.unit, joints[i], 0);
      }
      const bool tells = kind == "module" || !one.rates.empty() || !one.outputs.empty() || !one.multipliers.empty();
      if (tells) all.push_back(std::move(one));
    }
  }

 private:
  const SystemView& view_;
  const Observation& now_;
  const std::vector<host::ConstraintForce> forces_;
  std::size_t force_ = 0;
  const std::size_t constraint_rows_;
  std::size_t row_ = 0;  ///< of the modules
  const double* output_;
};

}  // namespace

bool is_open(const ElementValues& of, const ElementValues::Multiplier& one, const host::ConstraintCount& count) {
  return of.kind != "force" && std::ranges::find(count.open_rows, one.row) != count.open_rows.end();
}

std::vector<ElementValues> element_values(const SystemView& view, double time, const Observation& now) {
  std::optional<host::ElementOutputs> outputs;
  if (host::has_outputs(view)) outputs.emplace(view);
  Reader reader(view, now, outputs ? outputs->evaluate(time, now) : std::span<const double>());
  std::vector<ElementValues> all;
  for (const ForceInstances& group : view.forces) reader.read("force", group, all);
  for (const ConstraintInstances& group : view.constraints) reader.read("constraint", group, all);
  for (const ModuleInstances& group : view.modules) reader.read("module", group, all);
  return all;
}

}  // namespace polyform::apps
