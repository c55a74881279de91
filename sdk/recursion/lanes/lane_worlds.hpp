// Batches of worlds of one tree: what kernels of any kind need around them. Forces and joints that are code are
// evaluated world by world.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "../sines.hpp"
#include "lane_arrays.hpp"
#include "lane_kernels.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::lanes {

/// Worlds in a batch, the same for every instruction set.
inline constexpr std::size_t usual_lanes = 8;
/// Rates that differ by more than this part of the largest are no matter of rounding: then the solver has lost digits
/// and won them back, which lanes do not.
inline constexpr double largest_difference = 1e-9;
/// In equilibrium all rates are rounding; what they are held against then is this part of gravity.
inline constexpr double part_of_gravity = 1e-3;
/// A world is compared with its own solver whenever what acts is another set, in so many of them.
inline constexpr std::size_t compared_sets = 16;

/// The kernels that go through the tables of any system.
template <class T>
class LoopedKernels {
 public:
  /// Of a lane, one evaluation in so many is also done by its own solver.
  static constexpr std::uint32_t between_checks = 128;

  explicit LoopedKernels(const LaneWorld&) {}

  /// Why the world is not carried beside what all kernels ask of it; nullptr where it is.
  const char* misfit(const LaneWorld&) const { return nullptr; }
  /// Whether they can leave out these rows of a loop.
  bool leaves_out(std::size_t /*loop*/, unsigned /*rows*/) const { return true; }
  /// Whether accelerate() finds what acts by itself.
  bool carries_forces() const { return false; }
  /// What acts in a lane of the last batch, as a number, where that is known.
  std::uint64_t acting(std::size_t /*lane*/) const { return 0; }
  /// Whether they were written for one model.
  static constexpr bool is_code = false;
  void move(const Batch<T>& b) { bad_ = lanes::move(b); }
  /// After move() in the same batch.
  Mask<T> accelerate(const Batch<T>& b) { return bad_ |= lanes::accelerate(b); }

 private:
  Mask<T> bad_{};
};

inline bool fits(const Link& a, const Link& b) {
  return a.parent == b.parent && a.inboard == b.inboard && a.frame == b.frame && a.hinge == b.hinge &&
         a.reversed == b.reversed && a.turned == b.turned && a.q == b.q && a.v == b.v && a.count == b.count;
}
inline bool fits(const JointData& a, const JointData& b) {
  return a.kernel == b.kernel && a.nq == b.nq &&
         std::ranges::equal(a.primitives, b.primitives, {}, &Primitive::kind, &Primitive::kind);
}

inline bool fits(const FlexibleData& a, const FlexibleData& b) {
  return a.type == b.type && a.body == b.body && a.modes == b.modes && a.mode_offset == b.mode_offset;
}
inline bool fits(const FlexibleNode& a, const FlexibleNode& b) {
  return a.body == b.body && a.second_order.size() == b.second_order.size();
}

/// What of a world does not fit to the first one; nullptr where all does.
inline const char* misfit(const LaneWorld& first, const LaneWorld& world) {
  if (world.library != lane_library()) return "it is of another library";
  if (const char* why = LaneEvaluation::refusal(world)) return why;
  const auto same = [](const auto& a, const auto& b) { return fits(a, b); };
  if (!std::ranges::equal(first.tree->links, world.tree->links, same) ||
      !std::ranges::equal(first.tree->general_joints, world.tree->general_joints, same))
    return "its tree of joints is another one";
  if (!std::ranges::equal(first.view->flexible, world.view->flexible, same) ||
      !std::ranges::equal(first.view->nodes, world.view->nodes, same))
    return "its flexible bodies are others";
  const auto same_ends = [](const LoopLayout::End& a, const LoopLayout::End& b) { return a.frame == b.frame; };
  if (!std::ranges::equal(first.view->cut_joints(), world.view->cut_joints(), same) ||
      !std::ranges::equal(first.loops->layout().all_ends(), world.loops->layout().all_ends(), same_ends))
    return "its loops are closed by other joints";
  if (first.view->states != world.view->states || first.view->frames() != world.view->frames() ||
      !std::ranges::equal(first.loads->frames(), world.loads->frames()) ||
      first.loads->forces().loads_joints() != world.loads->forces().loads_joints())
    return "its forces act on other bodies or joints";
  return nullptr;
}

/// Lanes for worlds like a first one, by kernels of any kind. all_lanes: worlds in the batch, one for one number, else
/// the same for every instruction set. Its members are what all worlds share, the arrays of the lanes, and the
/// numbers of one world that does without them.
template <class T, class Kernels, std::size_t all_lanes>
class Evaluation final : public LaneEvaluation {
 public:
  Evaluation(const LaneWorld& first, Kernels kernels)
      : first_(first),
        tables_(first),
        lists_(first),
        closing_(first),
        kernels_(std::move(kernels)),
        worlds_(all_lanes),
        since_check_(all_lanes),
        alone_(all_lanes),
        sets_(all_lanes),
        motions_(first.view->frames()),
        y_(first.solver->state_size()),
        ydot_(y_.size()),
        has_forces_(!first.loads->forces().empty() && !kernels_.carries_forces()),
        acts_(!first.loads->forces().empty() || !first.view->flexible.empty()),
        left_out_(first.loops->layout().count() * all_lanes),
        q_(first.view->nq),
        v_(first.view->nv),
        cut_q_((first.view->nq - first.view->nq_tree) * all_lanes),
        cut_v_((first.view->nv - first.view->nv_tree) * all_lanes) {
    packs_.reserve(packs);
    for (std::size_t pack = 0; pack < packs; ++pack) packs_.emplace_back(tables_, lists_, first);
  }

  std::size_t lanes() const noexcept override { return all_lanes; }
  std::size_t state_size() const noexcept override { return y_.size(); }
  std::size_t single_evaluations() const noexcept override { return single_; }
  std::string_view failure() const noexcept override { return failure_; }

  Status set_world(std::size_t lane, Solver& world) noexcept override {
    worlds_[lane] = {};
    const auto* const shown = static_cast<const LaneWorld*>(world.query(LaneWorld::interface_name));
    const char* why = shown == nullptr ? "its solver evaluates no batches" : misfit(first_, *shown);
    if (why == nullptr) why = kernels_.misfit(*shown);
    failure_ = why == nullptr ? "" : why;
    if (why != nullptr) return Status::failed;
    worlds_[lane] = *shown;
    packs_[lane / width].take(lane % width, *shown);
    for (std::size_t i = 0; i < shown->loops->layout().count(); ++i) {
      left_out_[i * all_lanes + lane] = static_cast<unsigned>((*shown->left_out)[i]);
      packs_[lane / width].loops().leave_out(lane % width, i, left_out_[i * all_lanes + lane]);
    }
    start_anew(lane);
    return Status::ok;
  }
  /// The next evaluations of the lane's world are of a state that has nothing to do with the ones before.
  void start_anew(std::size_t lane) noexcept {
    since_check_[lane] = Kernels::between_checks;
    alone_[lane] = 0;
    sets_[lane] = {};
  }

  void evaluate(const BatchInput& in, BatchOutput& out) noexcept override {
    for (std::size_t pack = 0; pack < packs; ++pack) {
      const std::span<const std::uint8_t> active = in.active.subspan(pack * width, width);
      bool any = false;
      for (std::size_t k = 0; k < width; ++k) any = any || (active[k] != 0 && alone_[pack * width + k] == 0);
      Mask<T> bad{};
      if (any) bad = evaluate_pack(pack, in, out);
      for (std::size_t k = 0; k < width; ++k)
        if (active[k] != 0) complete(pack * width + k, LanesOf<T>::is_marked(bad, k), in, out);
    }
  }

 private:
  static constexpr std::size_t width = LanesOf<T>::count, packs = all_lanes / width;

  Mask<T> evaluate_pack(std::size_t pack, const BatchInput& in, BatchOutput& out) noexcept {
    Arrays<T>& arrays = packs_[pack];
    const Tree& tree = tables_.tree;
    const Room<T>& room = arrays.room;
    const State<T> y{in.y.data() + pack * width, all_lanes};
    const Rates<T> rates{out.ydot.data() + pack * width, all_lanes};
    for (std::size_t k = 0; k < tree.angle_count; ++k) room.angles[k] = y[tree.angles[k]];
    sines_and_cosines(reinterpret_cast<const double*>(room.angles), tree.angle_count * width,
                      reinterpret_cast<double*>(room.sines), reinterpret_cast<double*>(room.cosines));
    double* const power = out.power.empty() ? nullptr : out.power.data() + pack * width;
    const Batch<T> batch{tables_.tree, closing_.plain, arrays.worlds, room, y, rates, power};
    for (const GeneralJoint& joint : tables_.general)
      if (joint.is_code) move_code(pack, joint, in, out);
    kernels_.move(batch);
    if (room.flexible != nullptr)
      for (std::size_t k = 0; k < width; ++k)
        if (in.active[pack * width + k] != 0) bend(pack, k, in, out);
    for (std::size_t c = 0; c < closing_.joints.size(); ++c)
      for (std::size_t k = 0; k < width && !closing_.joints[c].is_plain; ++k)
        if (in.active[pack * width + k] != 0) tie_world(pack, k, c, in, out);
    if (has_forces_)
      for (std::size_t k = 0; k < width; ++k)
        if (in.active[pack * width + k] != 0) load(pack, k, in, out);
    if (room.loops != nullptr) leave_rows_out(pack, in);
    return kernels_.accelerate(batch);
  }

  /// The motion of a joint that is code, and the rates of its coordinates.
  void move_code(std::size_t pack, const GeneralJoint& general, const BatchInput& in, BatchOutput& out) noexcept {
    const Link& link = tables_.links[general.body];
    Motion<T>& to = packs_[pack].room.motions[link.place];
    for (std::size_t k = 0; k < width; ++k) {
      const std::size_t lane = pack * width + k;
      if (in.active[lane] == 0) continue;
      const JointData& joint = worlds_[lane].tree->general_joints[link.place];
      const auto put = [k](T& number, double x) { LanesOf<T>::set(number, k, x); };
      for (std::size_t i = 0; i < joint.nq; ++i) y_[i] = in.y[(link.q + i) * all_lanes + lane];
      for (std::size_t i = 0; i < joint.nv; ++i)
        y_[joint.nq + i] = in.y[(tables_.tree.nq + link.v + i) * all_lanes + lane];
      JointMotion m;
      joint_motion(joint, y_.data(), y_.data() + joint.nq, m);
      for (std::size_t i = 0; i < 9; ++i) put(to.R_FM.m[i], m.R_FM.m[i]);
      for (std::size_t i = 0; i < 3; ++i) put(to.p_FM[i], m.p_FM[i]);
      for (std::size_t i = 0; i < 6; ++i) {
        put(to.twist[i], m.twist[i]);
        put(to.bias[i], m.bias[i]);
        for (std::size_t j = 0; j < joint.nv; ++j) put(to.H[j][i], m.H[j][i]);
      }
      joint_position_rates(joint, y_.data(), y_.data() + joint.nq, ydot_.data());
      for (std::size_t i = 0; i < joint.nq; ++i) out.ydot[(link.q + i) * all_lanes + lane] = ydot_[i];
    }
  }

  /// The coordinates of a cut joint and its rows, at the motions that the tree gives its frames.
  void tie_world(std::size_t pack, std::size_t k, std::size_t c, const BatchInput& in, BatchOutput& out) noexcept {
    const std::size_t lane = pack * width + k;
    const JointData& cut = worlds_[lane].view->cut_joints()[c];
    const auto motion = [&](FrameIndex f) {
      if (!is_ground(f)) take_motion(packs_[pack].room, k, f);
      return motion_of(f, motions_);
    };
    double q[most_joint_positions], v[6]{}, rates[most_joint_positions];
    for (std::size_t i = 0; i < cut.nq; ++i) q[i] = in.y[(closing_.plain.place + cut.q_offset + i) * all_lanes + lane];
    JointConstraint constraint;
    const BodyMotion base = motion(cut.base_frame), moving = motion(cut.moving_frame);
    joint_constraint(cut, base, moving, q, v, constraint);
    const std::size_t rows = std::min(constraint.rows, first_.loops->layout().loop(c).rows);
    packs_[pack].put_cut(k, c, {constraint.T, rows}, constraint.motion.bias);
    joint_position_rates(cut, q, v, rates);
    for (std::size_t i = 0; i < cut.nq; ++i)
      out.ydot[(closing_.plain.place + cut.q_offset + i) * all_lanes + lane] = rates[i];
    for (std::size_t i = 0; i < cut.nq; ++i)
      cut_q_[(cut.q_offset - first_.view->nq_tree + i) * all_lanes + lane] = q[i];
    for (std::size_t i = 0; i < cut.nv; ++i)
      cut_v_[(cut.v_offset - first_.view->nv_tree + i) * all_lanes + lane] = v[i];
  }

  /// Rows that a world's own solver has come to leave out since.
  void leave_rows_out(std::size_t pack, const BatchInput& in) noexcept {
    for (std::size_t k = 0; k < width; ++k) {
      const std::size_t lane = pack * width + k;
      for (std::size_t i = 0; i < first_.loops->layout().count() && in.active[lane] != 0; ++i) {
        const auto rows = static_cast<unsigned>((*worlds_[lane].left_out)[i]);
        if (rows == left_out_[i * all_lanes + lane]) continue;
        left_out_[i * all_lanes + lane] = rows;
        packs_[pack].loops().leave_out(k, i, rows);
      }
    }
  }
  bool leaves_out_rows(std::size_t lane) const noexcept {
    for (std::size_t i = 0; i < first_.loops->layout().count(); ++i)
      if (!kernels_.leaves_out(i, left_out_[i * all_lanes + lane])) return false;
    return true;
  }

  /// The equations of the flexible bodies of the world of a lane, by the bodies' own types.
  void bend(std::size_t pack, std::size_t k, const BatchInput& in, BatchOutput& out) noexcept {
    const std::size_t lane = pack * width + k;
    const FlexibleRoom<T>& room = *packs_[pack].room.flexible;
    for (std::size_t i = 0; i < room.tree.count; ++i) {
      BodyMotion& body = motions_[room.tree.elements[i].body];
      for (std::size_t n = 0; n < 9; ++n) body.R.m[n] = LanesOf<T>::lane(room.R[i].m[n], k);
      for (std::size_t n = 0; n < 3; ++n) body.V.angular[n] = LanesOf<T>::lane(room.omega[i][n], k);
    }
    for (std::size_t i = 0; i < 2 * room.tree.modes; ++i) y_[i] = in.y[(room.tree.eta + i) * all_lanes + lane];
    FlexibleSet& set = worlds_[lane].loops->flexible().set();
    set.evaluate(motions_, y_.data(), y_.data() + room.tree.modes);
    for (std::size_t i = 0; i < room.tree.count; ++i) packs_[pack].bend(k, i, set.mass(i), set.force(i));
    if (!out.power.empty()) out.power[lane] = set.damping_power();
  }
  double power_of(const LaneWorld& world) const noexcept {
    const double of_forces = world.loads->forces().power();
    return world.view->flexible.empty() ? of_forces : of_forces + world.loops->flexible().set().damping_power();
  }

  void take_motion(const Room<T>& room, std::size_t k, FrameIndex f) noexcept {
    const auto get = [k](const T& number) { return LanesOf<T>::lane(number, k); };
    const auto get_vector = [&](const Vector3<T>& v) -> Vec3 { return {get(v.x), get(v.y), get(v.z)}; };
    const FrameMotion<T>& from = room.frames[at(f)];
    BodyMotion& to = motions_[at(f)];
    for (std::size_t i = 0; i < 9; ++i) to.R.m[i] = get(from.R.m[i]);
    to.p = get_vector(from.p);
    to.V = {get_vector(from.V.angular), get_vector(from.V.linear)};
  }

  /// What acts on the world of a lane.
  void load(std::size_t pack, std::size_t k, const BatchInput& in, BatchOutput& out) noexcept {
    const std::size_t lane = pack * width + k;
    const LaneWorld& world = worlds_[lane];
    const Room<T>& room = packs_[pack].room;
    const std::span<const FrameIndex> loaded = world.loads->frames();
    for (const FrameIndex f : loaded) take_motion(room, k, f);
    take_state(lane, in.y);
    const SystemView& view = *world.view;
    // Of all joints: those of the tree, then the cut ones, whose coordinates tie_world() found.
    std::copy_n(y_.begin(), view.nq_tree, q_.begin());
    std::copy_n(y_.begin() + static_cast<std::ptrdiff_t>(view.nq_tree), view.nv_tree, v_.begin());
    for (std::size_t i = view.nq_tree; i < q_.size(); ++i) q_[i] = cut_q_[(i - view.nq_tree) * all_lanes + lane];
    for (std::size_t i = view.nv_tree; i < v_.size(); ++i) v_[i] = cut_v_[(i - view.nv_tree) * all_lanes + lane];
    const std::size_t moving = view.nq_tree + view.nv_tree + 2 * view.modes;
    const std::span<double> rates = std::span(ydot_).subspan(moving, view.states);
    world.loads->evaluate(in.t[lane], {motions_, q_, v_}, std::span(y_).subspan(moving, view.states), rates);
    for (std::size_t i = 0; i < rates.size(); ++i) out.ydot[(moving + i) * all_lanes + lane] = rates[i];
    if (!out.power.empty()) out.power[lane] = power_of(world);
    for (const FrameIndex f : loaded) {
      const Spatial& w = world.loads->wrenches()[at(f)];
      const bool is_rigid = attachment_of(room.flexible, f) == no_attachment;
      const Vec3 arm = is_rigid ? motions_[at(f)].R * world.tree->frames[at(f)].to_P : Vec3{};
      const Vec3 moment = w.angular - cross(arm, w.linear);
      SpatialVector<T>& to = room.loads[at(f)];
      for (std::size_t i = 0; i < 3; ++i) {
        LanesOf<T>::set(to.angular[i], k, moment[i]);
        LanesOf<T>::set(to.linear[i], k, w.linear[i]);
      }
    }
    const std::span<const double> efforts = world.loads->efforts();
    for (std::size_t i = 0; i < std::min(efforts.size(), view.nv_tree); ++i)
      LanesOf<T>::set(room.efforts[i], k, efforts[i]);
  }

  void take_state(std::size_t lane, std::span<const double> y) noexcept {
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = y[i * all_lanes + lane];
  }

  /// Where the kernels cannot do the lane, or it is time for a check, its own solver does it.
  void complete(std::size_t lane, bool bad, const BatchInput& in, BatchOutput& out) noexcept {
    out.done[lane] = 1;
    if (!acts_ && !out.power.empty()) out.power[lane] = 0;
    bad = bad || !leaves_out_rows(lane);
    const bool is_new = sets_[lane].takes(kernels_.acting(lane % width));
    const bool due = ++since_check_[lane] > Kernels::between_checks || is_new;
    if (!bad && !due && alone_[lane] == 0) return;
    take_state(lane, in.y);
    Solver& solver = *worlds_[lane].solver;
    const bool solved = solver.derivative(in.t[lane], y_, ydot_) == Status::ok;
    if (due) {
      since_check_[lane] = 0;
      if (!bad && solved && alone_[lane] == 0 && agrees(lane, in.t[lane], out.ydot)) return;
      if (!bad) alone_[lane] = 1;
    }
    ++single_;
    out.done[lane] = solved ? 1 : 0;
    for (std::size_t i = 0; i < ydot_.size(); ++i) out.ydot[i * all_lanes + lane] = ydot_[i];
    if (acts_ && !out.power.empty()) out.power[lane] = power_of(worlds_[lane]);
  }
  bool agrees(std::size_t lane, double t, std::span<const double> ydot) const noexcept {
    double largest = part_of_gravity * norm(worlds_[lane].view->gravity), difference = 0;
    for (std::size_t i = 0; i < ydot_.size(); ++i) {
      largest = std::max(largest, std::abs(ydot_[i]));
      difference = std::max(difference, std::abs(ydot_[i] - ydot[i * all_lanes + lane]));
    }
    CodeDisagreement* const told = worlds_[lane].disagreement;
    if (Kernels::is_code && told != nullptr && !(difference <= CodeDisagreement::told_from * largest) &&
        told->part == 0)
      *told = {largest > 0 ? difference / largest : 1, t};
    return difference <= largest_difference * largest;
  }

  const LaneWorld first_;
  const Tables tables_;
  const LoopLists lists_;
  const Closing closing_;
  Kernels kernels_;
  std::vector<Arrays<T>> packs_;
  std::vector<LaneWorld> worlds_;
  std::vector<std::uint32_t> since_check_;
  /// Sets of what acts in which a lane was compared.
  struct ComparedSets {
    std::array<std::uint64_t, compared_sets> sets{};
    std::size_t count = 0;
    /// Whether the set is another one, and there is room for it.
    bool takes(std::uint64_t set) {
      const auto end = sets.begin() + static_cast<std::ptrdiff_t>(count);
      if (count == sets.size() || std::find(sets.begin(), end, set) != end) return false;
      sets[count++] = set;
      return true;
    }
  };

  std::vector<std::uint8_t> alone_;  ///< lanes whose own solver does all evaluations
  std::vector<ComparedSets> sets_;
  std::vector<BodyMotion> motions_;    ///< of one world, for its forces
  std::vector<double> y_, ydot_;       ///< of one world
  bool has_forces_;                    ///< that the worlds find by themselves
  bool acts_;                          ///< anything at all
  std::vector<unsigned> left_out_;     ///< rows of each loop in each lane
  std::vector<double> q_, v_;          ///< of all joints of one world
  std::vector<double> cut_q_, cut_v_;  ///< of the cut joints in all lanes, where forces act on them
  std::size_t single_ = 0;
  std::string_view failure_;
};

}  // namespace polyform::lanes
