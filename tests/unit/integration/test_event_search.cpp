// The first sign change of functions of time within a step.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "framework/integration/event_search.hpp"

using polyform::host::EventSearch;
using polyform::host::Signals;
using polyform::host::SignChange;

namespace {

/// Functions with their derivatives.
class Given final : public Signals {
 public:
  using Function = std::function<double(double)>;
  void add(Function value, Function rate) {
    value_.push_back(std::move(value));
    rate_.push_back(std::move(rate));
  }
  std::size_t size() const noexcept override { return value_.size(); }
  void sample(double t, std::span<double> values, std::span<double> rates) override {
    ++samples;
    for (std::size_t k = 0; k < size(); ++k) values[k] = value_[k](t), rates[k] = rate_[k](t);
  }
  bool counts(std::size_t, bool rising) const noexcept override { return rising ? counts_rising : counts_falling; }
  std::size_t samples = 0;
  bool counts_rising = true, counts_falling = true;

 private:
  std::vector<Function> value_, rate_;
};

std::optional<SignChange> first(Given& given, double from, double to) {
  EventSearch search(given.size());
  search.begin(from, given);
  return search.find(to, 1e-13, given);
}

/// The distance from a plate of half the thickness, along a path and its velocity.
void add_plate(Given& given, double half, const std::function<double(double)>& x,
               const std::function<double(double)>& v) {
  given.add([=](double t) { return std::abs(x(t)) - half; }, [=](double t) { return x(t) >= 0 ? v(t) : -v(t); });
}

}  // namespace

TEST_CASE("a root is located to the resolution, on the side of the new sign") {
  Given given;
  given.add([](double t) { return std::cos(t); }, [](double t) { return -std::sin(t); });
  const auto found = first(given, 0, 2);
  REQUIRE(found);
  CHECK(std::abs(found->time - M_PI_2) < 1e-12);
  CHECK(std::cos(found->time) < 0);
}

TEST_CASE("what is passed in a millionth of the step is found: at constant speed, from rest, with a turn behind it") {
  for (const double where : {0.1, 0.37, 0.5, 0.71, 0.99}) {
    Given straight;
    add_plate(
        straight, 1e-7, [=](double t) { return where - t; }, [](double) { return -1.0; });
    const auto found = first(straight, 0, 1);
    REQUIRE(found);
    CHECK(found->time == Approx(where - 1e-7).epsilon(1e-10));
    Given falling;
    add_plate(
        falling, 1e-7, [=](double t) { return where * where - t * t; }, [](double t) { return -2 * t; });
    const auto hit = first(falling, 0, 1);
    REQUIRE(hit);
    CHECK(hit->time == Approx(where).epsilon(1e-5));
  }
}

TEST_CASE("touching is told from just missing") {
  for (const double miss : {-1e-7, 1e-7}) {
    Given given;
    given.add([=](double t) { return (t - 0.4) * (t - 0.4) + miss; }, [](double t) { return 2 * (t - 0.4); });
    CHECK(first(given, 0, 1).has_value() == (miss < 0));
  }
}

TEST_CASE("the first of several is found, and directions that do not count are passed over") {
  Given given;
  for (const double root : {0.8, 0.3, 0.55}) given.add([=](double t) { return t - root; }, [](double) { return 1.0; });
  CHECK(first(given, 0, 1)->function == 1);
  CHECK(first(given, 0.31, 1)->function == 2);
  given.counts_rising = false;
  CHECK(!first(given, 0, 1));
}

TEST_CASE("a function that stays far from zero costs one sample a step, one that rests at zero a bounded number") {
  Given far;
  far.add([](double t) { return 5 + 0.1 * t; }, [](double) { return 0.1; });
  CHECK(!first(far, 0, 1));
  CHECK(far.samples == 2);
  Given resting;
  resting.add([](double) { return 0.0; }, [](double) { return 0.0; });
  CHECK(!first(resting, 0, 1));
  CHECK(resting.samples < 50);
}
