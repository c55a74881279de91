#include "sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "overall.hpp"

namespace polyform::riccati::paper {
namespace {

/// 6 (1 + L) unknowns per body with L inputs in one dense equation: up to here it takes about a second per evaluation.
constexpr std::size_t most_unknowns = 3000;
/// If the next hinge feels the motion of a hinge by less than this, the hinge is not multiplied through: its transfer
/// matrix would be of no use, or not exist.
constexpr double least_alignment = 0.01;

}  // namespace

bool can_carry(const SystemView& view, const Variant& variant, std::string& why) {
  if (!view.cut_joints().empty()) {
    why =
        fmt::format("the paper's variants support trees only, and joint `{}` closes a loop", view.cut_joints()[0].name);
    return false;
  }
  for (const ConstraintInstances& group : view.constraints)
    if (!group.names.empty()) {
      why = fmt::format("the paper's variants support trees only, and constraint `{}` closes one", group.names[0]);
      return false;
    }
  for (const ModuleInstances& group : view.modules)
    if (!group.names.empty()) {
      why = fmt::format("the paper's variants have no further coordinates, as module `{}` would bring", group.names[0]);
      return false;
    }
  if (!view.flexible.empty()) {
    why = fmt::format("the paper's variants support rigid bodies only, and body `{}` is flexible",
                      view.bodies[at(view.flexible[0].body)].name);
    return false;
  }
  if (!variant.overall) return true;
  const OverallSize size = overall_size(view);
  if (size.unknowns <= most_unknowns) return true;
  why = fmt::format(
      "option `branches: overall` makes one dense equation of {} unknowns for the {} bodies with several "
      "inputs (the first is `{}`); it is limited to {}",
      size.unknowns, size.bodies, view.bodies[at(size.first)].name, most_unknowns);
  return false;
}

struct Sweep::Work {
  /// A run, its start, and the way back through its first body.
  struct Chained {
    Run run;
    std::vector<std::size_t> before;      ///< runs that end at the input ends of the first body
    std::size_t start = Overall::none;    ///< place of the overall equation's body at the start of the chain
    bool ends_chain = true;               ///< it ends at ground or at a body with several inputs
    RiccatiStep<6, Eigen::Dynamic> step;  ///< through the first body
    Matrix6 P = Matrix6::Identity();      ///< z_b at the start of the chain = P z_b at the end of this run + p y
    Matrix6X p;
  };

  Work(const SystemView& v, const Variant& choice)
      : view(v),
        variant(choice),
        links(v),
        overall(links),
        z_b(links.size(), Vector6::Zero()),
        z_a(links.size(), Vector6::Zero()) {
    std::vector<double> q(view.nq_tree), rest(view.nv_tree);
    for (const JointData& joint : view.tree_joints()) joint_neutral(joint, q.data() + joint.q_offset);
    links.place(q.data(), rest.data());
    make_runs();
  }

  void make_runs() {
    std::vector<std::size_t> run_of(links.size(), Overall::none);
    for (std::size_t first = links.size(); first-- > 0;) {
      if (run_of[first] != Overall::none) continue;  // inside the run of a body further out
      std::size_t last = first;
      while (continues(last)) last = links.parent(last);
      std::vector<std::size_t> before;
      for (const std::size_t child : links.children(first)) before.push_back(run_of[child]);
      std::size_t start = Overall::none;
      if (variant.overall) start = before.size() == 1 ? chained[before.front()].start : overall.place(first);
      const Index columns = start == Overall::none ? 1 : overall.columns(start);
      Chained c{Run(links, first, last, columns), std::move(before), start, true, {}, Matrix6::Identity(), {}};
      c.p = c.step.q = c.step.Pq = c.step.e_next = Matrix6X::Zero(6, columns);
      const std::size_t parent = links.parent(last);
      c.ends_chain = parent == Links::ground || links.children(parent).size() > 1;
      for (std::size_t i = first;; i = links.parent(i)) {
        run_of[i] = chained.size();
        if (i == last) break;
      }
      chained.push_back(std::move(c));
    }
  }
  /// Whether a run goes on through the hinge of a body.
  bool continues(std::size_t body) const {
    const std::size_t parent = links.parent(body);
    return variant.product && parent != Links::ground && links.children(parent).size() == 1 &&
           alignment(links, body) > least_alignment;
  }

  /// Finds S and F of a run's first body at its output end, from those at its input ends.
  void start(Chained& c) noexcept {
    const std::size_t body = c.run.first();
    Relation& s = c.run.start();
    if (c.before.size() == 1) {  // Eqs 24–30 through the body
      step(c, links.element(chained[c.before.front()].run.last()), chained[c.before.front()].run.end());
      s.S = c.step.S_next;
      s.F = c.step.e_next;
      return;
    }
    const Matrix13 own = links.own_element(body);
    s.S = own.block<6, 6>(6, 0);
    s.F.setZero();
    s.F.col(0) = own.block<6, 1>(6, 12);
    Index column = 1;
    for (const std::size_t before : c.before) {
      const std::size_t child = chained[before].run.last();
      if (variant.overall) {  // Eq 8: further columns for m and q of each input
        s.F.middleCols<6>(column) = links.X(child);
        column += 6;
      } else {
        step(c, links.massless_element(child), chained[before].run.end());
        s.S += c.step.S_next;
        s.F += c.step.e_next;
      }
    }
  }
  static void step(Chained& c, const Matrix13& U, const Relation& before) noexcept {
    c.step.set(U.block<6, 6>(6, 6), U.block<6, 6>(6, 0), U.block<6, 6>(0, 6), U.block<6, 6>(0, 0), U.block<6, 1>(6, 12),
               U.block<6, 1>(0, 12), before.S, before.F);
  }

  /// Adds a run to the way from the start of its chain to its end.
  void chain_up(Chained& c) noexcept {
    if (c.start == Overall::none) return;
    c.P = c.run.P();
    c.p = c.run.p();
    if (c.before.size() != 1) return;
    const Chained& outer = chained[c.before.front()];
    const Matrix6 through = outer.P * c.step.P;
    c.p = outer.p;
    c.p += outer.P.lazyProduct(c.step.Pq);
    c.p += through.lazyProduct(c.run.p());
    c.P = through * c.run.P();
  }

  bool forwards() noexcept {
    if (variant.overall) overall.clear();
    for (Chained& c : chained) {
      start(c);
      if (!c.run.condense(links)) {
        failed = c.run.failed();
        reason = failed == c.run.first() && c.run.first() == c.run.last()
                     ? nullptr
                     : "cannot be passed by option `algorithm: transfer-product`: the product has lost all digits, or "
                       "the motion of the joint is not felt by the next one; use `algorithm: riccati`";
        return false;
      }
      if (!variant.overall) continue;
      chain_up(c);
      if (c.ends_chain) overall.add_chain(links, c.run.last(), c.start, c.run.end(), c.P, c.p);
    }
    if (!variant.overall || overall.empty() || overall.solve()) return true;
    reason = "belongs to an overall equation that is singular (option `branches: overall`)";
    failed = 0;
    return false;
  }

  void backwards(double* vdot) noexcept {
    static const Vector one = Vector::Ones(1);
    for (std::size_t r = chained.size(); r-- > 0;) {
      const Chained& c = chained[r];
      const std::size_t parent = links.parent(c.run.last());
      Vector6 z = Vector6::Zero();
      if (parent != Links::ground) z = links.X(c.run.last()) * z_b[parent] + links.gamma(c.run.last());
      c.run.back(links, z, c.start == Overall::none ? one : overall.y(c.start), z_b, z_a, vdot);
    }
  }

  const SystemView& view;
  Variant variant;
  Links links;
  Overall overall;
  std::vector<Chained> chained;   ///< from the tips to the roots
  std::vector<Vector6> z_b, z_a;  ///< at the output end of each body
  std::size_t failed = 0;
  const char* reason = nullptr;
};

Sweep::Sweep(const SystemView& view, const Variant& variant) : work_(std::make_unique<Work>(view, variant)) {}
Sweep::~Sweep() = default;

void Sweep::position_rates(const double* q, const double* v, double* qdot) const noexcept {
  for (const JointData& joint : work_->view.tree_joints())
    joint_position_rates(joint, q + joint.q_offset, v + joint.v_offset, qdot + joint.q_offset);
}

void Sweep::kinematics(const double* q, const double* v, const double*, const double*) noexcept {
  work_->links.place(q, v);
}

std::span<const BodyMotion> Sweep::motions(const double*) noexcept { return work_->links.motions(); }

bool Sweep::accelerations(std::span<const FrameIndex> loaded, std::span<const Spatial> wrenches,
                          std::span<const double> efforts, double* vdot, double*, bool) noexcept {
  work_->links.load(loaded, wrenches, efforts);
  if (!work_->forwards()) return false;
  work_->backwards(vdot);
  lost_ = 0;
  for (const Work::Chained& c : work_->chained) lost_ = std::max(lost_, c.run.lost());
  return true;
}

SweepFailure Sweep::failure() const noexcept { return {work_->failed, false, work_->reason}; }

void Sweep::body_accelerations(std::span<Spatial> out) const noexcept {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = work_->links.origin_acceleration(i, work_->z_b[i]);
}

void Sweep::reactions(std::span<Spatial> out) const noexcept {
  for (std::size_t i = 0; i < work_->z_a.size(); ++i) {
    out[i] = (work_->links.reversed(i) ? -1.0 : 1.0) * wrench_before(work_->z_a[i]);
  }
}

}  // namespace polyform::riccati::paper
