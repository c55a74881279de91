#include "polyform/mechanics/discrete_values.hpp"

#include <limits>

namespace polyform {
namespace {

template <class Group>
bool find_initial(const Group& group, std::span<std::int32_t> all) {
  const Strided<const DiscreteVariable> variables = group.type->descriptor().discrete;
  if (variables.empty() || group.instances.empty()) return true;
  auto* batch = group.type->create(group.instances);
  if (batch == nullptr) return false;
  const auto values = all.subspan(group.discrete_offset, variables.size() * group.instances.size());
  const bool told = ask<DiscreteElement>(*batch) != nullptr;
  initial_discrete(*batch, values);
  batch->destroy();
  return told && are_named(variables, values);
}

}  // namespace

bool are_named(Strided<const DiscreteVariable> variables, std::span<const std::int32_t> values) noexcept {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] < 0 || static_cast<std::size_t>(values[i]) >= variables[i % variables.size()].values.size())
      return false;
  return true;
}

bool initial_discrete(const SystemView& view, std::span<std::int32_t> values, std::string_view& stranger) {
  if (view.discrete == 0) return true;
  const auto of = [&](const auto& groups) {
    for (const auto& group : groups)
      if (!find_initial(group, values)) {
        stranger = group.type->name();
        return false;
      }
    return true;
  };
  return of(view.forces) && of(view.constraints) && of(view.modules);
}

DiscreteValues::DiscreteValues(const SystemView& view) : initial_(view.discrete) {
  std::string_view unused;  // assembly has told of such a type
  initial_discrete(view, initial_, unused);
  values_ = initial_;
  meanings_.resize(view.discrete);
  for (const ForceInstances& group : view.forces) add_elements(group);
  for (const ConstraintInstances& group : view.constraints) add_elements(group);
  for (const ModuleInstances& group : view.modules) add_elements(group);
}

template <class Group>
void DiscreteValues::add_elements(const Group& group) {
  std::size_t at = group.discrete_offset;
  for (std::size_t i = 0; i < group.instances.size(); ++i)
    for (const DiscreteVariable& v : group.type->descriptor().discrete)
      meanings_[at++] = {group.names[i], v.name, 0, static_cast<std::int32_t>(v.values.size()) - 1, v.values};
}

std::size_t DiscreteValues::add(std::string_view owner, std::string_view name, std::int32_t least,
                                std::int32_t greatest) {
  meanings_.push_back({owner, name, least, greatest, {}});
  values_.push_back(0);
  return values_.size() - 1;
}

Status DiscreteValues::set(std::span<const std::int32_t> values) noexcept {
  if (values.size() != values_.size()) return Status::failed;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] < meanings_[i].least || values[i] > meanings_[i].greatest) return Status::failed;
  std::ranges::copy(values, values_.begin());
  return Status::ok;
}

void DiscreteValues::describe(std::size_t i, DiscreteDescription& out) const noexcept {
  const Meaning& m = meanings_[i];
  out.owner = m.owner;
  out.name = m.name;
  out.least = m.least;
  out.greatest = m.greatest;
  out.words = m.words;
}

}  // namespace polyform
