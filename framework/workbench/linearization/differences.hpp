// Derivatives of smooth functions, to many digits.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace polyform::host::inline linearization {

/// The derivative of each entry, and an estimate of its error.
struct Derivative {
  std::vector<double> value, error;
  bool found = false;  ///< false if the function failed however small the step
  /// Whether all errors are rounding or small enough; and the last step, the smallest one that was looked at.
  bool is_good = false;
  double last_step = 0;
};

/// The function at an offset; false if it has no value.
using Curve = std::function<bool(double offset, std::span<double> out)>;

/// d/dh of a curve at h = 0, by Ridders' method: central differences at steps that are halved from a large one,
///
///   D(h) = (f(h) − f(−h)) / 2h = f′ + c₂ h² + c₄ h⁴ + …,
///
/// extrapolated to h = 0 by Neville's scheme in h² (Ridders 1982, Eq. 2; Press et al., Numerical Recipes §5.7). Large
/// steps keep round-off small (about ε|f|/h), and the extrapolation removes their truncation errors. For each entry the
/// best of all orders is taken by itself. Its error is the larger of its differences to its two parents, or the
/// round-off of the difference. Steps beyond the series are left out: as long as halvings do not change an entry by
/// less and less, its table begins anew. If digits remain unknown and the derivatives from both sides are the same
/// number, this number is taken, as at a knot of a spline, where the curve bends abruptly. step: the first one; it is
/// reduced if the function fails. enough: for each entry, an error that needs not become less, and two steps that agree
/// to that in all entries end the search; or none.
Derivative differentiate(std::size_t size, double step, const Curve& f, std::span<const double> enough = {});

/// Why a curve has no derivative at h = 0.
struct Kink {
  double part = 0;     ///< by which the derivatives from above and from below differ, of the two; 0: the curve has none
  bool grows = false;  ///< the differences grow as steps shrink, on both sides alike: a jump, a cusp, a vertical slope
};

/// The worst kink at h = 0 among the first entries. middle: f(0); step: a large one, as above. terms: the size of what
/// may cancel in an entry, which tells its rounding: at an equilibrium all entries are zero. slopes: the derivatives of
/// the first entries by differentiate(), as far as they are known; a curve that has these on both sides has no kink.
Kink kink(std::span<const double> middle, double terms, std::size_t entries, double step, const Curve& f,
          std::span<const double> slopes = {});

}  // namespace polyform::host::linearization
