// The first sign change of functions of time within a step.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "framework/host/integration/event_search.hpp"

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
  double sample(double t, std::span<double> values, std::span<double> rates) override {
    ++samples;
    for (std::size_t k = 0; k < size(); ++k) values[k] = value_[k](t), rates[k] = rate_[k](t);
    return reach(t);
  }
  /// The longest time to the next sample.
  std::function<double(double)> reach = [](double) { return std::numeric_limits<double>::infinity(); };
  bool counts(std::size_t, bool rising) const noexcept override { return rising ? counts_rising : counts_falling; }
  std::size_t halvings(std::size_t) const noexcept override { return most_halvings; }
  std::size_t most_halvings = static_cast<std::size_t>(-1);
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

/// Adds the distance from a plate of half the thickness, along a path and its velocity.
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

TEST_CASE("a dip once a turn is found in steps of whole turns, where both ends and the middle look alike") {
  // 1e-6 of the radius below zero, at half a turn: cos(t) = -1/(1 + 1e-6) there, half a width of 1.41e-3 rad.
  constexpr double depth = 1e-6;
  const double root = std::acos(-1 / (1 + depth));
  for (const int turns : {1, 2, 7, 16, 32}) {
    Given given;
    given.add([](double t) { return 1 + (1 + depth) * std::cos(t); },
              [](double t) { return -(1 + depth) * std::sin(t); });
    given.reach = [](double) { return M_PI / 4; };
    const auto found = first(given, 0, 2 * M_PI * turns);
    INFO(turns);
    REQUIRE(found);
    CHECK(found->time == Approx(root).epsilon(1e-9));
    CHECK(given.samples < 100);
  }
}

TEST_CASE("samples follow a motion that becomes faster within a step") {
  // cos(t²/2) turns at the rate t: the dip of 1e-4 is first met at t²/2 = acos(-1/1.0001).
  Given given;
  given.add([](double t) { return 1 + 1.0001 * std::cos(t * t / 2); },
            [](double t) { return -1.0001 * t * std::sin(t * t / 2); });
  given.reach = [](double t) { return t > 0 ? M_PI / 4 / t : std::numeric_limits<double>::infinity(); };
  const auto found = first(given, 0, std::sqrt(2 * 2 * M_PI * 20));
  REQUIRE(found);
  CHECK(found->time == Approx(std::sqrt(2 * std::acos(-1 / 1.0001))).epsilon(1e-9));
}

TEST_CASE("before the first of several events in one instant, none of them has happened") {
  constexpr double apart[] = {-4e-14, -1e-14, -1e-15, 0, 1e-15, 1e-14, 4e-14};
  for (const double other : apart)
    for (const double slope : {0.1, 1.0, 30.0}) {
      INFO(other << " " << slope);
      Given given;
      given.add([](double t) { return t * t - 0.25; }, [](double t) { return 2 * t; });
      const auto later = [=](double t) { return slope * (std::sin(t) - std::sin(0.5 + other)); };
      given.add(later, [=](double t) { return slope * std::cos(t); });
      const auto found = first(given, 0, 1);
      REQUIRE(found);
      CHECK(found->time - found->before < 2.5e-13);
      CHECK(found->before * found->before - 0.25 < 0);
      CHECK(later(found->before) < 0);
    }
}

// From crest to crest of a sine, values and rates are the same at both ends, as for a constant.
TEST_CASE("a function that was seen to go up and down is sampled often enough to do so again") {
  Given given;
  given.add([](double t) { return std::sin(t); }, [](double t) { return std::cos(t); });
  EventSearch search(given.size());
  search.begin(0, given);
  CHECK_FALSE(search.find(0.1, 1e-13, given));
  CHECK_FALSE(search.find(M_PI_2 - 0.01, 1e-13, given));
  const auto found = search.find(2.5 * M_PI, 1e-13, given);
  REQUIRE(found);
  CHECK(std::abs(found->time - M_PI) < 1e-12);
  CHECK(given.samples < 150);
}

TEST_CASE("an edge before the zero of another function is found before that zero, however near it is") {
  for (const double half : {1e-5, 1e-9})
    for (const double where : {0.1, 0.37, 0.5, 0.71}) {
      INFO(half << " " << where);
      const auto path = [=](double t) { return where - t; };
      const auto speed = [](double) { return -1.0; };
      Given given;
      given.add(path, speed);
      add_plate(given, half, path, speed);
      const auto found = first(given, 0, 1);
      REQUIRE(found);
      CHECK(found->function == 1);
      CHECK(found->time == Approx(where - half).margin(1e-12));
    }
}

// Which of two places is the nearer one may change from sample to sample where both are equally near.
TEST_CASE("a function that jumps by rounding takes a bounded number of samples, and its zero is found") {
  constexpr double zero = 0.7;
  Given given;
  given.most_halvings = 6;
  const auto flickers = [](double t) { return std::fmod(std::floor(t * 1e9) * 0.618033988749895, 1.0) < 0.5; };
  given.add([=](double t) { return t >= zero ? -1.0 : flickers(t) ? 1e-10 : 1.0; }, [](double) { return 0.0; });
  EventSearch search(given.size());
  search.begin(0, given);
  CHECK_FALSE(search.find(0.5, 1e-13, given));
  CHECK(given.samples < 100);
  const auto found = search.find(1, 1e-13, given);
  REQUIRE(found);
  CHECK(std::abs(found->time - zero) < 1e-12);
  CHECK(given.samples < 200);
}

// The rounding of a gap that is zero changes fast, and would have each step divided into many parts.
TEST_CASE("what has always been small beside others of its kind sets no pace of samples where that is asked for") {
  Given given;
  given.counts_rising = false;
  given.add([](double) { return 1.0; }, [](double) { return 0.0; });
  given.add([](double t) { return 1e-12 * (2 + std::sin(1e6 * t)); },
            [](double t) { return 1e-6 * std::cos(1e6 * t); });
  EventSearch by_kind(given.size(), {0, 0}, 1e-4), by_itself(given.size(), {0, 0}, 0);
  by_kind.begin(0, given);
  given.samples = 0;
  CHECK_FALSE(by_kind.find(1e-4, 1e-15, given));
  const std::size_t few = given.samples;
  by_itself.begin(0, given);
  given.samples = 0;
  CHECK_FALSE(by_itself.find(1e-4, 1e-15, given));
  INFO(few << " " << given.samples);
  CHECK(few < given.samples / 2);
}
