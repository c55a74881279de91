#include "riccati_step.hpp"

namespace polyform::riccati::paper {

Rearranged::Rearranged(const Layout& layout, const Partition& p, const Matrix& U)
    : T11(U(p.a, p.a)),
      T12(U(p.a, p.b)),
      T21(U(p.b, p.a)),
      T22(U(p.b, p.b)),
      f_a(U(p.a, layout.one())),
      f_b(U(p.b, layout.one())) {}

}  // namespace polyform::riccati::paper
