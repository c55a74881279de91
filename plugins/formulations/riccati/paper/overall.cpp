#include "overall.hpp"

namespace polyform::riccati::paper {

OverallSize overall_size(const SystemView& view) {
  std::vector<std::size_t> inputs(view.bodies.size());
  for (const JointData& joint : view.tree_joints())
    if (!is_ground(joint.inboard())) ++inputs[at(joint.inboard())];
  OverallSize size;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] < 2) continue;
    if (size.bodies++ == 0) size.first = body_index(i);
    size.unknowns += 6 * (1 + inputs[i]);
  }
  return size;
}

Overall::Overall(const Links& links) : places_(links.size(), none), inputs_(links.size()) {
  Index size = 0;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const auto inputs = static_cast<Index>(links.children(i).size());
    for (Index k = 0; k < inputs; ++k) inputs_[links.children(i)[static_cast<std::size_t>(k)]] = k;
    if (inputs < 2) continue;
    places_[i] = bodies_.size();
    bodies_.push_back({size, inputs, Vector::Zero(1 + 6 * inputs)});
    size += 6 * (1 + inputs);
  }
  U_.resize(size, size);
  b_.resize(size);
}

void Overall::clear() noexcept {
  U_.setZero();
  b_.setZero();
}

void Overall::add_chain(const Links& links, std::size_t last_body, std::size_t start, const Relation& end,
                        const Matrix6& P, const Matrix6X& p) noexcept {
  const std::size_t parent = links.parent(last_body);
  const Body* next = parent == Links::ground ? nullptr : &bodies_[places_[parent]];
  const Body* from = start == none ? nullptr : &bodies_[start];
  const Matrix6 X = links.X(last_body);
  const Vector6 gamma = links.gamma(last_body);
  if (from != nullptr) {  // z_b − P z_end − p_y y = p_1
    const Index row = from->first;
    U_.block<6, 6>(row, row).setIdentity();
    if (next != nullptr) U_.block<6, 6>(row, next->first) = -(P * X);
    U_.block(row, row + 6, 6, 6 * from->inputs) = -p.rightCols(6 * from->inputs);
    b_.segment<6>(row) = p.col(0) + P * gamma;
  }
  if (next != nullptr) {  // y_k − S z_end − F_y y = F_1
    const Index row = next->first + 6 + 6 * inputs_[last_body];
    U_.block<6, 6>(row, row).setIdentity();
    U_.block<6, 6>(row, next->first) = -(end.S * X);
    if (from != nullptr) U_.block(row, from->first + 6, 6, 6 * from->inputs) = -end.F.rightCols(6 * from->inputs);
    b_.segment<6>(row) = end.F.col(0) + end.S * gamma;
  }
}

/// Gauss elimination with row pivoting in place: Eigen's own would allocate.
bool Overall::solve() noexcept {
  const Index n = U_.rows();
  for (Index k = 0; k < n; ++k) {
    Index pivot = 0;
    if (!(U_.col(k).tail(n - k).cwiseAbs().maxCoeff(&pivot) > 0)) return false;
    pivot += k;
    if (pivot != k) {
      U_.row(k).tail(n - k).swap(U_.row(pivot).tail(n - k));
      std::swap(b_[k], b_[pivot]);
    }
    for (Index i = k + 1; i < n; ++i) {
      const double factor = U_(i, k) / U_(k, k);
      if (factor == 0) continue;
      U_.row(i).tail(n - k - 1) -= factor * U_.row(k).tail(n - k - 1);
      b_[i] -= factor * b_[k];
    }
  }
  for (Index k = n; k-- > 0;) b_[k] = (b_[k] - U_.row(k).tail(n - k - 1).dot(b_.tail(n - k - 1))) / U_(k, k);
  for (Body& body : bodies_) {
    body.y[0] = 1;
    body.y.tail(6 * body.inputs) = b_.segment(body.first + 6, 6 * body.inputs);
  }
  return b_.allFinite();
}

}  // namespace polyform::riccati::paper
