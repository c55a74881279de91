// Numbers as messages show them.
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <utility>

namespace polyform::host::inline assembly {

/// A number of size 1 is shown as 0 below this: it is rounding, which means nothing.
inline constexpr double shown_as_nothing = 1e-12;
inline double shown(double x) { return std::abs(x) < shown_as_nothing ? 0 : x; }

/// Two lists of as many numbers as texts, "(0 10 0)" or "10": with six digits, or with as many more as it takes to show
/// the numbers that differ most as different ones.
std::pair<std::string, std::string> told_apart(std::span<const double>, std::span<const double>);
std::pair<std::string, std::string> told_apart(double, double);

}  // namespace polyform::host::assembly
