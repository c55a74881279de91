// Studies with a library in the place of a device's driver (stand_in/driver.cpp).
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/command/command_runner.hpp"
#include "tests/compiled/compiled_check.hpp"

namespace polyform::test {

/// A value of the environment until the end of its scope.
class DeviceSetting {
 public:
  DeviceSetting(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~DeviceSetting() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  DeviceSetting(const DeviceSetting&) = delete;
  DeviceSetting& operator=(const DeviceSetting&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// The stand-in is the driver of all commands in the scope.
struct StandIn {
  DeviceSetting folder{"LD_LIBRARY_PATH", STAND_IN_FOLDER}, headers{"STAND_IN_INCLUDE", STAND_IN_HEADERS},
      general{"STAND_IN_GENERAL", STAND_IN_GENERAL_LIBRARY};
};

struct StudyResult {
  std::vector<std::vector<std::string>> rows;  ///< as in the file, without the header
  nlohmann::json told;
  std::string said;
};

/// `polyform study` on a device, of riccati, with these further arguments.
inline StudyResult study_on(const Workshop& shop, const std::string& device, const std::vector<std::string>& more) {
  std::vector<std::string> all{"study"};
  all.insert(all.end(), more.begin(), more.end());
  for (const char* const argument : {"--solver", "riccati", "--json", "--output", "table.csv", "--device"})
    all.push_back(argument);
  all.push_back(device);
  const Outcome outcome = shop.run(all);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return {rows_of(shop.read("table.csv")), nlohmann::json::parse(outcome.out), in_one_line(outcome.err)};
}

/// A study of the bars on two processes: the mass of the second, and the speed of its joint at the start.
inline StudyResult study_of_bars(const Workshop& shop, const std::string& device, const std::string& integrator,
                                 const std::string& model, const std::string& speeds = "-2:2:5") {
  shop.write("bars.yaml", model);
  return study_on(shop, device,
                  {"bars.yaml",
                   "--vary",
                   "bodies.b.mass=1:3:8",
                   "--vary",
                   "joints.k.initial.velocity=" + speeds,
                   "--quantity",
                   "end=final(k.q)",
                   "--quantity",
                   "energy=final(energy.total)",
                   "--quantity",
                   "most=max(j.v)",
                   "--integrator",
                   integrator,
                   "--step",
                   "0.003",
                   "--duration",
                   "0.5",
                   "--output-interval",
                   "0.02",
                   "--workers",
                   "2"});
}

inline constexpr std::size_t first_quantity = 3, status = 6, reason = 7;

/// Whether all quantities are those of the other study, to rounding.
inline void check_same(const StudyResult& a, const StudyResult& b) {
  REQUIRE(a.rows.size() == b.rows.size());
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    REQUIRE(a.rows[i].size() > status);
    CHECK(a.rows[i][status] == b.rows[i][status]);
    for (std::size_t q = first_quantity; q < status; ++q) {
      const double x = std::stod(a.rows[i][q]), y = std::stod(b.rows[i][q]);
      CHECK(std::abs(x - y) <= 1e-12 * std::max(1.0, std::abs(y)));
    }
  }
}

inline std::size_t count_reasons(const StudyResult& result, const std::string& part) {
  return static_cast<std::size_t>(std::ranges::count_if(result.rows, [&](const std::vector<std::string>& row) {
    return row.size() > reason && row[reason].find(part) != std::string::npos;
  }));
}

inline bool has_clang() {
  const bool found = std::system("command -v clang++ >/dev/null 2>&1") == 0;
  if (!found) WARN("clang is not installed: no code for devices is made");
  return found;
}

/// The bars with a spring on the joint and one to ground.
inline std::string sprung_bars() {
  return bars(1, 0.8) +
         "forces:\n"
         "  - {name: s, type: joint-spring-damper, joint: k, stiffness: 10, damping: 0.3, rest: 0.1}\n"
         "  - {name: l, type: spring-damper, a: {body: ground, point: [0, 0, 2]}, b: {body: b},\n"
         "     stiffness: 5, damping: 0.2}\n";
}

}  // namespace polyform::test
