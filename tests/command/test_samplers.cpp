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
      const double k =
          std::floor(t.at(r, "time") / 0.5 * (1 + 1e-12) - 1e-9);  // a row shows the state before its sample
      CAPTURE(order, t.at(r, "time"));
      CHECK(t.at(r, "signal.slow") == Approx(k > 0 ? 0.5 * k - 0.1 : 0).margin(1e-12));
    }
    CHECK(t.at(12, "signal.other") == Approx(0.4).margin(1e-12));  // at 1.2 s: held at 1 s, before the slow one changed
    CHECK(t.at(13, "signal.other") == Approx(0.9).margin(1e-12));
  }
}

TEST_CASE("rows at the instants of a sampler show the state before, with every integrator, and runs go on from them") {
  const Workshop shop;
  const std::string counter = "signals:\n  - {name: count, type: sampler, input: \"signal(count)+1\", interval: 0.1}\n";
  const std::string model = shop.write("count.yaml", slide(counter));
  for (const char* integrator : {"rk4", "dopri5", "radau5", "cvode-adams"}) {
    INFO(integrator);
    const std::vector<std::string> with{"--integrator", integrator, "--step", "0.001"};
    std::vector<std::string> write{"run", model, "--output", shop.path("rows.csv"), "--quiet"};
    write.insert(write.end(), with.begin(), with.end());
    REQUIRE(shop.run(write).code == 0);
    const Table t = read_table(shop.read("rows.csv"));
    // The sample at the time zero comes before the first row.
    for (std::size_t r = 1; r < t.rows.size(); ++r) CHECK(t.at(r, "signal.count") == static_cast<double>(r));
    for (const char* from : {"0.2", "0.5", "1.1"}) {
      std::vector<std::string> go_on{"--state", shop.path("rows.csv"), "--at-time", from};
      go_on.insert(go_on.end(), with.begin(), with.end());
      const Table rest = run(shop, model, go_on);
      INFO(from);
      const auto row = static_cast<std::size_t>(std::lround(10 * std::stod(from)));
      CHECK(rest.at(1, "signal.count") == t.at(row + 1, "signal.count"));
    }
  }
}
