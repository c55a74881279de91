#include "transfer_matrix.hpp"

namespace polyform::riccati::paper {

Mat3 inertia_about(double mass, const Vec3& r, const Sym3& J_C) {
  const Sym3 unit = unit_mass_inertia(r);
  return J_C.full() + mass * unit.full();
}

Matrix13 transfer_matrix(const RigidBody& b) {
  using Block = Eigen::Matrix3d;
  const Vec3 centripetal_O = cross(b.Omega, cross(b.Omega, b.r_IO));
  const Vec3 centripetal_C = cross(b.Omega, cross(b.Omega, b.r_IC));
  const Block r_IO = to_eigen(skew(b.r_IO)), r_IC = to_eigen(skew(b.r_IC)), J_I = to_eigen(b.J_I);
  // Eq 5.
  const Block E1 = -r_IO, E3 = -b.mass * Block::Identity(), E4 = b.mass * r_IC, E6 = r_IO, E7 = b.mass * r_IC, E8 = J_I;
  const Eigen::Vector3d E2 = to_eigen(centripetal_O), E5 = to_eigen(b.f_C - b.mass * centripetal_C);
  const Eigen::Vector3d E9 = to_eigen(cross(b.Omega, b.J_I * b.Omega) - b.m_C - cross(b.r_IC, b.f_C));
  // Eq 4.
  Matrix13 U = Matrix13::Identity();
  U.block<3, 3>(0, 3) = E1;
  U.block<3, 1>(0, 12) = E2;
  U.block<3, 3>(6, 0) = E6 * E3 + E7;
  U.block<3, 3>(6, 3) = E6 * E4 + E8;
  U.block<3, 3>(6, 9) = E6;
  U.block<3, 1>(6, 12) = E6 * E5 + E9;
  U.block<3, 3>(9, 0) = E3;
  U.block<3, 3>(9, 3) = E4;
  U.block<3, 1>(9, 12) = E5;
  return U;
}

Matrix multi_input_transfer_matrix(const RigidBody& b, std::span<const Vec3> others) {
  const Matrix13 single = transfer_matrix(b);
  const Index size = space.extended_size(static_cast<Index>(others.size()) + 1);
  Matrix U = Matrix::Zero(13, size);
  U.leftCols<12>() = single.leftCols<12>();
  U.rightCols<1>() = single.rightCols<1>();
  for (std::size_t j = 0; j < others.size(); ++j) {
    const Index m = space.m(static_cast<Index>(j) + 1), q = space.q(static_cast<Index>(j) + 1);
    U.block<3, 3>(6, m).setIdentity();
    U.block<3, 3>(6, q) = to_eigen(skew(b.r_IO)) - to_eigen(skew(others[j]));  // E6 + E_Ij, Eq 9
    U.block<3, 3>(9, q).setIdentity();
  }
  return U;
}

Matrix ball_hinge(const Layout& layout, const Matrix& outboard) {
  const Matrix u3 = outboard.middleRows(layout.m(), layout.angular);
  Matrix U = Matrix::Identity(layout.size(), layout.size());
  const auto u32 = u3.middleCols(layout.omega(), layout.angular);
  U.middleRows(layout.omega(), layout.angular) = -u32.partialPivLu().solve(u3);
  U.block(layout.omega(), layout.omega(), layout.angular, layout.angular).setZero();
  return U;
}

bool GeneralHinge::set(const HingeMotion& hinge, const Matrix13& outboard, const HingeMotion& next) {
  // Cᵀ z_a,O − τ of the next hinge as a function of the state that enters the body, then of that before this hinge.
  const Columns C = next.condition();
  const Index n = hinge.H.cols();
  Rows13 row(n, 13);
  row.noalias() = C.transpose() * outboard.middleRows<6>(6);
  row.col(12) -= next.effort;
  const Small moved = row.leftCols<6>() * hinge.H;
  row.col(12) -= row.leftCols<6>() * hinge.bias;
  rates.resize(n, 13);
  U.setIdentity();
  if (n > 0) {
    const Eigen::PartialPivLU<Small> lu(moved);
    if (!(std::abs(lu.determinant()) > 0)) return false;
    rates = lu.solve(row);
  }
  U.topRows<6>().noalias() -= hinge.H * rates;
  U.block<6, 1>(0, 12) -= hinge.bias;
  return U.allFinite();
}

}  // namespace polyform::riccati::paper
