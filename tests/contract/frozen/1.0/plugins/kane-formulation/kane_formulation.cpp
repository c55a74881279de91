// Kane's equations for trees of rigid bodies (Kane and Levinson, Dynamics: Theory and Applications, 1985, Sect. 6.1):
// a whole formulation in one file.
//
// The velocity coordinates v of the joints are the generalized speeds, y = [q v x]. With the partial velocities v_r of
// the mass centres and ω_r of the bodies, for each r
//
//   F_r + F_r* = 0,   F_r = Σ (v_r·F + ω_r·T) + τ_r,   F_r* = −Σ (v_r·m a + ω_r·(I α + ω × I ω))
//
// and, the accelerations being a = Σ v_s v̇_s + a⁰:   M v̇ = F + F*⁰,   M_rs = Σ (m v_r·v_s + ω_r·I ω_s).
//
// M is dense, and all partial velocities are kept: cost and memory grow with the cube and square of the system, which
// is why supports() draws a line.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "polyform/helpers/compile.hpp"
#include "polyform/mechanics/force_set.hpp"
#include "polyform/contract/formulation.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/mechanics/observation.hpp"
#include "polyform/contract/plugin.hpp"

namespace example {
namespace {

using namespace polyform;

class KaneSolver final : public Solver {
 public:
  explicit KaneSolver(const SystemView& view)
      : view_(view),
        tree_(view),
        forces_(view),
        nv_(view.nv),
        partial_(nv_ * view.bodies.size()),
        M_(nv_ * nv_),
        unit_(nv_),
        vdot_(nv_),
        efforts_(nv_),
        xdot_(view.states),
        acceleration_(view.bodies.size()),
        wrenches_(view.bodies.size()),
        loads_(view.bodies.size()),
        orientations_(view.bodies.size()) {
    failure_.reserve(200);
  }
  bool good() const { return forces_.good(); }
  std::string_view failure() const noexcept override { return failure_; }
  void destroy() noexcept override { delete this; }

 private:
  ~KaneSolver() = default;

  std::size_t do_state_size() const noexcept override { return view_.nq + nv_ + view_.states; }

  Status do_encode(const ConstStateView& state, std::span<double> y) noexcept override {
    std::copy(state.x.begin(), state.x.end(),
              std::copy(state.v.begin(), state.v.end(), std::copy(state.q.begin(), state.q.end(), y.begin())));
    return Status::ok;
  }

  Status do_decode(std::span<const double> y, const StateView& state) noexcept override {
    std::copy_n(q(y), view_.nq, state.q.begin());
    std::copy_n(v(y), nv_, state.v.begin());
    std::copy_n(x(y).data(), view_.states, state.x.begin());
    return Status::ok;
  }

  Status do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override {
    if (!find_accelerations(t, y)) return Status::failed;
    for (const JointData& joint : view_.joints)
      joint_position_rates(joint, q(y) + joint.q_offset, v(y) + joint.v_offset, ydot.data() + joint.q_offset);
    std::copy(xdot_.begin(), xdot_.end(), std::copy(vdot_.begin(), vdot_.end(), ydot.data() + view_.nq));
    return Status::ok;
  }

  /// Trees do not drift; quaternions are scaled back to unit length.
  Status do_correct(double, std::span<double> y, Correction& out) noexcept override {
    out.position_residual = out.velocity_residual = 0;
    out.iterations = 0;
    for (const JointData& joint : view_.joints)
      out.position_residual = std::max(out.position_residual, joint_normalize(joint, y.data() + joint.q_offset));
    return Status::ok;
  }

  Status do_observe(double t, std::span<const double> y, Observation& out) noexcept override {
    if (!find_accelerations(t, y)) return Status::failed;
    tree_.accelerations(vdot_.data(), acceleration_);
    tree_.orientations(q(y), orientations_);
    for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
      const BodyMotion& m = tree_.bodies()[i];
      Observation::Body& body = out.bodies[i];
      body.pose = {normalized(orientations_[i]), m.p};
      body.velocity = m.V.linear;
      body.angular_velocity = m.V.angular;
      body.acceleration = acceleration_[i].linear;
      body.angular_acceleration = acceleration_[i].angular;
    }
    do_decode(y, out.state());
    std::copy(vdot_.begin(), vdot_.end(), out.acceleration.begin());
    std::copy(xdot_.begin(), xdot_.end(), out.state_rates.begin());
    find_reactions(out.reactions);
    out.kinetic_energy = kinetic_energy(view_, tree_.bodies());
    out.potential_energy = gravity_potential(view_, tree_.bodies()) + forces_.potential_energy();
    out.power = forces_.power();
    out.position_violation = out.velocity_violation = 0;
    return Status::ok;
  }

  /// What a body's acceleration takes, about its frame origin, less the weight: the generalized inertia force,
  /// negative.
  Spatial inertia_wrench(std::size_t body, const Spatial& acceleration, bool at_rest) const noexcept {
    const BodyData& data = view_.bodies[body];
    const BodyMotion& m = tree_.bodies()[body];
    const Vec3 c = m.R * data.center_of_mass, w = at_rest ? Vec3{} : m.V.angular, &alpha = acceleration.angular;
    const Sym3 inertia = rotate(m.R, data.inertia);
    const Vec3 a = acceleration.linear + cross(alpha, c) + cross(w, cross(w, c)) - (at_rest ? Vec3{} : view_.gravity);
    const Vec3 force = data.mass * a;
    return {inertia * alpha + cross(w, inertia * w) + cross(c, force), force};
  }

  bool find_accelerations(double t, std::span<const double> y) noexcept {
    const std::size_t n = view_.bodies.size();
    tree_.evaluate(q(y), v(y));
    forces_.evaluate(t, tree_.frames(), {q(y), view_.nq}, {v(y), nv_}, x(y), wrenches_, efforts_, xdot_);

    // a⁰, and the loads that it leaves; then the partial velocities: what a unit of v̇_r adds to the accelerations.
    tree_.accelerations(unit_.data(), acceleration_);
    for (std::size_t i = 0; i < n; ++i) loads_[i] = wrenches_[i] - inertia_wrench(i, acceleration_[i], false);
    for (std::size_t r = 0; r < nv_; ++r) {
      const std::span<Spatial> column = std::span(partial_).subspan(r * n, n);
      unit_[r] = 1;
      tree_.accelerations(unit_.data(), column);
      unit_[r] = 0;
      vdot_[r] = efforts_[r];
      for (std::size_t i = 0; i < n; ++i) {
        column[i] -= acceleration_[i];
        vdot_[r] += dot(column[i], loads_[i]);
        const Spatial inertia = inertia_wrench(i, column[i], true);
        for (std::size_t s = 0; s <= r; ++s)
          M_[r * nv_ + s] = (i ? M_[r * nv_ + s] : 0) + dot(partial_[s * n + i], inertia);
      }
    }
    return solve();
  }

  /// Cholesky's factorization of M (lower triangle), and v̇ in place of the right-hand side.
  bool solve() noexcept {
    for (std::size_t r = 0; r < nv_; ++r) {
      double* row = M_.data() + r * nv_;
      const double diagonal = row[r];
      for (std::size_t s = 0; s <= r; ++s) {
        const double* other = M_.data() + s * nv_;
        double sum = row[s];
        for (std::size_t k = 0; k < s; ++k) sum -= row[k] * other[k];
        row[s] = s < r ? sum / other[s] : sum;
      }
      if (!(row[r] > 1e-14 * diagonal)) return fail(r);
      row[r] = std::sqrt(row[r]);
      for (std::size_t k = 0; k < r; ++k) vdot_[r] -= row[k] * vdot_[k];
      vdot_[r] /= row[r];
    }
    for (std::size_t r = nv_; r-- > 0;) {
      vdot_[r] /= M_[r * nv_ + r];
      for (std::size_t k = 0; k < r; ++k) vdot_[k] -= M_[r * nv_ + k] * vdot_[r];
    }
    failure_.clear();
    return true;
  }
  bool fail(std::size_t velocity) noexcept {
    failure_.clear();
    for (const JointData& joint : view_.joints)
      if (velocity >= joint.v_offset && velocity < joint.v_offset + joint.nv)
        fmt::format_to(std::back_inserter(failure_), "what hangs on the joint {:.80} has no inertia against its motion",
                       joint.name);
    return false;
  }

  /// From the tips to ground: a joint transmits what its outboard body and all beyond need, less the applied forces.
  void find_reactions(std::span<Spatial> reactions) noexcept {
    for (std::size_t i = 0; i < loads_.size(); ++i)
      loads_[i] = inertia_wrench(i, acceleration_[i], false) - wrenches_[i];
    for (std::size_t i = loads_.size(); i-- > 0;) {
      const JointData& joint = view_.joints[i];
      const Spatial& load = loads_[i];
      const Vec3 &p = tree_.bodies()[i].p, in = motion_of(joint.inboard(), tree_.bodies()).p;
      if (!is_ground(joint.inboard()))
        loads_[at(joint.inboard())] += Spatial{load.angular + cross(p - in, load.linear), load.linear};
      const BodyMotion& moving = motion_of(joint.moving, tree_.bodies());
      const Vec3 origin = moving.p + moving.R * joint.p_moving;
      reactions[i] =
          (joint.reversed ? -1.0 : 1.0) * Spatial{load.angular + cross(p - origin, load.linear), load.linear};
    }
  }

  const double* q(std::span<const double> y) const { return y.data(); }
  const double* v(std::span<const double> y) const { return y.data() + view_.nq; }
  std::span<const double> x(std::span<const double> y) const { return y.last(view_.states); }

  const SystemView& view_;
  TreeKinematics tree_;
  ForceSet forces_;
  std::size_t nv_;
  std::vector<Spatial> partial_;  ///< nv × bodies: angular velocity, velocity of the frame origin; ground axes
  std::vector<double> M_;         ///< nv × nv
  std::vector<double> unit_;      ///< nv, zero between calls
  std::vector<double> vdot_, efforts_, xdot_;
  std::vector<Spatial> acceleration_, wrenches_, loads_;  ///< per body, about its frame origin
  std::vector<Quat> orientations_;
  std::string failure_;
};

constexpr std::size_t most_velocities = 1000;

class KaneFormulation final : public Formulation {
 public:
  std::string_view name() const noexcept override { return "kane"; }
  std::string_view meaning() const noexcept override { return "Kane's equations with a dense mass matrix, for trees"; }
  std::string_view source() const noexcept override {
    return "Kane and Levinson, Dynamics: Theory and Applications, 1985";
  }
  Strided<const FieldSpec> options() const noexcept override { return {}; }
  std::uint32_t abilities() const noexcept override {
    return Ability::first_order_states | Ability::code_joints | Ability::reactions;
  }
  /// Never the host's choice while another can run the model.
  int preference() const noexcept override { return 0; }
  bool supports(const SystemView& view, DiagnosticSink& sink) const noexcept override {
    if (view.nv <= most_velocities) return true;
    Diagnostic d;
    d.message = "kane cannot run this: the model has more than 1000 degrees of freedom, and its mass matrix is dense";
    d.remedy = "use a formulation with a cost linear in the bodies; polyform plugins lists them";
    sink.report(d);
    return false;
  }
  Solver* compile(const SystemView& view, Strided<const FieldValue>, DiagnosticSink& sink) const noexcept override {
    return compiled(name(), "make the model smaller, or use a formulation with a cost linear in the bodies", sink,
                    [&](std::optional<Refusal>&) { return made_solver<KaneSolver>(view); });
  }
};

constexpr KaneFormulation formulation;

}  // namespace
}  // namespace example

POLYFORM_PLUGIN("formulation", "kane-formulation", "1.0") { registrar.add(example::formulation); }
