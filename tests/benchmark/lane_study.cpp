#include "tests/benchmark/lane_study.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>

#include "apps/session/temporary_folder.hpp"
#include "framework/diagnostics.hpp"

namespace polyform::benchmark {

namespace {

/// Of all processes that this one has waited for.
double processor_seconds_of_children() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Seconds {
  double wall = std::numeric_limits<double>::infinity(), processor = wall;
};

/// The least of each.
void time_command(const std::string& command, Seconds& least) {
  const double before = processor_seconds_of_children();
  const auto start = std::chrono::steady_clock::now();
  if (std::system(command.c_str()) != 0)
    throw host::Failure(host::Exit::simulation_failed, "the study failed: " + command);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  least.wall = std::min(least.wall, wall.count());
  least.processor = std::min(least.processor, processor_seconds_of_children() - before);
}

}  // namespace

std::string drop_of_ten_rods() {
  std::string text = "polyform: 1\nname: drop\ngravity: [0, -9.81, 0]\nbodies:\n";
  for (int i = 0; i < 10; ++i)
    text += fmt::format("  - {{name: b{0}, position: [{0}, 0, 0], mass: 1, center_of_mass: [0.5, 0, 0], ", i) +
            "inertia: {xx: 0.001, yy: 0.0833, zz: 0.0833}}\n";
  text += "joints:\n";
  for (int i = 0; i < 10; ++i)
    text += fmt::format("  - {{name: j{0}, type: spherical, base: {1}, moving: b{0}, position: [{0}, 0, 0]}}\n", i,
                        i == 0 ? std::string("ground") : fmt::format("b{}", i - 1));
  return text +
         "simulation: {duration: 1, output_interval: 1, integrator: dopri5,\n"
         "  tolerance: {relative: 3.0e-6, absolute: 3.0e-6}}\n";
}

void measure_study(std::size_t cases, double scalar_seconds) {
  const apps::TemporaryFolder folder;
  const std::string model = folder.file("drop.yaml");
  std::ofstream(model) << drop_of_ten_rods();
  const std::string study =
      fmt::format("'{}' study '{}' --vary bodies.b5.mass=0.9:1.1:{} --quantity 'end=final(b9.y)' --quiet --output '{}'",
                  POLYFORM_COMMAND, model, cases, folder.file("drop.csv"));
  struct Line {
    const char *title, *options;
    Seconds seconds{};
  } lines[] = {{"each alone, one worker", " --workers 1 --no-lanes"},
               {"in lanes, one worker", " --workers 1"},
               {"in lanes, usual workers", ""}};
  // In turn, so that a machine that others slow down slows all.
  constexpr int rounds = 5;
  for (int round = 0; round < rounds; ++round)
    for (Line& line : lines) time_command(study + line.options, line.seconds);
  const double scalar = scalar_seconds * static_cast<double>(cases);
  fmt::print("{:<28} {:>10} {:>10} {:>24}\n", fmt::format("study of {} drops", cases), "wall s", "processor s",
             "times sooner by either");
  fmt::print("{:<28} {:>10} {:>10.3f}\n", "runs alone in this process", "", scalar);
  const Seconds& alone = lines[0].seconds;
  for (const Line& line : lines)
    fmt::print("{:<28} {:>10.3f} {:>10.3f} {:>12.2f} {:>11.2f}\n", line.title, line.seconds.wall,
               line.seconds.processor, alone.wall / line.seconds.wall, alone.processor / line.seconds.processor);
}

}  // namespace polyform::benchmark
