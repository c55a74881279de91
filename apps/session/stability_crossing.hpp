// The value at which eigenvalues cross the imaginary axis.
//
// An eigenvalue need not depend smoothly on the value where it crosses: of a pendulum without damping on a spring, κ =
// λ² does, and the real part of λ is √κ on one side and zero on the other; of a pair next to another one that it meets
// on the axis the same holds of the square of their difference. So the value is found as the zero of a function that is
// smooth there (TestFunction), through samples on both sides that stand clear of the axis: next to it an eigenvalue
// cannot be told from those that are zero.
#pragma once

#include <complex>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "framework/workbench/linearization/canonical_state.hpp"
#include "framework/workbench/linearization/modes.hpp"

namespace polyform::apps {

/// The modes at one value.
struct LinearStudyPoint {
  double value = 0;
  host::Modes modes;
  bool of_motion = false;              ///< else A is frozen at an instant, and growth says nothing of the motion
  std::size_t growing = 0;             ///< eigenvalues with a positive real part, beyond their errors
  host::CanonicalState equilibrium{};  ///< where the point is an equilibrium that was searched for; else empty
  std::string failure{};               ///< why there is no equilibrium at the value; or empty
};

/// A value at which the number of growing eigenvalues changes.
struct StabilityChange {
  double value = 0;
  double error = 0;                   ///< estimated, of the value
  std::size_t before = 0, after = 0;  ///< growing eigenvalues below and above it
  std::complex<double> eigenvalue;    ///< the one that crosses the imaginary axis there, rad/s
  bool jumps = false;  ///< no eigenvalue crosses: beside the value the equilibria found are others, however near
  bool ends = false;   ///< on one side of the value no equilibrium is found
};

/// How far the equilibria of two points are apart, in m or rad.
double apart(const LinearStudyPoint&, const LinearStudyPoint&);
/// Halves the interval between an equilibrium and one that is far from it. Nothing where they come nearer to each
/// other: one that moves with the value does so as the interval, one that branches off as its root. linearize: as for
/// StabilityCrossing.
std::optional<StabilityChange> find_jump(const std::function<LinearStudyPoint(double)>& linearize,
                                         LinearStudyPoint below, LinearStudyPoint above);
/// The same between a point and one at which no equilibrium is found.
StabilityChange find_end(const std::function<LinearStudyPoint(double)>& linearize, LinearStudyPoint below,
                         LinearStudyPoint above);

/// Finds one change between two points whose numbers of growing eigenvalues differ.
class StabilityCrossing {
 public:
  /// linearize: gives the point at a value; it may throw. least, most: no value outside them is asked for.
  StabilityCrossing(std::function<LinearStudyPoint(double)> linearize, double least, double most)
      : linearize_(std::move(linearize)), least_(least), most_(most) {}

  StabilityChange find(LinearStudyPoint below, LinearStudyPoint above);

 private:
  enum class TestFunction {
    product,    ///< of all eigenvalues that are not rigid: zero where one of them is
    real_part,  ///< of the eigenvalue next to the one that crosses
    difference  ///< (λ₁² − λ₂²)² of the two pairs next to it: negative where they have left the axis
  };
  /// A point with one of these functions.
  struct Sample {
    double value = 0, test = 0, frequency = 0;
  };
  struct Zero {
    double value = 0, frequency = 0, error = 0;
  };
  bool halve(double width);
  bool is_on_axis(const LinearStudyPoint&) const;
  std::optional<Zero> zero_of(TestFunction, double start, double width);
  std::optional<Zero> interpolate(TestFunction, double middle, double width);
  std::optional<Sample> sample(TestFunction, const LinearStudyPoint&) const;

  std::function<LinearStudyPoint(double)> linearize_;
  double least_, most_;
  LinearStudyPoint below_, above_;
  std::complex<double> crossing_;   ///< the eigenvalue, as far as it is known
  std::size_t crossing_modes_ = 1;  ///< modes that cross at once
};

}  // namespace polyform::apps
