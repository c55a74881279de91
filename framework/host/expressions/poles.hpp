// Poles of formulas: where a formula grows without bound, so that no motion leads past.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "framework/host/expressions/program.hpp"
#include "polyform/contract/events.hpp"

namespace polyform::host::inline expressions {

/// A kind of crossing for elements of the host, whose batches are a PoleSource: where such an event function changes
/// its sign, in either direction, formulas may grow without bound.
inline constexpr Crossing pole = static_cast<Crossing>(3);
/// The same for an event function that is the slope of a divisor. A divisor such as x² touches zero without a change of
/// its sign, and there its slope changes sign. Where the slope changes its sign and the divisor is not zero, nothing
/// happens.
inline constexpr Crossing touched_pole = static_cast<Crossing>(4);
/// The same for a divisor that is a hypotenuse: no change of its sign is an event, but it tells which of its legs
/// count.
inline constexpr Crossing hypotenuse_of_pole = static_cast<Crossing>(6);

/// The poles of some formulas. Immutable after construction.
struct Poles {
  Poles() = default;
  /// Adds to the graph the expressions that change their signs at the poles of these values. They are the divisors, and
  /// the derivatives of each divisor by its inputs, which are all zero where the divisor touches zero. An expression
  /// that never changes its sign is left out.
  Poles(Graph&, std::span<const NodeIndex> values, std::span<const std::uint32_t> inputs);

  struct Pole {
    TextPlace place;                     ///< of the quotient, power or tangent
    std::vector<std::uint32_t> values;   ///< the numbers of the values that have this pole
    bool touched = false;                ///< its root is the derivative of a divisor, not the divisor
    std::optional<std::size_t> whole{};  ///< among `hypotenuses`, that of which its root is a leg, if it is one
  };
  Program zeros;  ///< each root changes its sign at its pole
  std::vector<Pole> all;
  std::vector<NodeIndex> nodes;  ///< of the zeros
  Program hypotenuses;           ///< divisors whose legs are among the zeros
};

/// The interface of a batch whose formulas may have poles: its first event functions are those of the poles.
class PoleSource {
 public:
  static constexpr std::string_view interface_name = "polyform.host.poles";
  /// The size of the values that have the pole of this event function, when events were last evaluated: the largest
  /// one that is a number.
  virtual double size_at_pole(std::size_t event) const noexcept = 0;
  /// The event function that is the hypotenuse of which this one is a leg; none if it is no leg.
  virtual std::optional<std::size_t> hypotenuse_of(std::size_t event) const noexcept = 0;
  /// Notes that the values could not be computed at time t because of this pole, as note_trouble() does for others.
  virtual void note_pole(std::size_t event, double t) const noexcept = 0;

 protected:
  ~PoleSource() = default;
};

/// Sizes are compared at two distances from a zero: the nearer distance is this part of the farther one.
inline constexpr double nearer_to_pole = 0.01;
/// The sizes of a value at three distances from a zero: at a far one, at a near one, which is `nearer_to_pole` times
/// the far one, and at the geometric mean of both.
struct SizesAtPole {
  double far, middle, near;
};
/// Whether the sizes show a pole. A pole grows like the inverse of the distance or faster; half of that growth is
/// asked for, at the middle distance and at the near one. A bounded value, such as sin(x)/x or x/abs(x), does not grow,
/// and the rounding of 0/0 grows near the zero alone. A value that grows less, such as 1/sqrt(abs(x)), counts as none,
/// for a motion can lead past it.
bool grows_without_bound(const SizesAtPole&) noexcept;

}  // namespace polyform::host::inline expressions
