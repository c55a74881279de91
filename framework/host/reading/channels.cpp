// Numbers of elements that formulas read: channel(element.number).
#include <fmt/format.h>

#include <algorithm>

#include "framework/host/reading/formulas.hpp"
#include "polyform/contract/unilateral.hpp"

namespace polyform::host::inline reading {

using expressions::NodeIndex;
using expressions::StateInput;

NodeIndex FormulaReader::channel(const Value& where, std::string_view name, std::size_t at) {
  if (const std::optional<NodeIndex> of_signal = signal_state(name, at)) return *of_signal;
  const auto known = std::ranges::find(channels_, name, &Channel::name);
  if (known != channels_.end()) return formulas_.graph.input(known->input);
  // Until the force is known the number of the channel stands for it.
  const NodeIndex node = formulas_.input(
      {.kind = StateInput::Kind::element_output, .index = static_cast<std::uint32_t>(channels_.size())});
  channels_.push_back({std::string(name), where.path().text(), place_in_text(where, at), &where.report(),
                       static_cast<std::uint32_t>(formulas_.inputs.size() - 1)});
  return node;
}

namespace {

/// The element with the longest name before the dot of a channel; nullptr where none has such a name.
template <class Item>
const Item* owner_of(std::string_view channel, const std::vector<Item>& items) {
  const Item* owner = nullptr;
  for (const Item& item : items)
    if (item.type != nullptr && channel.starts_with(item.name + ".") &&
        (owner == nullptr || item.name.size() > owner->name.size()))
      owner = &item;
  return owner;
}

}  // namespace

/// Finds a variable or a state of a module.
bool FormulaReader::find_number(const Channel& channel, const ModuleItem& owner) {
  const std::string_view number = std::string_view(channel.name).substr(owner.name.size() + 1);
  const TypeDescriptor& told = owner.type->descriptor();
  StateInput& input = formulas_.inputs[channel.input];
  input = {.kind = StateInput::Kind::module_number, .of = static_cast<std::int32_t>(&owner - storage_.modules.data())};
  std::vector<std::string_view> known;
  for (const Strided<const Variable> list : {told.variables, told.states})
    for (const Variable& one : list) {
      if (one.name == number) {
        input.index = static_cast<std::uint32_t>(known.size());
        return true;
      }
      known.push_back(one.name);
    }
  const auto is_number = [&](const Variable& one) { return one.name == number; };
  const bool follows = std::ranges::any_of(told.rows, is_number) || std::ranges::any_of(told.outputs, is_number);
  const std::string message =
      follows ? fmt::format("a formula cannot read {}: outputs and multipliers of modules follow from accelerations",
                            show(channel.name))
              : fmt::format("the module {} has no state {}", owner.name, show(number));
  channel.report->error(channel.place, Path{nullptr, channel.path, Path::no_index}, message,
                        known.empty() ? "It has no states."
                                      : did_you_mean(number, known) + fmt::format("Its states: {}.", listing(known)));
  return false;
}

bool FormulaReader::find_channel(const Channel& channel) {
  const auto refuse = [&](std::string_view message, std::string_view remedy) {
    channel.report->error(channel.place, Path{nullptr, channel.path, Path::no_index}, message, remedy);
    return false;
  };
  const auto of_others = [&](const auto& items) {
    return std::ranges::any_of(items, [&](const auto& i) { return channel.name.starts_with(i.name + "."); });
  };
  if (const ModuleItem* const module = owner_of(channel.name, storage_.modules)) return find_number(channel, *module);
  std::vector<std::string_view> names;
  const ForceItem* owner = nullptr;
  for (const ForceItem& item : storage_.forces) {
    names.push_back(item.name);
    if (item.type == nullptr || !channel.name.starts_with(item.name + ".")) continue;
    if (owner == nullptr || item.name.size() > owner->name.size()) owner = &item;
  }
  if (owner == nullptr && of_others(storage_.constraints))
    return refuse(
        fmt::format("a formula cannot read {}: numbers of constraints follow from accelerations", show(channel.name)),
        "Read an output or a state of a force, or a state of a module.");
  const std::size_t dot = channel.name.find('.');
  if (owner == nullptr)
    return refuse(fmt::format("there is no force {}", show(channel.name.substr(0, dot))),
                  did_you_mean(channel.name.substr(0, dot), names) +
                      "Write channel(FORCE.NUMBER), such as channel(spring.tension), or channel(signal.NAME.STATE).");
  if (UnilateralRows::are_of(*owner->type))
    return refuse(fmt::format("a formula cannot read {}: what sticks or locks finds its force from accelerations",
                              show(channel.name)),
                  "Read an output or a state of another force.");
  const TypeDescriptor& told = owner->type->descriptor();
  const std::string_view number = std::string_view(channel.name).substr(owner->name.size() + 1);
  StateInput& input = formulas_.inputs[channel.input];
  input.of = static_cast<std::int32_t>(owner - storage_.forces.data());
  std::vector<std::string_view> known;
  for (const auto& [kind, list] : {std::pair(StateInput::Kind::element_output, told.outputs),
                                   std::pair(StateInput::Kind::element_state, told.states)})
    for (std::size_t k = 0; k < list.size(); ++k) {
      known.push_back(list[k].name);
      if (list[k].name != number) continue;
      input.kind = kind;
      input.index = static_cast<std::uint32_t>(k);
      return true;
    }
  return refuse(fmt::format("the force {} has no number {}", owner->name, show(number)),
                known.empty() ? "It tells none of itself."
                              : did_you_mean(number, known) + fmt::format("It has: {}.", listing(known)));
}

void FormulaReader::resolve_channels() {
  for (const Channel& channel : channels_) find_channel(channel);
}

}  // namespace polyform::host::inline reading
