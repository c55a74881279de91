// The linear aircraft of the textbooks, from the stability derivatives of apps/models/navion.yaml.
#pragma once

#include <Eigen/Core>

namespace polyform::test::textbook {

// The data of the model.
inline constexpr double m = 1247.4, S = 17.094, c = 1.7374, b = 10.180, V = 53.645, rho = 1.225, g = 9.80665;
inline constexpr double Ix = 1420.9, Iy = 4067.5, Iz = 4786.0;
inline constexpr double Q = 0.5 * rho * V * V * S;

/// ẋ = A x for x = (u, w, q, θ) in stability axes, by the dimensional derivatives of Nelson, Flight Stability and
/// Automatic Control, Table 3.5 and Eq 4.51, without derivatives by the rate of w.
inline Eigen::Matrix4d longitudinal() {
  const double CL = m * g / Q, CD = 0.05, CL_alpha = 4.44, CD_alpha = 0.33, CL_q = 3.8, Cm_alpha = -0.683,
               Cm_q = -14.32;
  const double Xu = -2 * CD * Q / (m * V), Xw = -(CD_alpha - CL) * Q / (m * V);
  const double Zu = -2 * CL * Q / (m * V), Zw = -(CL_alpha + CD) * Q / (m * V), Zq = -CL_q * c / (2 * V) * Q / m;
  const double Mw = Cm_alpha * Q * c / (V * Iy), Mq = Cm_q * c / (2 * V) * Q * c / Iy;
  Eigen::Matrix4d A;
  A << Xu, Xw, 0, -g, Zu, Zw, V + Zq, 0, 0, Mw, Mq, 0, 0, 0, 1, 0;
  return A;
}
/// The same for x = (v, p, r, φ), Table 3.6 and Eq 5.35; no product of inertia.
inline Eigen::Matrix4d lateral() {
  const double Yv = -0.564 * Q / (m * V);
  const double Lv = -0.074 * Q * b / (Ix * V), Lp = -0.410 * Q * b * b / (2 * Ix * V),
               Lr = 0.107 * Q * b * b / (2 * Ix * V);
  const double Nv = 0.071 * Q * b / (Iz * V), Np = -0.0575 * Q * b * b / (2 * Iz * V),
               Nr = -0.125 * Q * b * b / (2 * Iz * V);
  Eigen::Matrix4d A;
  A << Yv, 0, -V, g, Lv, Lp, Lr, 0, Nv, Np, Nr, 0, 0, 1, 0, 0;
  return A;
}

}  // namespace polyform::test::textbook
