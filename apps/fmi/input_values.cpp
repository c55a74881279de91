#include "apps/fmi/input_values.hpp"

#include <algorithm>
#include <utility>

namespace polyform::fmi {

using Role = Variable::Role;

namespace {

void put(const TimeFunction::Value& now, double* out) {
  out[0] = now.value;
  out[1] = now.rate;
  out[2] = now.acceleration;
}

}  // namespace

std::size_t InputValues::place(const Variable& v) {
  return 3 * v.index + (static_cast<std::size_t>(v.role) - static_cast<std::size_t>(Role::input));
}

bool InputValues::waits(std::size_t input) const { return std::ranges::find(waiting_, input) != waiting_.end(); }

void InputValues::reset(const FmuModel& shown) {
  numbers_.clear();
  waiting_.clear();
  for (const LiveInput& input : shown.inputs()) numbers_.insert(numbers_.end(), {input.function->start(), 0, 0});
  is_set_.assign(shown.inputs().size(), false);
}

void InputValues::start_with(const FmuModel& own) {
  for (std::size_t k = 0; k < is_set_.size(); ++k)
    if (!is_set_[k]) numbers_[3 * k] = own.inputs()[k].function->start();
}

double InputValues::get(const Variable& v, const std::vector<LiveInput>* own, double time) const {
  if (own == nullptr || waits(v.index)) return numbers_[place(v)];
  double now[3];
  put((*own)[v.index].function->given(time), now);
  return now[place(v) % 3];
}

bool InputValues::set(const Variable& v, double value, const std::vector<LiveInput>* own, double time) {
  if (v.role == Role::input) is_set_[v.index] = true;
  if (get(v, own, time) == value) return false;
  if (own != nullptr && !waits(v.index)) put((*own)[v.index].function->given(time), &numbers_[3 * v.index]);
  numbers_[place(v)] = value;
  if (!waits(v.index)) waiting_.push_back(v.index);
  return true;
}

void InputValues::pass(const std::vector<LiveInput>& own, double time) {
  for (const std::size_t k : waiting_)
    own[k].function->set(time, numbers_[3 * k], numbers_[3 * k + 1], numbers_[3 * k + 2]);
  waiting_.clear();
}

void InputValues::pass_all(const std::vector<LiveInput>& own, double time) {
  waiting_.clear();
  for (std::size_t k = 0; k < own.size(); ++k) waiting_.push_back(k);
  pass(own, time);
}

std::vector<double> InputValues::at(const std::vector<LiveInput>& own, double time) const {
  std::vector<double> numbers(numbers_);
  for (std::size_t k = 0; k < own.size(); ++k)
    if (!waits(k)) put(own[k].function->given(time), &numbers[3 * k]);
  return numbers;
}

void InputValues::take(std::vector<double> numbers) {
  numbers_ = std::move(numbers);
  is_set_.assign(is_set_.size(), true);
  waiting_.clear();
}

}  // namespace polyform::fmi
