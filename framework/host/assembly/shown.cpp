#include "framework/host/assembly/shown.hpp"

#include <fmt/format.h>

namespace polyform::host::inline assembly {
namespace {

constexpr int usual_digits = 6, all_digits = 17;

std::string text_of(double x, int digits) { return fmt::format("{:.{}g}", digits < all_digits ? shown(x) : x, digits); }

std::string text_of(std::span<const double> values, int digits) {
  std::string out;
  for (const double x : values) out += (out.empty() ? "" : " ") + text_of(x, digits);
  return values.size() == 1 ? out : '(' + out + ')';
}

}  // namespace

std::pair<std::string, std::string> told_apart(std::span<const double> one, std::span<const double> other) {
  std::size_t most = 0;
  for (std::size_t k = 0; k < one.size(); ++k)
    if (std::abs(one[k] - other[k]) > std::abs(one[most] - other[most])) most = k;
  int digits = usual_digits;
  while (digits < all_digits && text_of(one[most], digits) == text_of(other[most], digits)) ++digits;
  if (one[most] == other[most]) digits = usual_digits;
  return {text_of(one, digits), text_of(other, digits)};
}

std::pair<std::string, std::string> told_apart(double one, double other) {
  return told_apart(std::span(&one, 1), std::span(&other, 1));
}

}  // namespace polyform::host::assembly
