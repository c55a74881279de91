#include "framework/workbench/comparison/result_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/host/assembly/column_names.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::host::inline comparison {

ResultStates::ResultStates(const System& system, const Results& results) {
  const SystemView& view = system.view();
  q_.resize(view.nq);
  v_.resize(view.nv);
  eta_.resize(view.modes);
  etadot_.resize(view.modes);
  for (const JointData& joint : view.joints) {
    const std::size_t own = own_positions(joint);
    find(q_, results, joint.q_offset, joint.name, "q", own, own > 1);
    if (own < joint.nq) {  // the last one is the time
      const ResultColumn* const time = results.find("time");
      complete_ = complete_ && time != nullptr;
      q_[joint.q_offset + own] = time == nullptr ? nullptr : &time->values;
    }
    find(v_, results, joint.v_offset, joint.name, "v", joint.nv, joint.nv > 1);
  }
  for (const FlexibleData& flexible : view.flexible) {
    const std::string_view name = view.bodies[at(flexible.body)].name;
    find(eta_, results, flexible.mode_offset, name, "eta", flexible.modes, true);
    find(etadot_, results, flexible.mode_offset, name, "etadot", flexible.modes, true);
  }
  for (const BodyData& body : view.bodies) {
    Columns& columns = orientations_.emplace_back();
    for (const char* component : {"qw", "qx", "qy", "qz"})
      if (const ResultColumn* column = results.find(fmt::format("{}.{}", body.name, component)))
        columns.push_back(&column->values);
    if (columns.size() != 4) columns.clear();
  }
  for (const ForceInstances& group : view.forces) find_discrete(results, group);
  for (const ConstraintInstances& group : view.constraints) find_discrete(results, group);
  for (const ModuleInstances& group : view.modules) find_discrete(results, group);
  discrete_values_.resize(discrete_.size());
  if (const ResultColumn* time = results.find("time")) rows_ = time->values.size();
  numbers_.resize(view.nq + view.nv + 2 * view.modes);
  x_.resize(view.states);
}

template <class Group>
void ResultStates::find_discrete(const Results& results, const Group& group) {
  for (const std::string_view element : group.names)
    for (const DiscreteVariable& own : group.type->descriptor().discrete) {
      const ResultColumn* column = results.find(column_name(element_name(group, element), own.name));
      complete_ = complete_ && column != nullptr;
      discrete_.push_back(column == nullptr ? nullptr : &column->values);
    }
}

void ResultStates::find(Columns& columns, const Results& results, std::size_t place, std::string_view object,
                        std::string_view letter, std::size_t count, bool indexed) {
  for (std::size_t k = 0; k < count; ++k) {
    const ResultColumn* column =
        results.find(indexed ? fmt::format("{}.{}[{}]", object, letter, k) : fmt::format("{}.{}", object, letter));
    complete_ = complete_ && column != nullptr;
    columns[place + k] = column == nullptr ? nullptr : &column->values;
  }
}

std::optional<ConstStateView> ResultStates::state(std::size_t row) {
  auto out = numbers_.begin();
  for (const Columns* columns : {&q_, &v_, &eta_, &etadot_})
    for (const std::vector<double>* column : *columns) *out++ = (*column)[row];
  if (!std::ranges::all_of(numbers_, [](double value) { return std::isfinite(value); })) return std::nullopt;
  for (std::size_t k = 0; k < discrete_.size(); ++k) {
    const double value = (*discrete_[k])[row];
    if (!std::isfinite(value)) return std::nullopt;
    discrete_values_[k] = static_cast<std::int32_t>(value);
  }
  const std::span<const double> all(numbers_);
  const std::size_t nq = q_.size(), nv = v_.size(), modes = eta_.size();
  return ConstStateView{.q = all.first(nq),
                        .v = all.subspan(nq, nv),
                        .eta = all.subspan(nq + nv, modes),
                        .etadot = all.last(modes),
                        .x = x_,
                        .discrete = discrete_values_};
}

std::optional<Mat3> ResultStates::orientation(BodyIndex body, std::size_t row) const {
  if (is_ground(body)) return Mat3::identity();
  const Columns& c = orientations_[at(body)];
  if (c.empty()) return std::nullopt;
  const Quat q{(*c[0])[row], (*c[1])[row], (*c[2])[row], (*c[3])[row]};
  if (!(norm(q) > 0)) return std::nullopt;
  return rotation_matrix(normalized(q));
}

}  // namespace polyform::host::comparison
