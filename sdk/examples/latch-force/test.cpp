// The motion of model.yaml. A slide that comes with v is caught at the time T = 0.5 / v. Caught, it swings as
// v / ω sin ω (t − T) with ω = √(k/m) = 10 / s, as long as k |x| stays below the strength F: so the slow one stays, for
// v < F / √(k m) = 2. The fast ones leave at x = F / k with √(v² − F² / (k m)).
#include "polyform/helpers/testing.hpp"

int main(int count, char** arguments) {
  polyform::testing::Comparison test(count, arguments);
  constexpr double omega = 10, stretch = 0.2;
  const double caught_slow = 0.5, caught_fast = 0.5 / 3, held = std::asin(omega * stretch / 3) / omega;
  for (const auto& run : test.runs())
    for (std::size_t row = 0; row < run.rows(); ++row) {
      const double t = run.at(row, "time"), free = caught_fast + held;
      test.near(run, row, "rail.q", t < caught_slow ? t - caught_slow : std::sin(omega * (t - caught_slow)) / omega,
                1e-9);
      test.near(run, row, "catch.latch", t < caught_slow ? 0 : 1, 0);
      const double fast = t < caught_fast ? 3 * (t - caught_fast)
                          : t < free      ? 3 / omega * std::sin(omega * (t - caught_fast))
                                          : stretch + std::sqrt(5.0) * (t - free);
      for (const char* slide : {"second.q", "third.q"}) test.near(run, row, slide, fast, 1e-9);
      for (const char* latch : {"gate.latch", "door.latch"})
        test.near(run, row, latch, t < caught_fast || t > free ? 0 : 1, 0);
    }
  return test.result();
}
