#include "procedure_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "branch.hpp"
#include "sweep.hpp"

namespace polyform::riccati::paper {
namespace {

/// Loads and motions across the plane count if they are more than this part of those in it.
constexpr double most_across = 1e-9;

constexpr const char* not_regular =
    "belongs to a chain whose matrix P of Eq 24 has no inverse here, where nothing happens in the mechanism (option "
    "`algorithm: A` or `B`); use `algorithm: riccati`";
constexpr const char* not_determined =
    "belongs to a part whose boundaries do not determine its states (option `algorithm: A` or `B`); use `algorithm: "
    "riccati`";
constexpr const char* leaves_plane =
    "moves a body that is loaded or turns across the plane of the paper's planar state vector (option `algorithm: A` "
    "or "
    "`B`); use `algorithm: riccati`";

/// The axes in which the transfer matrices are written: those of ground, or with z across the plane.
Mat3 axes_of(const Topology& topology) {
  if (topology.layout.angular == 3) return Mat3::identity();
  const Vec3& n = topology.normal;
  const Vec3 other = std::abs(n.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 raw = other - dot(other, n) * n, x = (1 / norm(raw)) * raw, y = cross(n, x);
  return {{x.x, x.y, x.z, y.x, y.y, y.z, n.x, n.y, n.z}};
}

}  // namespace

bool can_carry(const SystemView& view, Procedure procedure, std::string& why) {
  SystemView open = view;  // far ends that are tied to ground are cut joints, which a tree does not have
  open.joints = view.joints.first(view.bodies.size());
  if (!can_carry(open, Variant{}, why)) return false;
  Links links(view);
  std::vector<double> q(view.nq), rest(view.nv);
  for (const JointData& joint : view.joints) joint_neutral(joint, q.data() + joint.q_offset);
  links.place(q.data(), rest.data());
  return take_apart(view, links, procedure, why).has_value();
}

struct ProcedureSweep::Work {
  Work(const SystemView& v, LoopClosure& closure, Procedure procedure)
      : view(v),
        loops(closure),
        links(v),
        accelerations(v.bodies.size()),
        of_hinges(v.bodies.size()),
        of_cuts(v.cut_joints().size()) {
    std::vector<double> q(view.nq), rest(view.nv);
    for (const JointData& joint : view.joints) joint_neutral(joint, q.data() + joint.q_offset);
    links.place(q.data(), rest.data());
    std::string why;
    topology = *take_apart(view, links, procedure, why);
    axes = axes_of(topology);
  }

  // Turn a body and a vector to the axes and the places of the state vector, and back.
  RigidBody turned(const RigidBody& b) const {
    return {b.mass,         axes * b.r_IC, axes * b.r_IO, times_transpose(axes * b.J_I, axes),
            axes * b.Omega, axes * b.f_C,  axes * b.m_C};
  }
  Matrix reduced(const Matrix& U) const { return topology.layout.angular == 3 ? U : reduce_to_plane(U); }
  Vec3 linear(const Vector& z, Index first) const {
    const Layout& s = topology.layout;
    return transpose_times(
        axes, s.linear == 3 ? Vec3{z[first], z[first + 1], z[first + 2]} : Vec3{z[first], z[first + 1], 0});
  }
  Vec3 angular(const Vector& z, Index first) const {
    const Layout& s = topology.layout;
    return transpose_times(axes, s.angular == 3 ? Vec3{z[first], z[first + 1], z[first + 2]} : Vec3{0, 0, z[first]});
  }
  /// The wrench on the element before a connection point.
  Spatial on_element_before(const Vector& z) const {
    const Layout& s = topology.layout;
    return {angular(z, s.m()), -1.0 * linear(z, s.q())};
  }

  bool stays_in_plane(std::size_t& where) const noexcept {
    if (topology.layout.angular == 3) return true;
    const Vec3& n = topology.normal;
    const auto across = [&](const Vec3& a) { return std::abs(dot(n, a)) > most_across * norm(a); };
    const auto along = [&](const Vec3& a) { return norm(a - dot(n, a) * n) > most_across * norm(a); };
    for (where = 0; where < links.size(); ++where) {
      const RigidBody b = links.between(where, {}, {});
      if (across(b.f_C) || along(b.m_C) || along(b.Omega)) return false;
    }
    return true;
  }

  /// Steps A1 to A3 of one subchain.
  Chain chain_of(const Subchain& subchain) const {
    std::vector<Element> elements;
    for (const Passage& p : subchain.bodies) {
      Matrix U = reduced(transfer_matrix(turned(links.between(p.body, p.input, p.output))));
      if (!elements.empty()) elements.push_back({ball_hinge(topology.layout, U), true});
      elements.push_back({std::move(U), false});
    }
    return {topology.layout, subchain.tip, std::move(elements)};
  }

  /// Keeps the motion of a body, from the state at its input end.
  void keep_motion(std::size_t body, const Place& input, const Vector& z) {
    const Vec3 alpha = angular(z, topology.layout.omega()), &omega = links.motions()[body].V.angular;
    const Vec3 arm = links.to_hinge(body) + links.point(body, input);
    accelerations[body] = {alpha, linear(z, topology.layout.r()) - cross(alpha, arm) - cross(omega, cross(omega, arm))};
  }
  /// Keeps what passes from a body to its neighbour, as the load of the hinge on its outboard body.
  void keep_hinge(std::size_t before, std::size_t after, const Vector& z) {
    const std::size_t hinge = hinge_between(links, before, after);
    of_hinges[hinge] = (hinge == before ? 1.0 : -1.0) * on_element_before(z);
  }
  /// Keeps the load of ground on a body. before: the body is the element before the connection point.
  void keep_boundary(const Place& place, bool before, const Vector& z) {
    const Spatial on_body = (before ? 1.0 : -1.0) * on_element_before(z);
    if (place.kind == Place::Kind::own_hinge) of_hinges[place.index] = on_body;
    if (place.kind == Place::Kind::cut) of_cuts[place.index] = on_body;
  }
  void keep_chain(const Subchain& chain, const std::vector<Vector>& z) {
    for (std::size_t k = 0; k < chain.bodies.size(); ++k) {
      keep_motion(chain.bodies[k].body, chain.bodies[k].input, z[2 * k]);
      if (k > 0) keep_hinge(chain.bodies[k - 1].body, chain.bodies[k].body, z[2 * k]);
    }
    keep_boundary(chain.bodies.front().input, false, z.front());
  }

  bool solve_chain(const Connected& part) {
    const Subchain& subchain = part.chains.front();
    const Chain chain = chain_of(subchain);
    if (!chain.regular()) return fail(subchain.bodies.front().body, not_regular);
    const std::optional<Vector> root = chain.root(part.root);
    if (!root) return fail(subchain.bodies.front().body, not_determined);
    const std::vector<Vector> z = chain.states(*root);
    keep_chain(subchain, z);
    keep_boundary(subchain.bodies.back().output, true, z.back());
    return true;
  }

  bool solve_branch(const Connected& part) {
    const std::size_t hub = *part.hub;
    std::vector<Chain> chains;
    for (const Subchain& subchain : part.chains) {
      chains.push_back(chain_of(subchain));
      if (!chains.back().regular()) return fail(subchain.bodies.front().body, not_regular);
    }
    const Place& first = part.chains.front().at_hub;
    std::vector<Vec3> others;
    for (std::size_t k = 1; k < part.chains.size(); ++k)
      others.push_back(axes * (links.point(hub, part.chains[k].at_hub) - links.point(hub, first)));
    const RigidBody body = turned(links.between(hub, first, part.output));
    const Matrix U = reduced(multi_input_transfer_matrix(body, others));
    const MultiHinge hinge(topology.layout, U, others, body.Omega);
    const OverallEquation equation(topology.layout, std::move(chains), hinge, U);
    const auto solution = equation.solve(part.root);
    if (!solution) return fail(hub, not_determined);
    for (std::size_t k = 0; k < part.chains.size(); ++k) {
      keep_chain(part.chains[k], solution->chains[k]);
      keep_hinge(part.chains[k].bodies.back().body, hub, solution->chains[k].back());
    }
    keep_motion(hub, part.output, solution->z_O);
    keep_boundary(part.output, true, solution->z_O);
    return true;
  }

  bool fail(std::size_t joint, const char* why) {
    failed = joint;
    reason = why;
    return false;
  }

  /// Rates of the hinges from the accelerations of the bodies that they join.
  void find_rates(double* vdot) const {
    for (std::size_t i = 0; i < links.size(); ++i) {
      const HingeMotion& hinge = links.hinge(i);
      const Spatial& a = accelerations[i];
      if (hinge.H.cols() == 6) {
        const Vec3 &arm = links.to_hinge(i), &omega = links.motions()[i].V.angular;
        Vector6 z_b;
        z_b << to_eigen(a.linear + cross(a.angular, arm) + cross(omega, cross(omega, arm))), to_eigen(a.angular);
        Eigen::Map<Vector6>(vdot + links.velocity(i)) = hinge.H.partialPivLu().solve(z_b - hinge.bias);
        continue;
      }
      const std::size_t parent = links.parent(i);
      const Vec3 relative = parent == Links::ground ? a.angular : a.angular - accelerations[parent].angular;
      const Eigen::Vector3d turning = to_eigen(relative) - hinge.bias.tail<3>();
      for (Index k = 0; k < hinge.H.cols(); ++k)
        vdot[links.velocity(i) + static_cast<std::size_t>(k)] = hinge.H.col(k).tail<3>().dot(turning);
    }
  }

  /// The forces of the far ends as multipliers of the cut joints, T λ.
  void put_multipliers(std::span<const BodyMotion> motions) {
    for (std::size_t k = 0; k < of_cuts.size(); ++k) {
      const JointData& cut = view.cut_joints()[k];
      const JointConstraint& constraint = loops.constraints().joint(k);
      const Mat3& R = motion_of(cut.base_frame, motions).R;
      const double sign = is_ground(cut.base) ? 1.0 : -1.0;  // on the moving body
      const Spatial w{sign * transpose_times(R, of_cuts[k].angular), sign * transpose_times(R, of_cuts[k].linear)};
      double* multipliers = loops.multipliers().data() + loops.layout().loop(k).first_row;
      for (std::size_t r = 0; r < constraint.rows; ++r) multipliers[r] = dot(constraint.T[r], w);
    }
  }

  const SystemView& view;
  LoopClosure& loops;
  Links links;
  Topology topology;
  Mat3 axes;
  std::vector<Spatial> accelerations;       ///< of the frame origins
  std::vector<Spatial> of_hinges, of_cuts;  ///< their loads on their outboard body, and on the body that they pin
  std::size_t failed = 0;
  const char* reason = nullptr;
};

ProcedureSweep::ProcedureSweep(const SystemView& view, LoopClosure& loops, Procedure procedure,
                               std::unique_ptr<TreeSweep> recursion)
    : recursion_(std::move(recursion)), work_(std::make_unique<Work>(view, loops, procedure)) {}
ProcedureSweep::~ProcedureSweep() = default;

void ProcedureSweep::position_rates(const double* q, const double* v, double* qdot) const noexcept {
  recursion_->position_rates(q, v, qdot);
}

void ProcedureSweep::kinematics(const double* q, const double* v, const double* eta, const double* etadot) noexcept {
  recursion_->kinematics(q, v, eta, etadot);
  work_->links.place(q, v);
}

bool ProcedureSweep::accelerations(std::span<const FrameIndex> loaded, std::span<const Spatial> wrenches,
                                   std::span<const double> efforts, double* vdot, double*, bool) noexcept {
  Work& w = *work_;
  w.links.load(loaded, wrenches, efforts);
  w.links.turn_efforts_into_loads();
  if (std::size_t where = 0; !w.stays_in_plane(where)) return w.fail(where, leaves_plane);
  for (const Connected& part : w.topology.parts)
    if (!(part.hub ? w.solve_branch(part) : w.solve_chain(part))) return false;
  w.find_rates(vdot);
  w.put_multipliers(w.links.motions());
  return true;
}

SweepFailure ProcedureSweep::failure() const noexcept { return {work_->failed, false, work_->reason}; }

void ProcedureSweep::body_accelerations(std::span<Spatial> out) const noexcept {
  std::ranges::copy(work_->accelerations, out.begin());
}

void ProcedureSweep::reactions(std::span<Spatial> out) const noexcept {
  for (std::size_t i = 0; i < work_->of_hinges.size(); ++i)
    out[i] = (work_->links.reversed(i) ? -1.0 : 1.0) * (work_->of_hinges[i] + work_->links.hinge_load(i));
}

}  // namespace polyform::riccati::paper
