// Samplers of different intervals, compared with what they hold by hand.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/command/slide_model.hpp"

using namespace polyform::test;

TEST_CASE("a sampler of a sampler takes what was held before, in whatever order they stand") {
  const Workshop shop;
  const std::string fast = "  - {name: fast, type: sampler, input: \"t\", interval: 0.1}\n",
                    slow = "  - {name: slow, type: sampler, input: \"signal(fast)\", interval: 0.5}\n",
                    other = "  - {name: other, type: sampler, input: \"signal(slow)\", interval: 0.25}\n";
  for (const std::string& order : {fast + slow + other, slow + fast + other, other + slow + fast}) {
    const Table t = run(shop, shop.write("m.yaml", slide("signals:\n" + order)));
    for (std::size_t r = 0; r < t.rows.size(); ++r) {
      const double k = std::floor(t.at(r, "time") / 0.5 * (1 + 1e-12) - 1e-9);  // a row shows the state before its sample
      CAPTURE(order, t.at(r, "time"));
      CHECK(t.at(r, "signal.slow") == Approx(k > 0 ? 0.5 * k - 0.1 : 0).margin(1e-12));
    }
    CHECK(t.at(12, "signal.other") == Approx(0.4).margin(1e-12));  // at 1.2 s: held at 1 s, before the slow one changed
    CHECK(t.at(13, "signal.other") == Approx(0.9).margin(1e-12));
  }
}
