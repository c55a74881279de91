// The numbers and the room of as many worlds as one pack holds.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "lane_flexible_arrays.hpp"
#include "lane_loops.hpp"
#include "polyform/mechanics/constraint.hpp"
#include "polyform/solvers/lane_evaluation.hpp"

namespace polyform::lanes {

/// The tables of a tree that all packs share.
struct Tables {
  explicit Tables(const LaneWorld& world)
      : links(world.tree->links), angles(world.tree->rotations), flexible(world) {
    for (const JointData& joint : world.tree->general_joints) {
      const auto body = static_cast<std::uint32_t>(&joint - world.tree->general_joints.data());
      general.push_back({body, static_cast<std::uint32_t>(primitives.size()),
                         static_cast<std::uint32_t>(joint.primitives.size()), joint.kernel != nullptr});
      std::size_t q = joint.q_offset;
      for (const Primitive& primitive : joint.primitives) {
        primitives.push_back({primitive.kind, static_cast<std::uint32_t>(angles.size())});
        if (primitive.kind == Primitive::Kind::rotation) angles.push_back(static_cast<std::uint32_t>(q));
        q += position_count(primitive.kind);
      }
    }
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (links[i].hinge == Hinge::general) general[links[i].place].body = static_cast<std::uint32_t>(i);
      // Columns count the directions of all hinges; singles count the hinges that have one of their own kind.
      if (links[i].hinge == Hinge::rotation || links[i].hinge == Hinge::translation)
        links[i].first = static_cast<std::uint32_t>(singles++);
    }
    tree = {links.data(),       links.size(),   angles.data(),    angles.size(),
            general.data(),     general.size(), primitives.data(), world.view->nq_tree};
  }
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  std::vector<Link> links;
  std::vector<std::uint32_t> angles;
  std::vector<GeneralJoint> general;
  std::vector<GeneralPrimitive> primitives;
  std::size_t singles = 0;
  FlexibleTables flexible;
  Tree tree;

  /// The place of a frame of a flexible body among these; none of others.
  std::size_t attachment_of(FrameIndex f) const {
    return flexible.attachments.empty() ? LoopLayout::none : flexible.attachments[at(f)];
  }
};

/// The numbers of some worlds, side by side. Its members are the arrays that the kernels of the lanes read and write,
/// each of its own kind.
template <class T>
class Arrays {
 public:
  Arrays(const Tables& tables, const LaneWorld& world)
      : constants_(tables.tree.count), frames_(tables.tree.count), axes_(tables.primitives.size()),
        work_(tables.tree.count + tables.flexible.frames.size()), singles_(tables.singles), balls_(world.tree->balls),
        motions_(tables.general.size()), general_(tables.general.size()), angles_(tables.angles.size()),
        sines_(tables.angles.size()), cosines_(tables.angles.size()), slots_(world.tree->slots),
        z_(work_.size()) {
    if (!world.loads->frames().empty()) loads_.resize(world.view->frames());
    if (!world.loops->empty()) loops_.emplace(*world.loops);
    cut_places_.resize(world.view->cut_joints().size());
    forces_.resize(world.loads->laws().numbers().size());
    if (loops_ || !loads_.empty()) frame_motions_.resize(world.view->frames());
    if (!tables.flexible.elements.empty()) flexible_ = std::make_unique<FlexibleArrays<T>>(tables.flexible);
    if (flexible_ && loops_) loops_->flexible = &flexible_->room;
    if (world.loads->forces().loads_joints()) efforts_.resize(world.view->nv_tree);
    worlds = {constants_.data(), frames_.data(), axes_.data(), {}};
    room = {work_.data(),  singles_.data(), balls_.data(),   motions_.data(),
            general_.data(), angles_.data(),  sines_.data(),   cosines_.data(),
            slots_.data(), z_.data(),       pointer(frame_motions_), pointer(loads_),
            pointer(efforts_), nullptr, flexible_ ? &flexible_->room : nullptr};
  }
  Arrays(Arrays&&) noexcept = default;

  /// Takes the numbers of a world into a lane.
  void take(std::size_t lane, const LaneWorld& world) noexcept {
    const auto put = [lane](T& to, double x) { LanesOf<T>::set(to, lane, x); };
    const auto put_vector = [&](Vector3<T>& to, const Vec3& from) {
      put(to.x, from.x);
      put(to.y, from.y);
      put(to.z, from.z);
    };
    const auto put_matrix = [&](Matrix3<T>& to, const Mat3& from) {
      for (std::size_t k = 0; k < 9; ++k) put(to.m[k], from.m[k]);
    };
    for (std::size_t i = 0; i < constants_.size(); ++i) {
      const Inertia<double>& body = world.tree->bodies[i];
      Constants<T>& to = constants_[i];
      put(to.body.mass, body.mass);
      put(to.body.least, body.least);
      put_vector(to.body.moment, body.moment);
      put_vector(to.body.a, body.a);
      put_vector(to.body.b, body.b);
      put_vector(to.lever, world.tree->links[i].lever);
      put_vector(to.axis, world.tree->links[i].axis);
      put_matrix(frames_[i].K, world.tree->frames[i].K);
      put_matrix(frames_[i].base_K, world.tree->frames[i].base_K);
      put_vector(frames_[i].to_P, world.tree->frames[i].to_P);
    }
    std::size_t k = 0;
    for (const JointData& joint : world.tree->general_joints)
      for (const Primitive& primitive : joint.primitives) put_vector(axes_[k++], primitive.axis);
    put_vector(worlds.ground, -world.view->gravity);
    for (std::size_t c = 0; c < world.view->cut_joints().size(); ++c) {
      const JointData& joint = world.view->cut_joints()[c];
      put_vector(loops_->cuts[c].p_moving, joint.p_moving);
      if (joint.primitives.size() == 1) put_vector(cut_places_[c].axis, joint.primitives[0].axis);
      put_vector(cut_places_[c].p_base, joint.p_base);
      put_matrix(cut_places_[c].R_drawn, joint.R_drawn);
      // For a joint of one primitive or none, the directions and the rows at right angles to them are fixed in F.
      JointMotion motion;
      double neutral[most_joint_positions];
      const double no_velocity[6]{};
      joint_neutral(joint, neutral);
      joint_motion(joint, neutral, no_velocity, motion);
      Spatial rows[6];
      put_cut(lane, c, {rows, complement(motion.H, joint.nv, rows)}, {});
    }
    if (flexible_) flexible_->take(lane, *world.view);
    const std::span<const double> forces = world.loads->laws().numbers();
    for (std::size_t i = 0; i < std::min(forces_.size(), forces.size()); ++i) put(forces_[i], forces[i]);
  }
  /// The rows of a cut joint, F axes, and its Ḣ v.
  void put_cut(std::size_t lane, std::size_t cut, std::span<const Spatial> rows, const Spatial& bias) noexcept {
    Cut<T>& to = loops_->cuts[cut];
    for (std::size_t k = 0; k < 6; ++k) {
      LanesOf<T>::set(to.bias[k], lane, bias[k]);
      for (std::size_t r = 0; r < rows.size(); ++r) LanesOf<T>::set(to.rows[r][k], lane, rows[r][k]);
    }
  }
  /// Takes the mass matrix and the force of a flexible body.
  void bend(std::size_t lane, std::size_t element, std::span<const double> mass,
            std::span<const double> force) noexcept {
    flexible_->put(lane, element, mass, force);
  }
  /// All that take() fills of rigid bodies, as plain numbers: constants, frames, axes, ground, cuts, their places, and
  /// what the laws of forces depend on.
  std::array<std::span<T>, 7> numbers() noexcept {
    static_assert(sizeof(Constants<T>) == 17 * sizeof(T) && sizeof(Frame<T>) == 21 * sizeof(T) &&
                  sizeof(Cut<T>) == cut_numbers * sizeof(T) && sizeof(CutPlace<T>) == 15 * sizeof(T) &&
                  sizeof(Vector3<T>) == 3 * sizeof(T));
    return {flat(std::span(constants_)), flat(std::span(frames_)), flat(std::span(axes_)),
            flat(std::span(&worlds.ground, 1)), loops_ ? flat(std::span(loops_->cuts)) : std::span<T>(),
            flat(std::span(cut_places_)), std::span(forces_)};
  }
  const CutPlace<T>& cut_place(std::size_t cut) const noexcept { return cut_places_[cut]; }
  const CutPlace<T>* cut_places() const noexcept { return cut_places_.data(); }
  const T* forces() const noexcept { return forces_.data(); }
  Loops<T>* loops() noexcept { return loops_ ? &*loops_ : nullptr; }

  Worlds<T> worlds;
  Room<T> room;

 private:
  template <class Element>
  static std::span<T> flat(std::span<Element> of) {
    return {reinterpret_cast<T*>(of.data()), of.size_bytes() / sizeof(T)};
  }
  template <class Element>
  static Element* pointer(std::vector<Element>& of) {
    return of.empty() ? nullptr : of.data();
  }

  std::vector<Constants<T>> constants_;
  std::vector<Frame<T>> frames_;
  std::vector<Vector3<T>> axes_;
  std::vector<Work<T>> work_;
  std::vector<Single<T>> singles_;
  std::vector<Ball<T>> balls_;
  std::vector<Motion<T>> motions_;
  std::vector<General<T>> general_;
  std::vector<T> angles_, sines_, cosines_;
  std::vector<Transfer<T>> slots_;
  std::vector<SpatialVector<T>> z_;
  std::vector<FrameMotion<T>> frame_motions_;
  std::vector<SpatialVector<T>> loads_;
  std::vector<T> efforts_;
  std::vector<CutPlace<T>> cut_places_;
  std::vector<T> forces_;              ///< ForceLaws::numbers()
  std::optional<Loops<T>> loops_;
  std::unique_ptr<FlexibleArrays<T>> flexible_;   ///< of a system with flexible bodies
};

}  // namespace polyform::lanes
