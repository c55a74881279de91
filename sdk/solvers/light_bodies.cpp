#include "polyform/solvers/light_bodies.hpp"

#include <algorithm>

namespace polyform {
namespace {

/// The mass with which each body is compared: its own, or the largest of its neighbours' if its own is negligible
/// compared with that.
std::vector<double> usual_masses(std::span<const double> mass,
                                 const std::vector<std::vector<std::size_t>>& constraints) {
  std::vector<double> usual(mass.begin(), mass.end());
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::vector<std::size_t>& constraint : constraints) {
      double largest = 0;
      for (const std::size_t b : constraint) largest = std::max(largest, usual[b]);
      for (const std::size_t b : constraint) {
        if (!(usual[b] < negligible_mass * largest)) continue;
        usual[b] = largest;
        changed = true;
      }
    }
  }
  return usual;
}

}  // namespace

std::vector<bool> light_bodies(std::span<const double> mass, const std::vector<std::vector<std::size_t>>& constraints) {
  const std::vector<double> usual = usual_masses(mass, constraints);
  std::vector<bool> light(mass.size());
  for (std::size_t b = 0; b < mass.size(); ++b) light[b] = mass[b] < negligible_mass * usual[b];
  // A light body that only one constraint holds is no concern: it is taken away with that, from the tips inwards.
  std::vector<bool> loose(constraints.size());
  std::vector<std::size_t> hold(mass.size());
  for (bool changed = true; changed;) {
    changed = false;
    std::fill(hold.begin(), hold.end(), 0);
    for (std::size_t t = 0; t < constraints.size(); ++t)
      for (const std::size_t b : constraints[t]) hold[b] += loose[t] ? 0 : 1;
    for (std::size_t t = 0; t < constraints.size(); ++t) {
      if (loose[t]) continue;
      const auto tip = std::find_if(constraints[t].begin(), constraints[t].end(),
                                    [&](std::size_t b) { return light[b] && hold[b] == 1; });
      if (tip == constraints[t].end()) continue;
      light[*tip] = false;
      loose[t] = changed = true;
    }
  }
  return light;
}

}  // namespace polyform
