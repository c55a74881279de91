// How far a step may go along a table: to narrow bumps, over straight and smooth stretches, over periods.
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "polyform/helpers/row_reach.hpp"

using polyform::RowReach;

TEST_CASE("a straight stretch of a table bounds no step, a narrow bump is a row long") {
  std::vector<double> x, y;
  for (int k = 0; k <= 100; ++k) {
    x.push_back(0.1 * k);
    y.push_back(k == 50 ? 0.02 : 0.0);
  }
  const RowReach reach(x, y);
  // Before the bump, which begins at 4.9: a step ends within the rise at the latest.
  CHECK(reach.way(0, true) == Approx(4.95));
  CHECK(reach.way(4.85, true) == Approx(0.1));
  CHECK(reach.way(4.95, true) == Approx(0.1));
  CHECK(reach.way(5.05, true) <= 0.1 + 1e-12);
  // Behind it nothing comes; backwards the same in the mirror.
  CHECK(std::isinf(reach.way(5.3, true)));
  CHECK(reach.way(10, false) == Approx(4.95));
  CHECK(std::isinf(reach.way(4.7, false)));
  CHECK(reach.time(0, 2) == Approx(4.95 / 2));
  CHECK(reach.time(10, -2) == Approx(4.95 / 2));
  CHECK(std::isinf(reach.time(0, 0)));
}

TEST_CASE("a constant, a straight and an empty table bound nothing, and one over a period meets its bump again") {
  const std::vector<double> x{0, 1, 2, 3};
  CHECK(std::isinf(RowReach(x, std::vector<double>{4, 4, 4, 4}).way(0.5, true)));
  CHECK(std::isinf(RowReach().way(0, true)));
  const RowReach ramp(x, std::vector<double>{0, 1, 2, 3});
  CHECK(ramp.way(0.5, true) >= 2.5);  // the table is held behind its end
  CHECK(std::isfinite(ramp.way(0.5, true)));
  CHECK(std::isinf(ramp.way(5, true)));
  std::vector<double> turn, force;
  for (int k = 0; k <= 72; ++k) {
    turn.push_back(5.0 * k);
    force.push_back(k == 36 ? 1.0 : 0.0);
  }
  const RowReach gas(turn, force, true);
  CHECK(gas.way(10, true) == Approx(167.5));
  CHECK(gas.way(3610, true) == Approx(167.5));
  CHECK(gas.way(200, true) == Approx(337.5));
  CHECK(gas.way(-350, true) == Approx(167.5));
}

TEST_CASE("a dense smooth table bounds steps by its shape, not by its rows") {
  std::vector<double> x, y;
  for (int k = 0; k <= 1000; ++k) {
    x.push_back(0.01 * k);
    y.push_back(std::sin(0.01 * k));
  }
  const RowReach reach(x, y);
  CHECK(reach.way(3, true) > 0.2);
  y[400] += 0.5;
  const RowReach with_spike(x, y);
  CHECK(with_spike.way(3, true) <= 1.0);
  CHECK(with_spike.way(3.985, true) <= 0.02);
}
