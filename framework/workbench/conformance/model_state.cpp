#include "framework/workbench/conformance/model_state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::host::inline conformance {

namespace {

std::string text_of(std::span<const double> list) {
  return list.size() == 1 ? fmt::format("{}", list[0]) : fmt::format("[{}]", fmt::join(list, ", "));
}

}  // namespace

std::string with_state(std::string text, const JointData& joint, std::span<const double> q, std::span<const double> v) {
  if (joint.nv == 0) return text;
  const std::size_t section = text.find("\njoints:\n");
  if (section == std::string::npos) return text;
  const std::size_t entry = text.find(fmt::format("\n  - {{name: {},", joint.name), section);
  if (entry == std::string::npos) return text;
  const std::size_t end = text.find('\n', entry + 1);
  const std::string position = text_of(q.first(own_positions(joint)));
  return text.insert(end - 1, fmt::format(", initial: {{position: {}, velocity: {}}}", position, text_of(v)));
}

std::string with_state(std::string text, const SystemView& view, const State& s) {
  for (const JointData& joint : view.tree_joints())
    text = with_state(std::move(text), joint, std::span(s.q).subspan(joint.q_offset, joint.nq),
                      std::span(s.v).subspan(joint.v_offset, joint.nv));
  return text;
}

}  // namespace polyform::host::conformance
