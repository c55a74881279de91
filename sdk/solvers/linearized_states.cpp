#include "polyform/solvers/newton/linearized_states.hpp"

namespace polyform {

std::size_t LinearizedStates::add(std::size_t instance, std::size_t first, std::size_t count) {
  const ForceDerivatives::Instance& i = derivatives_.instances()[instance];
  elements_.push_back({.instance = instance,
                       .count = count,
                       .first = first,
                       .states = i.states,
                       .state = states_,
                       .state_offset = i.state_offset,
                       .first_block = blocks_.size(),
                       .end_block = blocks_.size(),
                       .rates = numbers_,
                       .inverse = inverses_,
                       .loads = loads_});
  states_ += i.states;
  numbers_ += i.states * count;
  inverses_ += i.states * i.states;
  loads_ += count * count;
  return elements_.size() - 1;
}

void LinearizedStates::finish() {
  A_.resize(numbers_);
  B_.resize(numbers_);
  C_.resize(numbers_);
  order_.resize(states_);
  label_.resize(states_);
  groups_.resize(states_);
  group_counts_.resize(elements_.size());
}

double LinearizedStates::Z(const Element& e, std::size_t row, std::size_t column) const noexcept {
  const ForceDerivatives::Instance& i = derivatives_.instances()[e.instance];
  return derivatives_.matrix(i)[(i.outputs() - i.states + row) * i.inputs() + i.inputs() - i.states + column];
}

void LinearizedStates::group(const Element& e) noexcept {
  const std::size_t n = e.states;
  const JoinedLabels labels{std::span<std::size_t>(label_).subspan(e.state, n)};
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c)
      if (r != c && Z(e, r, c) != 0) labels.join(r, c);
  std::size_t count = 0, placed = 0;
  for (std::size_t first = 0; first < n; ++first) {
    if (labels.of(first) != first) continue;
    Group& g = groups_[e.state + count++];
    g.first = placed;
    for (std::size_t k = first; k < n; ++k)
      if (labels.of(k) == first) order_[e.state + placed++] = k;
    g.end = placed;
  }
  group_counts_[static_cast<std::size_t>(&e - elements_.data())] = count;
}

}  // namespace polyform
