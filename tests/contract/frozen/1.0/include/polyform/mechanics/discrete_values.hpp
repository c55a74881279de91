// The discrete state of a solver: the values of the elements of a system, then values of the solver's own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "polyform/contract/discrete_state.hpp"
#include "polyform/contract/formulation.hpp"

namespace polyform {

/// Whether all values, instance after instance, are among those that a type's variables name.
bool are_named(Strided<const DiscreteVariable> variables, std::span<const std::int32_t> values) noexcept;

/// Writes the values at the start to `values` (SystemView::discrete of them), and says whether all batches of types
/// with discrete states tell these, within their ranges. `stranger`: otherwise, the name of the first type that does
/// not.
bool initial_discrete(const SystemView&, std::span<std::int32_t> values, std::string_view& stranger);

/// The batch's values at the start; zeros if the batch does not tell them.
template <class Batch>
void initial_discrete(Batch& batch, std::span<std::int32_t> values) noexcept {
  std::ranges::fill(values, 0);
  if (auto* element = values.empty() ? nullptr : ask<DiscreteElement>(batch)) element->initial_values(values);
}

/// One set of values with what they mean. A solver adds its own once, at construction, and hands the elements' to the
/// sets that evaluate them (ForceSet::follow and so on).
class DiscreteValues final : public DiscreteState {
 public:
  /// The elements' values are those of the start. The view outlives the object.
  explicit DiscreteValues(const SystemView&);
  DiscreteValues(const DiscreteValues&) = delete;
  DiscreteValues& operator=(const DiscreteValues&) = delete;

  /// A value of the solver's own, which is zero at first. owner, name: see DiscreteDescription; they live as long as
  /// the object. Returns its place.
  std::size_t add(std::string_view owner, std::string_view name, std::int32_t least, std::int32_t greatest);
  std::int32_t operator[](std::size_t i) const { return values_[i]; }
  /// Writes a value of the solver's own.
  void put(std::size_t i, std::int32_t value) noexcept { values_[i] = value; }
  /// Valid until the next add().
  std::span<const std::int32_t> of_elements() const { return std::span(values_).first(initial_.size()); }

  /// Takes the elements' values from a canonical state; if the state has none, those of the start.
  void encode(const ConstStateView& state) noexcept {
    const std::span<const std::int32_t> start(initial_);
    std::ranges::copy(state.discrete.empty() ? start : state.discrete, values_.begin());
  }
  /// Writes the elements' values to a canonical state, if that has room for them.
  void decode(const StateView& state) const noexcept {
    if (!state.discrete.empty()) std::ranges::copy(of_elements(), state.discrete.begin());
  }

  std::span<const std::int32_t> values() const noexcept override { return values_; }
  Status set(std::span<const std::int32_t> values) noexcept override;
  void describe(std::size_t i, DiscreteDescription& out) const noexcept override;

 private:
  struct Meaning {
    std::string_view owner, name;
    std::int32_t least, greatest;
    std::span<const std::string_view> words;
  };
  template <class Group>
  void add_elements(const Group&);

  std::vector<std::int32_t> initial_;  ///< of the elements
  std::vector<std::int32_t> values_;
  std::vector<Meaning> meanings_;
};

/// Keeps the values, and puts them back when the object goes out of scope: for calls that try something out.
class KeptDiscrete {
 public:
  /// room: as many numbers as there are values.
  KeptDiscrete(DiscreteState& state, std::span<std::int32_t> room) noexcept : state_(state), kept_(room) {
    std::ranges::copy(state.values(), kept_.begin());
  }
  ~KeptDiscrete() { state_.set(kept_); }
  KeptDiscrete(const KeptDiscrete&) = delete;
  KeptDiscrete& operator=(const KeptDiscrete&) = delete;

 private:
  DiscreteState& state_;
  std::span<std::int32_t> kept_;
};

}  // namespace polyform
