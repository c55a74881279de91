// Sums and choices in lanes, by the build for the instruction set of this processor.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "plugins/integrators/runge_kutta/lane_arithmetic.hpp"

using namespace polyform::runge_kutta;

TEST_CASE("lanes that are marked are copied, and no others") {
  constexpr std::size_t numbers = 5;
  const std::size_t lanes = GENERATE(1, 2, 3, 4, 8);
  for (unsigned marked = 0; marked < 1u << lanes; ++marked) {
    std::vector<double> marks(lanes), from(numbers * lanes), to(numbers * lanes);
    for (std::size_t k = 0; k < lanes; ++k) marks[k] = (marked >> k & 1) != 0 ? 1 : 0;
    for (std::size_t j = 0; j < from.size(); ++j) {
      from[j] = static_cast<double>(j) + 1;
      to[j] = -from[j];
    }
    copy_lanes(numbers, lanes, marks.data(), from.data(), to.data());
    INFO(lanes << " lanes, marks " << marked);
    for (std::size_t j = 0; j < from.size(); ++j) CHECK(to[j] == (marks[j % lanes] > 0 ? from[j] : -from[j]));
  }
}

TEST_CASE("errors in lanes are those of each lane alone") {
  const std::size_t lanes = GENERATE(3, 8);
  const std::size_t numbers = 4;
  std::vector<double> absolute(lanes, 0.5), relative(lanes), start(numbers * lanes), end(start), error(start),
      largest(lanes);
  for (std::size_t k = 0; k < lanes; ++k) relative[k] = 0.125 * static_cast<double>(k);
  for (std::size_t j = 0; j < start.size(); ++j) {
    start[j] = static_cast<double>(j % 7) - 3;
    end[j] = static_cast<double>(j % 5) - 2;
    error[j] = static_cast<double>(j % 11) - 5;
  }
  find_errors(numbers, lanes, {absolute.data(), relative.data()}, start.data(), end.data(), error.data(),
              largest.data());
  for (std::size_t k = 0; k < lanes; ++k) {
    double wanted = 0;
    for (std::size_t j = k; j < start.size(); j += lanes)
      wanted = std::max(wanted, std::abs(error[j]) /
                                    (absolute[k] + relative[k] * std::max(std::abs(start[j]), std::abs(end[j]))));
    CHECK(largest[k] == Approx(wanted).epsilon(1e-15));
  }
}
