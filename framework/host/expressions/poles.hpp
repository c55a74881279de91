// Poles of formulas: where a formula grows without bound, so that no motion leads past.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "framework/host/expressions/program.hpp"
#include "polyform/contract/events.hpp"

namespace polyform::host::inline expressions {

/// As the crossing of an event function: where it changes its sign in either direction, formulas may grow without
/// bound. For elements of the host's own, which have a PoleSource.
inline constexpr Crossing pole = static_cast<Crossing>(3);
/// The same of a slope: what stands below a line may touch zero where the slope changes its sign. Where it does not,
/// nothing happens.
inline constexpr Crossing touched_pole = static_cast<Crossing>(4);

/// The poles of some formulas. Immutable after construction.
struct Poles {
  Poles() = default;
  /// The graph gets the expressions that change their signs at the poles: what is zero there, and its derivatives by
  /// each of its inputs, which are all zero where it touches zero. Those that never change their sign are left out.
  Poles(Graph&, std::span<const NodeIndex> values, std::span<const std::uint32_t> inputs);

  struct Pole {
    TextPlace place;                    ///< of the quotient, power or tangent
    std::vector<std::uint32_t> values;  ///< that need it, by their numbers
    bool touched = false;               ///< its root is a derivative of what is zero there
  };
  Program zeros;  ///< each root changes its sign at its pole
  std::vector<Pole> all;
  std::vector<NodeIndex> nodes;  ///< of the zeros
};

/// What a batch gives whose first event functions are those of poles.
class PoleSource {
 public:
  static constexpr std::string_view interface_name = "polyform.host.poles";
  /// The largest of the values that have the pole of this event function, at the last evaluation of events, of those
  /// that are numbers.
  virtual double size_at_pole(std::size_t event) const noexcept = 0;
  /// Notes the pole as what could not be computed, as note_trouble() does.
  virtual void note_pole(std::size_t event, double t) const noexcept = 0;

 protected:
  ~PoleSource() = default;
};

/// The nearer of two distances from a zero, as a part of the farther one.
inline constexpr double nearer_to_pole = 0.01;
/// Values at three distances from a zero: some distance, `nearer_to_pole` times that, and their geometric mean.
struct SizesAtPole {
  double far, middle, near;
};
/// Whether they show a pole: they grow as the inverse of the distance or faster, of which half is asked for. What stays
/// bounded, sin(x)/x or x/abs(x), does not, nor what grows in the nearer half alone, by the rounding of 0/0; and what
/// grows less, 1/sqrt(abs(x)), has a motion that leads past.
bool grows_without_bound(const SizesAtPole&) noexcept;

}  // namespace polyform::host::inline expressions
