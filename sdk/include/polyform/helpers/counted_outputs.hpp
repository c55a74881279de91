// Outputs of which an instance has as many as a list in its fields is long.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "polyform/contract/type_descriptor.hpp"

namespace polyform {

/// The variables `<name>[0]`, `<name>[1]`, … or `<name>` alone where there is one, and others behind them. Outputs of a
/// descriptor may point to them as long as the object lives.
class CountedOutputs {
 public:
  CountedOutputs(const Variable& counted, std::size_t count, Strided<const Variable> others) {
    for (std::size_t k = 0; k < count; ++k) {
      Variable& one = all_.emplace_back(counted);
      if (count == 1) continue;
      one.name = names_.emplace_back(std::string(counted.name) + "[" + std::to_string(k) + "]");
    }
    for (const Variable& other : others) all_.push_back(other);
  }
  CountedOutputs(const CountedOutputs&) = delete;
  CountedOutputs& operator=(const CountedOutputs&) = delete;

  Strided<const Variable> all() const noexcept { return {all_.data(), all_.size()}; }

 private:
  std::deque<std::string> names_;
  std::vector<Variable> all_;
};

/// Types that differ in such a count, made when they are asked for first; they live until the program ends. A type
/// gives them as its variants (type_variants.hpp). Type is made from the count.
template <class Type>
class TypesByCount {
 public:
  const Type& of(std::size_t count) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<const Type>& type = types_[count];
    if (!type) type = std::make_unique<const Type>(count);
    return *type;
  }

 private:
  std::mutex mutex_;
  std::map<std::size_t, std::unique_ptr<const Type>> types_;
};

}  // namespace polyform
