#include "framework/host/evaluation/kernels_of.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "framework/printable.hpp"
#include "polyform/contract/kernels.hpp"

namespace polyform::host::inline evaluation {

namespace {

constexpr std::string_view between = "; ";
/// More kernels than this are not read: so many are an error of the plugin.
constexpr std::size_t most = 64;

}  // namespace

std::vector<std::string> kernels_of(Solver& solver) {
  std::vector<std::string> names;
  const auto* told = ask<Kernels>(solver);
  const std::size_t count = told == nullptr ? 0 : std::min(told->count(), most);
  for (std::size_t i = 0; i < count; ++i) {
    std::string name = printable(told->name(i));
    std::ranges::replace(name, ';', ',');
    if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

std::string joined_kernels(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, between));
}

std::vector<std::string> split_kernels(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(between), text.size());
    if (end > 0) names.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + between.size(), text.size()));
  }
  return names;
}

}  // namespace polyform::host::evaluation
