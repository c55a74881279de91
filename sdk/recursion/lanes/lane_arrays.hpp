// The numbers and the room of as many worlds as one pack holds.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "lane_tables.hpp"

namespace polyform::lanes {

/// The numbers of some worlds, side by side. Its members are the arrays that the kernels of the lanes read and write,
/// each of its own kind.
template <class T>
class Arrays {
 public:
  Arrays(const Tables& tables, const LoopLists& lists, const LaneWorld& world) : sizes_(room_sizes(world, tables)) {
    loops_.tables = lists.tables;
    Taker<T> counting;
    lay_out(counting);
    memory_.resize(counting.taken);
    lay_out_in(memory_);
    if (tables.flexible.elements.empty()) return;
    flexible_ = std::make_unique<FlexibleArrays<T>>(tables.flexible);
    room.flexible = &flexible_->room;
    loops_.flexible = room.flexible;
  }
  Arrays(Arrays&& other) noexcept
      : worlds(other.worlds),
        room(other.room),
        sizes_(other.sizes_),
        memory_(std::move(other.memory_)),
        loops_(other.loops_),
        flexible_(std::move(other.flexible_)) {
    if (room.loops != nullptr) room.loops = &loops_;
  }
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;

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
    for (std::size_t i = 0; i < sizes_.bodies; ++i) {
      const Inertia<double>& body = world.tree->bodies[i];
      Constants<T>& to = worlds.constants[i];
      put(to.body.mass, body.mass);
      put(to.body.least, body.least);
      put_vector(to.body.moment, body.moment);
      put_vector(to.body.a, body.a);
      put_vector(to.body.b, body.b);
      put_vector(to.lever, world.tree->links[i].lever);
      put_vector(to.axis, world.tree->links[i].axis);
      put_matrix(worlds.frames[i].K, world.tree->frames[i].K);
      put_matrix(worlds.frames[i].base_K, world.tree->frames[i].base_K);
      put_vector(worlds.frames[i].to_P, world.tree->frames[i].to_P);
    }
    std::size_t k = 0;
    for (const JointData& joint : world.tree->general_joints)
      for (const Primitive& primitive : joint.primitives) put_vector(worlds.axes[k++], primitive.axis);
    put_vector(*worlds.ground, -world.view->gravity);
    for (std::size_t c = 0; c < world.view->cut_joints().size(); ++c) {
      const JointData& joint = world.view->cut_joints()[c];
      put_vector(loops_.cuts[c].p_moving, joint.p_moving);
      if (joint.primitives.size() == 1) put_vector(worlds.cut_places[c].axis, joint.primitives[0].axis);
      put_vector(worlds.cut_places[c].p_base, joint.p_base);
      put_matrix(worlds.cut_places[c].R_drawn, joint.R_drawn);
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
    for (std::size_t i = 0; i < std::min<std::size_t>(sizes_.forces, forces.size()); ++i)
      put(worlds.forces[i], forces[i]);
  }
  /// The rows of a cut joint, F axes, and its Ḣ v.
  void put_cut(std::size_t lane, std::size_t cut, std::span<const Spatial> rows, const Spatial& bias) noexcept {
    Cut<T>& to = loops_.cuts[cut];
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
    return {flat(worlds.constants, sizes_.bodies), flat(worlds.frames, sizes_.bodies),
            flat(worlds.axes, sizes_.primitives),  flat(worlds.ground, 1),
            flat(loops_.cuts, sizes_.cuts),        flat(worlds.cut_places, sizes_.cuts),
            flat(worlds.forces, sizes_.forces)};
  }
  /// Used by the kernels by way of the room, where there are any.
  Loops<T>& loops() noexcept { return loops_; }
  const RoomSizes& sizes() const noexcept { return sizes_; }

  Worlds<T> worlds;
  Room<T> room;

 private:
  template <class Part>
  static std::span<T> flat(Part* first, std::size_t count) {
    return {reinterpret_cast<T*>(first), count * (sizeof(Part) / sizeof(T))};
  }
  void lay_out(Taker<T>& from) {
    lay_out_numbers(sizes_, from, worlds, loops_);
    lay_out_loops(from, loops_);
    lay_out_room(sizes_, from, room);
    room.loops = loops_.tables.count > 0 ? &loops_ : nullptr;
  }
  void lay_out_in(std::vector<T>& memory) {
    Taker<T> from{memory.data(), 0};
    lay_out(from);
  }

  RoomSizes sizes_;
  std::vector<T> memory_;
  Loops<T> loops_;
  std::unique_ptr<FlexibleArrays<T>> flexible_;  ///< of a system with flexible bodies
};

}  // namespace polyform::lanes
