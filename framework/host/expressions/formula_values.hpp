// From where on a number means nothing.
#pragma once

#include <atomic>

namespace polyform::host::inline expressions {

/// A number that means nothing in SI units is larger. No speed, acceleration, force or moment of a real thing exceeds
/// those made of the Planck units (the largest is an angular acceleration, c²/l² = 3e86 rad/s²); squares of what is
/// smaller are still finite.
inline constexpr double beyond_any_scale = 1e100;

/// From this absolute value on a formula looks at what it computes. While a run that does not get on is looked into, it
/// is zero, and formulas next to a place where they have no value are noted too (note_strained).
inline std::atomic<double> looked_at_from{beyond_any_scale};

/// Whether samplers follow their inputs, with a time constant of one interval, not holding what they took: so they
/// do while an equilibrium is searched for, at which each holds what it takes.
inline std::atomic<bool> samplers_follow{false};

/// While it lives, they do.
class SamplersFollow {
 public:
  SamplersFollow() noexcept { samplers_follow.store(true, std::memory_order_relaxed); }
  ~SamplersFollow() { samplers_follow.store(false, std::memory_order_relaxed); }
  SamplersFollow(const SamplersFollow&) = delete;
  SamplersFollow& operator=(const SamplersFollow&) = delete;
};

}  // namespace polyform::host::expressions
