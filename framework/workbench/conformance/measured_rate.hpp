// Rates by differences whose step follows from the curvature of the function itself.
#pragma once

#include <Eigen/Core>
#include <functional>

namespace polyform::host::inline conformance {

/// Functions of time, several numbers at once.
using Numbered = std::function<Eigen::VectorXd(double)>;

/// Rates of functions of time at t = 0, found by differences, and how far each may be off: by what a finer step
/// changes, and by the noise of what is differenced.
struct MeasuredRates {
  Eigen::VectorXd value, uncertainty;
  Eigen::VectorXd size;  ///< the largest value of each function that was seen
};

/// Steps become finer until the rate is within `close` of what is expected, or until noise wins; then the step
/// counts whose successor changes least. `f` gives as many numbers as are expected.
MeasuredRates measured_rates(const Eigen::VectorXd& expected, const Eigen::VectorXd& close, const Numbered& f);

/// How far `found` lies from the rates of f, relative to `scale` (where that is zero: to the larger of the two). What
/// the differences leave open is no error, as long as that is little: less than 1e-5 of the scale, or than 1e-9 of the
/// function in a second. rates: gets what the differences gave.
Eigen::VectorXd rate_errors(const Eigen::VectorXd& found, const Eigen::VectorXd& scale, double tolerance,
                            const Numbered& f, Eigen::VectorXd* rates = nullptr);
/// The same of one function.
double rate_error(double found, double scale, double tolerance, const std::function<double(double)>& f,
                  double* rate = nullptr);

}  // namespace polyform::host::conformance
