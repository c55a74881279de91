// Sums and choices in lanes, in the builds for all instruction sets that this processor can run.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "plugins/integrators/runge_kutta/lane_arithmetic.hpp"

using namespace polyform::runge_kutta;

namespace {

/// One of the builds.
const LaneArithmetic& some_set() {
  const std::span<const LaneArithmetic> all = usable_lane_arithmetic();
  const auto chosen = GENERATE_COPY(range(std::size_t{0}, all.size()));
  return all[chosen];
}

/// Step lengths of lanes, and states and rates of all their numbers.
struct SomeSteps {
  std::vector<double> h, y;
  std::vector<std::vector<double>> rates;  ///< of each term
};
SomeSteps some_steps(std::size_t numbers, std::size_t lanes, std::size_t terms) {
  SomeSteps all{std::vector<double>(lanes), std::vector<double>(numbers * lanes), {}};
  all.rates.assign(terms, all.y);
  for (std::size_t k = 0; k < lanes; ++k) all.h[k] = 0.25 * static_cast<double>(k + 1);
  for (std::size_t j = 0; j < all.y.size(); ++j) {
    all.y[j] = static_cast<double>(j) - 7;
    for (std::size_t term = 0; term < terms; ++term)
      all.rates[term][j] = static_cast<double>(j % (term + 2)) - static_cast<double>(term % 3);
  }
  return all;
}

}  // namespace

TEST_CASE("lanes that are marked are copied, and no others") {
  constexpr std::size_t numbers = 5;
  const LaneArithmetic& set = some_set();
  const std::size_t lanes = GENERATE(1u, 2u, 3u, 4u, 8u);
  for (unsigned marked = 0; marked < 1u << lanes; ++marked) {
    std::vector<double> marks(lanes), from(numbers * lanes), to(numbers * lanes);
    for (std::size_t k = 0; k < lanes; ++k) marks[k] = (marked >> k & 1) != 0 ? 1 : 0;
    for (std::size_t j = 0; j < from.size(); ++j) {
      from[j] = static_cast<double>(j) + 1;
      to[j] = -from[j];
    }
    set.copy_lanes(numbers, lanes, marks.data(), from.data(), to.data());
    INFO(set.instruction_set << ", " << lanes << " lanes, marks " << marked);
    for (std::size_t j = 0; j < from.size(); ++j) CHECK(to[j] == (marks[j % lanes] > 0 ? from[j] : -from[j]));
  }
}

TEST_CASE("errors in lanes are those of each lane alone") {
  const LaneArithmetic& set = some_set();
  const std::size_t lanes = GENERATE(3u, 8u);
  const std::size_t numbers = 4;
  INFO(set.instruction_set);
  std::vector<double> absolute(lanes, 0.5), relative(lanes), start(numbers * lanes), end(start), error(start),
      largest(lanes);
  for (std::size_t k = 0; k < lanes; ++k) relative[k] = 0.125 * static_cast<double>(k);
  for (std::size_t j = 0; j < start.size(); ++j) {
    start[j] = static_cast<double>(j % 7) - 3;
    end[j] = static_cast<double>(j % 5) - 2;
    error[j] = static_cast<double>(j % 11) - 5;
  }
  const std::vector<double> h(lanes, 0.5);
  std::vector<double> sum(error), rates(error);  // h (sum + 0.25 rates) is the error
  for (std::size_t j = 0; j < sum.size(); ++j) {
    rates[j] = static_cast<double>(j % 3);
    sum[j] = 2 * error[j] - 0.25 * rates[j];
  }
  set.find_errors(numbers, lanes, {absolute.data(), relative.data()}, start.data(), end.data(),
                  {h.data(), sum.data(), 0.25, rates.data()}, largest.data());
  for (std::size_t k = 0; k < lanes; ++k) {
    double wanted = 0;
    for (std::size_t j = k; j < start.size(); j += lanes)
      wanted = std::max(
          wanted, std::abs(error[j]) / (absolute[k] + relative[k] * std::max(std::abs(start[j]), std::abs(end[j]))));
    CHECK(largest[k] == Approx(wanted).epsilon(1e-15));
  }
}

TEST_CASE("sums of stages in lanes are those of each lane alone") {
  const LaneArithmetic& set = some_set();
  const std::size_t lanes = GENERATE(1u, 3u, 4u, 8u), numbers = 5;
  const bool from_zero = GENERATE(false, true);
  INFO(set.instruction_set << ", " << lanes << " lanes");
  const std::size_t count = GENERATE(1u, 2u, 3u, 4u, 5u, 6u, 7u);
  const auto [h, y, rates] = some_steps(numbers, lanes, count);
  std::vector<double> out(y);
  std::vector<StageTerm> terms;
  for (std::size_t term = 0; term < count; ++term)
    terms.push_back({0.5 * static_cast<double>(term) - 1.25, rates[term].data()});
  set.add_terms(numbers, lanes, h.data(), from_zero ? nullptr : y.data(), terms, out.data());
  // All of these numbers are sums of few powers of two: nothing is rounded.
  for (std::size_t j = 0; j < y.size(); ++j) {
    double sum = 0;
    for (const StageTerm& term : terms) sum += term.factor * term.rates[j];
    CHECK(out[j] == (from_zero ? 0 : y[j]) + h[j % lanes] * sum);
  }
}

TEST_CASE("the state and the error at the end of a step are the sums of each alone") {
  const LaneArithmetic& set = some_set();
  const std::size_t lanes = GENERATE(1u, 3u, 4u, 8u), numbers = 5, count = GENERATE(2u, 5u);
  INFO(set.instruction_set << ", " << lanes << " lanes, " << count << " terms");
  const auto [h, y, rates] = some_steps(numbers, lanes, count);
  std::vector<double> out(y), error(y);
  std::vector<EndTerm> terms;
  for (std::size_t term = 0; term < count; ++term)
    terms.push_back({0.5 * static_cast<double>(term) - 1.25, 0.75 - static_cast<double>(term), rates[term].data()});
  set.add_ends(numbers, lanes, h.data(), y.data(), terms, out.data(), error.data());
  // Nothing is rounded, as above.
  for (std::size_t j = 0; j < y.size(); ++j) {
    double sum = 0, rest = 0;
    for (const EndTerm& term : terms) {
      sum += term.factor * term.rates[j];
      rest += term.in_error * term.rates[j];
    }
    CHECK(out[j] == y[j] + h[j % lanes] * sum);
    CHECK(error[j] == rest);
  }
}

TEST_CASE("rates of quaternions are carried across a correction of their lengths, in the lanes that are marked") {
  const LaneArithmetic& set = some_set();
  const std::size_t lanes = GENERATE(1u, 3u, 8u);
  INFO(set.instruction_set << ", " << lanes << " lanes");
  // The quaternion of lane k is made 1 / (k + 2) as long, but for the last lane's, which has no length.
  constexpr std::size_t place = 1;
  std::vector<double> before(6 * lanes, 7.0), after(before), rates(before), marks(lanes), trouble(lanes);
  for (std::size_t k = 0; k < lanes; ++k) {
    marks[k] = k % 2 == 0 ? 1 : 0;
    for (std::size_t i = place; i < place + 4; ++i) {
      before[i * lanes + k] = k + 1 == lanes ? 0.0 : static_cast<double>(i);
      after[i * lanes + k] = before[i * lanes + k] / static_cast<double>(k + 2);
      rates[i * lanes + k] = 3.0;
    }
  }
  const std::vector<std::size_t> places{place};
  set.carry_rates(lanes, marks.data(), {places, before.data(), after.data()}, rates.data(), trouble.data());
  for (std::size_t k = 0; k < lanes; ++k) {
    INFO("lane " << k);
    const bool marked = marks[k] > 0, lost = marked && k + 1 == lanes;
    CHECK(std::isnan(trouble[k]) == lost);
    for (std::size_t i = place; i < place + 4 && !lost; ++i)
      CHECK(rates[i * lanes + k] == Approx(marked ? 3.0 / static_cast<double>(k + 2) : 3.0).epsilon(1e-15));
    CHECK(rates[k] == 7.0);
    CHECK(rates[5 * lanes + k] == 7.0);
  }
}

TEST_CASE("quaternions are brought to the length 1 in all lanes, and what was missing is told") {
  const LaneArithmetic& set = some_set();
  const std::size_t lanes = GENERATE(3u, 8u);
  INFO(set.instruction_set << ", " << lanes << " lanes");
  const std::vector<std::size_t> places{1, 6};
  std::vector<double> y(11 * lanes, 7.0), residuals(lanes, 5.0);
  const double of_length_five[] = {1, 2, 2, 4};
  for (std::size_t k = 0; k < lanes; ++k)
    for (std::size_t i = 0; i < 4; ++i) {
      y[(1 + i) * lanes + k] = of_length_five[i] / static_cast<double>(k + 1);
      y[(6 + i) * lanes + k] = k + 1 == lanes ? 0 : of_length_five[i] / 5;  // the last one has no length
    }
  set.normalize(lanes, places, y.data(), residuals.data());
  for (std::size_t k = 0; k < lanes; ++k) {
    INFO("lane " << k);
    CHECK(std::isnan(residuals[k]) == (k + 1 == lanes));
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(y[(1 + i) * lanes + k] == Approx(of_length_five[i] / 5).epsilon(1e-15));
      if (k + 1 < lanes) CHECK(y[(6 + i) * lanes + k] == Approx(of_length_five[i] / 5).epsilon(1e-15));
    }
    if (k + 1 < lanes) CHECK(residuals[k] == Approx(std::abs(5.0 / static_cast<double>(k + 1) - 1)).margin(1e-15));
    for (const std::size_t other : {0u, 5u, 10u}) CHECK(y[other * lanes + k] == 7.0);
  }
}

TEST_CASE("an error that is no number stays the largest of its lane") {
  const LaneArithmetic& set = some_set();
  constexpr std::size_t lanes = 8, numbers = 3;
  INFO(set.instruction_set);
  std::vector<double> tolerance(lanes, 1.0), state(numbers * lanes, 1.0), error(state), largest(lanes);
  error[5] = NAN;  // of lane 5
  std::vector<double> end = state;
  end[lanes + 2] = INFINITY;  // of lane 2
  const std::vector<double> rates(error.size(), 0.0);
  set.find_errors(numbers, lanes, {tolerance.data(), tolerance.data()}, state.data(), end.data(),
                  {tolerance.data(), error.data(), 1, rates.data()}, largest.data());
  for (std::size_t k = 0; k < lanes; ++k) {
    INFO("lane " << k);
    CHECK(std::isnan(largest[k]) == (k == 5 || k == 2));
    if (k != 5 && k != 2) CHECK(largest[k] == 0.5);
  }
}
