#include "tests/benchmark/heap.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <tuple>

namespace polyform::benchmark {

Heap::Heap(std::size_t count) {
  const auto across = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(count))));
  constexpr double apart = 0.12, edge = 0.07, least_height = 0.17, disorder = 0.008;
  side = apart * static_cast<double>(across) + 0.02;
  std::mt19937 random(1);
  const auto shift = [&] { return disorder * (2 * static_cast<double>(random()) / 4294967295.0 - 1); };
  for (std::size_t k = 0; k < count; ++k) {
    const auto place = [&](std::size_t i) { return apart * static_cast<double>(i); };
    centres.push_back({edge + place(k % across) + shift(), edge + place(k / across % across) + shift(),
                       least_height + place(k / (across * across)) + shift()});
  }
}

std::string Heap::yaml(double stiffness, double restitution, double friction) const {
  return with_contacts(
      fmt::format("stiffness: {}, restitution: {}{}", stiffness, restitution,
                  friction > 0 ? fmt::format(", friction: {{dynamic: {}, velocity: 0.1}}", friction) : ""));
}

std::string Heap::rigid_yaml(double restitution, double friction) const {
  return with_contacts(fmt::format("law: rigid, restitution: {}{}", restitution,
                                   friction > 0 ? fmt::format(", friction: {{dynamic: {}}}", friction) : ""));
}

std::string Heap::with_contacts(const std::string& fields) const {
  std::string text = fmt::format(
      "polyform: 1\nname: {} spheres fall into a box\nground:\n  geometry:\n    - {{type: plane}}\n"
      "    - {{type: plane, normal: [1, 0, 0]}}\n    - {{type: plane, normal: [-1, 0, 0], position: [{}, 0, 0]}}\n"
      "    - {{type: plane, normal: [0, 1, 0]}}\n    - {{type: plane, normal: [0, -1, 0], position: [0, {}, 0]}}\n"
      "bodies:\n",
      centres.size(), side, side);
  std::string joints = "joints:\n";
  for (std::size_t k = 0; k < centres.size(); ++k) {
    text += fmt::format(
        "  - {{name: ball{0}, mass: {1}, inertia: {{xx: {2}, yy: {2}, zz: {2}}}, position: [{3}, {4}, {5}], geometry: "
        "[{{type: sphere, radius: {6}}}]}}\n",
        k, mass, inertia, centres[k].x, centres[k].y, centres[k].z, radius);
    joints += fmt::format("  - {{name: flight{0}, type: free, base: ground, moving: ball{0}}}\n", k);
  }
  return text + joints + fmt::format("contacts: {{all: true, results: total, {}}}\n", fields);
}

void HeapWatch::see(double t, const std::vector<Vec3>& centres, const std::vector<Vec3>& velocities, double turning) {
  // Cells as wide as a ball: what touches is in neighbouring ones.
  constexpr double r = Heap::radius;
  std::map<std::tuple<long, long, long>, std::vector<std::size_t>> cells;
  const auto cell = [](double x) { return std::lround(std::floor(x / (2 * Heap::radius))); };
  double depth = 0, energy = turning, height = 0;
  for (std::size_t k = 0; k < centres.size(); ++k) {
    const Vec3& c = centres[k];
    depth = std::max({depth, r - c.z, r - c.x, r - c.y, c.x + r - heap_.side, c.y + r - heap_.side});
    energy += Heap::mass * (Heap::gravity * c.z + 0.5 * dot(velocities[k], velocities[k]));
    height += c.z / static_cast<double>(centres.size());
    cells[{cell(c.x), cell(c.y), cell(c.z)}].push_back(k);
  }
  for (std::size_t k = 0; k < centres.size(); ++k) {
    const Vec3& c = centres[k];
    for (long x = -1; x <= 1; ++x)
      for (long y = -1; y <= 1; ++y)
        for (long z = -1; z <= 1; ++z) {
          const auto found = cells.find({cell(c.x) + x, cell(c.y) + y, cell(c.z) + z});
          if (found == cells.end()) continue;
          for (const std::size_t o : found->second)
            if (o > k) depth = std::max(depth, 2 * r - norm(centres[o] - c));
        }
  }
  deepest_ = std::max(deepest_, depth);
  if (t > 0.9 * duration_) resting_ = std::max(resting_, depth);
  if (begun_)
    gain_ = std::max(gain_, energy - last_);
  else
    first_ = energy;
  begun_ = true;
  last_ = energy;
  height_ = height;
}

void HeapWatch::finish(HeapRun& run) const {
  run.deepest = deepest_ / Heap::radius;
  run.resting = resting_ / Heap::radius;
  run.energy_gain = gain_ / (first_ - last_);
  run.height = height_;
}

double processor_time() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace polyform::benchmark
