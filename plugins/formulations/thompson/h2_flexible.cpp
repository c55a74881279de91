// Flexible bodies in H2: rates of their modes are coordinates of q̇2. A joint at a node carries, or is carried by, the
// section there, which moves with the modes.
#include "h2.hpp"

namespace polyform::thompson {

void H2::find_modes() {
  const std::size_t n = bodies_.size();
  modes_.resize(n);
  for (const FlexibleData& data : view_.flexible) {
    modes_[at(data.body)].first = view_.nv_tree + data.mode_offset;
    modes_[at(data.body)].count = data.modes;
  }
  std::size_t columns = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const JointData& joint = view_.joints[i];
    if (at(joint.outboard_frame()) >= n) {
      modes_[i].own = columns;
      columns += modes_[i].count;
    }
    if (!is_ground(joint.inboard_frame()) && at(joint.inboard_frame()) >= n) {
      modes_[i].inboard = columns;
      columns += modes_[bodies_[i].inboard].count;
    }
  }
  columns_.resize(columns);
}

H2::NodeVelocity H2::node_velocity(FrameIndex f, const TreeKinematics& tree) const noexcept {
  const std::size_t node = at(f) - bodies_.size();
  const NodeMotion& m = tree.nodes()[node];
  const Mat3& R = tree.bodies()[at(view_.nodes[node].body)].R;
  const Mat3 lever = skew(R * m.p) * R, back = lever * m.R;
  NodeVelocity v;
  v.B.setIdentity();
  v.inverse.setIdentity();
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) {
      v.B(r, 3 + c) = -lever.m[3 * r + c];
      v.B(3 + r, 3 + c) = m.R.m[3 * c + r];
      v.inverse(r, 3 + c) = back.m[3 * r + c];
      v.inverse(3 + r, 3 + c) = m.R.m[3 * r + c];
    }
  const Spatial terms = velocity_terms(f, tree);
  v.bias = stacked(terms.linear, transpose_times(tree.frames()[at(f)].R, terms.angular));
  return v;
}

/// A column of E.
Vector6 H2::node_column(FrameIndex f, std::size_t mode, const TreeKinematics& tree) const noexcept {
  const std::size_t node = at(f) - bodies_.size();
  const Spatial& H = tree.nodes().H(node)[mode];
  return stacked(tree.bodies()[at(view_.nodes[node].body)].R * H.linear,
                 transpose_times(tree.nodes()[node].R, H.angular));
}

/// From what has been constructed between the frames of the joint to what holds between its bodies.
void H2::pass_nodes(std::size_t i, const TreeKinematics& tree) noexcept {
  const Modes& m = modes_[i];
  const JointData& joint = view_.joints[i];
  Body& b = bodies_[i];
  Vector6* const inboard = m.inboard == none ? nullptr : columns_.data() + m.inboard;
  const std::size_t of_inboard = m.inboard == none ? 0 : modes_[b.inboard].count;
  if (m.inboard != none) {
    for (std::size_t k = 0; k < of_inboard; ++k) inboard[k] = b.T * node_column(joint.inboard_frame(), k, tree);
    b.T = (b.T * node_velocity(joint.inboard_frame(), tree).B).eval();
  }
  if (m.own == none) return;
  const NodeVelocity v = node_velocity(joint.outboard_frame(), tree);
  if (b.inboard != none) b.T = (v.inverse * b.T).eval();
  for (std::size_t k = 0; k < of_inboard; ++k) inboard[k] = (v.inverse * inboard[k]).eval();
  b.basis = (v.inverse * b.basis).eval();
  b.gamma = (v.inverse * (b.gamma - v.bias)).eval();
  for (std::size_t k = 0; k < m.count; ++k)
    columns_[m.own + k] = -(v.inverse * node_column(joint.outboard_frame(), k, tree));
}

void H2::add_modes(std::size_t i, const double* u, Vector6& x) const noexcept {
  const double* own = u + modes_[i].first;
  for (const Vector6& column : own_columns(i)) x += *own++ * column;
  if (modes_[i].inboard == none) return;
  const double* inboard = u + modes_[bodies_[i].inboard].first;
  for (const Vector6& column : inboard_columns(i)) x += *inboard++ * column;
}

void H2::add_modal_forces(std::size_t i, const Vector6& f, double* y) const noexcept {
  double* own = y + modes_[i].first;
  for (const Vector6& column : own_columns(i)) *own++ += column.dot(f);
  if (modes_[i].inboard == none) return;
  double* inboard = y + modes_[bodies_[i].inboard].first;
  for (const Vector6& column : inboard_columns(i)) *inboard++ += column.dot(f);
}

/// Rates of any frame, stacked like those of a body.
Vector6 H2::rates_of(FrameIndex f, const BodyVectors& rates, const double* u, bool with_bias,
                     const TreeKinematics& tree) const noexcept {
  if (at(f) < bodies_.size()) return rates[at(f)];
  const std::size_t body = at(view_.nodes[at(f) - bodies_.size()].body);
  const NodeVelocity v = node_velocity(f, tree);
  Vector6 x = v.B * rates[body];
  for (std::size_t k = 0; k < modes_[body].count; ++k) x += u[modes_[body].first + k] * node_column(f, k, tree);
  if (with_bias) x += v.bias;
  return x;
}

}  // namespace polyform::thompson
