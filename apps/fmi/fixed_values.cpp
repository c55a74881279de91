#include "apps/fmi/fixed_values.hpp"

#include <algorithm>
#include <utility>

#include "framework/diagnostics.hpp"

namespace polyform::fmi {

using Role = Variable::Role;

namespace {

/// The model's name of a parameter, without that of the list which it is in.
std::string own_name(const Variable& parameter) { return parameter.name.substr(parameter.name.find('.') + 1); }

[[noreturn]] void refuse_state() { throw host::Failure(host::Exit::bad_input, "the state is that of another FMU"); }

}  // namespace

void FixedValues::clear() {
  parameters_.clear();
  starts_.clear();
}

std::optional<double> FixedValues::set_value(const Variable& v) const {
  if (v.role == Role::start) {
    const auto set = starts_.find(v.index);
    return set == starts_.end() ? std::nullopt : std::optional(set->second);
  }
  const auto set = parameters_.find(own_name(v));
  return set == parameters_.end() ? std::nullopt : std::optional(set->second);
}

bool FixedValues::set(const Variable& v, double value) {
  if (value == set_value(v).value_or(v.start)) return false;
  if (v.role == Role::parameter)
    parameters_[own_name(v)] = value;
  else if (value == v.start)
    starts_.erase(v.index);  // what is not set may follow from parameters
  else
    starts_[v.index] = value;
  return true;
}

GivenValues FixedValues::given() const {
  GivenValues out{parameters_, {}};
  const std::vector<host::StartColumn>& all = shown_.starts();
  // Where nothing joins the joints, motions that were not set stay as they are shown. Velocities of bodies in the model
  // would change them otherwise.
  const host::System& system = shown_.system();
  if (!starts_.empty() && system.loops() == 0 && system.view().constraints.empty() && system.view().modules.empty())
    for (const host::StartColumn& column : all)
      if (!host::is_element_state(column)) out.starts.emplace(column.channel.name, column.value);
  for (const auto& [place, value] : starts_) {
    const std::size_t whole = all[place].whole;
    std::size_t k = place;
    while (k > 0 && all[k - 1].whole == whole) --k;
    for (; k < all.size() && all[k].whole == whole; ++k) out.starts.emplace(all[k].channel.name, all[k].value);
    out.starts[all[place].channel.name] = value;
  }
  return out;
}

std::vector<double> FixedValues::parameters() const {
  std::vector<double> values;
  for (const Variable& v : shown_.variables())
    if (v.role == Role::parameter) values.push_back(set_value(v).value_or(v.start));
  return values;
}

bool FixedValues::set_parameters(std::span<const double> values) {
  if (values.size() != shown_.count(Role::parameter)) refuse_state();
  if (std::ranges::equal(values, parameters())) return false;
  std::size_t k = 0;
  for (const Variable& v : shown_.variables())
    if (v.role == Role::parameter) parameters_[own_name(v)] = values[k++];
  return true;
}

std::vector<double> FixedValues::starts() const {
  std::vector<double> pairs;
  for (const auto& [place, value] : starts_) pairs.insert(pairs.end(), {static_cast<double>(place), value});
  return pairs;
}

bool FixedValues::set_starts(std::span<const double> pairs) {
  std::map<std::size_t, double> starts;
  if (pairs.size() % 2 != 0) refuse_state();
  for (std::size_t k = 0; k < pairs.size(); k += 2) {
    if (!(pairs[k] >= 0 && pairs[k] < static_cast<double>(shown_.starts().size()))) refuse_state();
    starts[static_cast<std::size_t>(pairs[k])] = pairs[k + 1];
  }
  if (starts == starts_) return false;
  starts_ = std::move(starts);
  return true;
}

}  // namespace polyform::fmi
