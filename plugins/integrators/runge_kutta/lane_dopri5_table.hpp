// Coefficients of dopri5 for lanes: E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd
// ed., table 5.2 and section II.6.
#pragma once

namespace polyform::runge_kutta {

inline constexpr double lane_nodes[] = {0.2, 0.3, 0.8, 8.0 / 9, 1.0};
inline constexpr double lane_weights[5][5] = {
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}};
/// Weights of k1, k3, k4, k5, k6 at the end of the step; and of these and k7 in its error.
inline constexpr double lane_ends[5] = {35.0 / 384, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84};
inline constexpr double lane_errors[6] = {35.0 / 384 - 5179.0 / 57600, 500.0 / 1113 - 7571.0 / 16695,
                                          125.0 / 192 - 393.0 / 640,   -2187.0 / 6784 + 92097.0 / 339200,
                                          11.0 / 84 - 187.0 / 2100,    -1.0 / 40};
/// The polynomials X of the dense output, of k1, k3, k4, k5, k6, k7: constant and slope, with their signs.
inline constexpr double lane_dense[2][6] = {
    {-5 * 2558722523.0 / 11282082432.0, 100 * 882725551.0 / 32700410799.0, -25 * 443332067.0 / 1880347072.0,
     32805 * 23143187.0 / 199316789632.0, -55 * 29972135.0 / 822651844.0, 10 * 7414447.0 / 29380423.0},
    {5 * 31403016.0 / 11282082432.0, -100 * 15701508.0 / 32700410799.0, 25 * 31403016.0 / 1880347072.0,
     -32805 * 3489224.0 / 199316789632.0, 55 * 7076736.0 / 822651844.0, -10 * 829305.0 / 29380423.0}};

}  // namespace polyform::runge_kutta
