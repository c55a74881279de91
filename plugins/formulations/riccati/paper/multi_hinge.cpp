#include "multi_hinge.hpp"

namespace polyform::riccati::paper {

MultiHinge::MultiHinge(const Layout& s, const Matrix& outboard, std::span<const Vec3> others, const Vec3& Omega) {
  const Index size = outboard.cols(), rotations = s.angular;
  const Matrix u3 = outboard.middleRows(s.m(), rotations);
  const Matrix gain = -u3.middleCols(s.omega(), rotations).partialPivLu().solve(u3);  // −u32⁻¹ [u31 … u3,2L+3]

  Matrix first = Matrix::Zero(size, s.size());  // Eq 12
  first.topLeftCorner(s.one(), s.one()).setIdentity();
  first.block(s.omega(), 0, rotations, s.one()) = gain.leftCols(s.one());
  first.block(s.omega(), s.omega(), rotations, rotations).setZero();
  first.block(s.omega(), s.one(), rotations, 1) = gain.rightCols(1);
  first(size - 1, s.one()) = 1;
  main_.push_back(std::move(first));

  taken_ = Matrix::Zero(s.half(), s.size());
  taken_.block(0, s.r(), s.linear, s.linear).setIdentity();
  taken_.block(s.linear, s.m(), rotations, rotations).setIdentity();

  for (std::size_t j = 0; j < others.size(); ++j) {
    const Index place = s.m(static_cast<Index>(j) + 1);
    Matrix next = Matrix::Zero(size, s.size());  // Eq 13
    next.block(s.omega(), s.m(), rotations, s.half()) = gain.middleCols(place, s.half());
    next.block(place, s.m(), s.half(), s.half()).setIdentity();
    main_.push_back(std::move(next));

    Matrix geometry = Matrix::Zero(s.half(), size);  // Eqs 14, 17
    geometry.block(0, s.r(), s.linear, s.linear).setIdentity();
    geometry.block(0, s.omega(), s.linear, rotations) = lever(s, others[j]);
    geometry.block(0, size - 1, s.linear, 1) = translation(s, cross(Omega, cross(Omega, others[j])));
    geometry_.push_back(std::move(geometry));
  }
}

}  // namespace polyform::riccati::paper
