// Spheres that fall into a box: one scene for all, and what each engine makes of it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "polyform/contract/spatial.hpp"

namespace polyform::benchmark {

/// Spheres in layers above the floor of an open box, a little out of order. The walls are planes.
struct Heap {
  explicit Heap(std::size_t count);
  static constexpr double radius = 0.05, mass = 0.5, inertia = 0.4 * mass * radius * radius, gravity = 9.81;
  double side = 0;            ///< of the box, m
  std::vector<Vec3> centres;  ///< m
  std::string yaml(double stiffness, double restitution, double friction) const;
  /// The same with rigid contacts.
  std::string rigid_yaml(double restitution, double friction) const;

 private:
  std::string with_contacts(const std::string& fields) const;
};

/// What a run has given.
struct HeapRun {
  double seconds = 0;  ///< of the processor, without set-up
  double set_up = 0;   ///< s
  std::size_t steps = 0;
  double deepest = 0;      ///< overlap of any two surfaces at the end of any step, of a radius
  double resting = 0;      ///< the same in the last tenth of the run
  double energy_gain = 0;  ///< largest rise of the whole energy between steps, of the energy that was lost in the run
  double height = 0;       ///< mean of the centres at the end, m
};

/// What each step leaves: overlap and energy by one measure for all, from positions and velocities.
class HeapWatch {
 public:
  explicit HeapWatch(const Heap& heap, double duration) : heap_(heap), duration_(duration) {}
  /// turning: half of the sum of the squares of angular velocities times the inertia, J.
  void see(double t, const std::vector<Vec3>& centres, const std::vector<Vec3>& velocities, double turning);
  void finish(HeapRun& run) const;

 private:
  const Heap& heap_;
  double duration_, deepest_ = 0, resting_ = 0, gain_ = 0, first_ = 0, last_ = 0, height_ = 0;
  bool begun_ = false;
};

/// Frictionless, restitution 0.5. step: s.
HeapRun heap_in_bullet(const Heap&, double duration, double step, double restitution);
HeapRun heap_in_mujoco(const Heap&, double duration, double step, double time_constant);

/// Of this process, s.
double processor_time();

}  // namespace polyform::benchmark
