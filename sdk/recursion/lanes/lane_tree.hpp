// What the kernels of the lanes work on: the tables of a tree that are the same in all worlds, the numbers of the
// worlds, and the room for what the sweeps leave for one another. Plain pointers to arrays, so that kernels stand by
// themselves: no heap, no exception, no virtual call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "polyform/contract/index.hpp"
#include "polyform/contract/joint.hpp"
#include "polyform/mechanics/ball_transfer.hpp"
#include "polyform/mechanics/pack.hpp"
#include "polyform/mechanics/transfer.hpp"
#include "polyform/solvers/hinged_link.hpp"

namespace polyform::lanes {

using Hinge = HingedLink::Hinge;
using Link = HingedLink;
template <class T>
using Mask = typename LanesOf<T>::Mask;

/// Code for devices carries no flexible bodies, and is shorter without their part.
#ifdef POLYFORM_DEVICE
inline constexpr bool carries_flexible = false;
#else
inline constexpr bool carries_flexible = true;
#endif
inline bool is_flexible(const Link& link) { return carries_flexible && link.flexible; }
inline bool is_on_frame(const Link& link) { return carries_flexible && link.on_frame; }

/// A joint of several primitives, or code: its place among those is HingedLink::place.
struct GeneralJoint {
  std::uint32_t body = 0;
  std::uint32_t first = 0, count = 0;  ///< primitives
  bool is_code = false;                ///< its motion comes from the worlds themselves
};
struct GeneralPrimitive {
  Primitive::Kind kind = Primitive::Kind::rotation;
  std::uint32_t angle = 0;  ///< of a rotation: its place among the angles
};

/// The same in all worlds.
struct Tree {
  const Link* links = nullptr;  ///< numbers in it are not read
  std::size_t count = 0;
  const std::uint32_t* angles = nullptr;  ///< places in y of the angles: rotations, then those of general joints
  std::size_t angle_count = 0;
  const GeneralJoint* general = nullptr;
  std::size_t general_count = 0;
  const GeneralPrimitive* primitives = nullptr;
  std::size_t nq = 0;  ///< where the velocities begin in y
};

/// A joint that closes a loop, apart from its numbers.
struct CutJoint {
  enum class Kind : std::uint8_t { fixed, rotation, translation, ball, other };
  FrameIndex base_frame = FrameIndex::ground, moving_frame = FrameIndex::ground;
  std::uint32_t q_offset = 0, nq = 0, nv = 0;
  Kind kind = Kind::fixed;
  bool is_plain = false;  ///< its coordinate and its rows follow from motions alone; else each world finds
                          ///< them by itself
};
struct Cuts {
  const CutJoint* joints = nullptr;
  std::size_t count = 0;
  std::size_t place = 0;  ///< what the place of a cut joint's coordinate in q lacks to that in y
};

/// Constants of a body and its hinge, in axes as in HingedTree.
template <class T>
struct Constants {
  Inertia<T> body;
  Vector3<T> lever, axis;
};

/// From the inside axes to the outside: HingedTree::Frame.
template <class T>
struct Frame {
  Matrix3<T> K;
  Vector3<T> to_P;
  Matrix3<T> base_K;
};

/// Where a cut joint sits: the axis of its primitive, of one that has one, in F; the origin of F in the base frame, and
/// the orientation of the moving frame in the base frame as drawn.
template <class T>
struct CutPlace {
  Vector3<T> axis, p_base;
  Matrix3<T> R_drawn;
};

/// The numbers of the worlds, one entry per body.
template <class T>
struct Worlds {
  Constants<T>* constants = nullptr;
  Frame<T>* frames = nullptr;
  Vector3<T>* axes = nullptr;         ///< of the primitives of general joints
  Vector3<T>* ground = nullptr;       ///< acceleration given to ground: minus gravity
  CutPlace<T>* cut_places = nullptr;  ///< of the cut joints
  T* forces = nullptr;                ///< what the laws of forces depend on: ForceLaws::numbers()
};

template <class T>
struct Work {
  Matrix3<T> R;
  Vector3<T> omega, r;  ///< as in TreeMotion::Work
  Vector3<T> gamma;     ///< Ω̃Ω̃ r of the inboard body; the inward sweep sets it
};
/// A ball hinge: Ω̇ of the outboard body is free + back · gain r̈.
template <class T>
struct TurningBall {
  Matrix3<T> gain;
  Vector3<T> free;
  T back{};
};
/// A hinge with one direction of its own kind: a rotation or a translation.
template <class T>
struct Single {
  Vector3<T> axis, beta;
  SpatialVector<T> U;
  T inverse{}, free{};
};
/// As JointMotion, in F axes.
template <class T>
struct Motion {
  Matrix3<T> R_FM;
  Vector3<T> p_FM;
  SpatialVector<T> H[6];
  SpatialVector<T> twist, bias;
};
/// A hinge of several directions.
template <class T>
struct General {
  Column<T> columns[6];
  SpatialVector<T> beta;
  Vector3<T> slide;  ///< velocity of the outboard P over the inboard body
};
/// The motion of a frame, ground axes.
template <class T>
struct FrameMotion {
  Matrix3<T> R;
  Vector3<T> p;
  SpatialVector<T> V;
};

template <class T>
class Loops;
template <class T>
struct FlexibleRoom;

/// Per body, but where it is said otherwise. work and z: then of the frames of flexible bodies.
template <class T>
struct Room {
  Work<T>* work = nullptr;
  Single<T>* singles = nullptr;     ///< by Link::first
  TurningBall<T>* balls = nullptr;  ///< by Link::first
  Motion<T>* motions = nullptr;     ///< of the general joints
  General<T>* general = nullptr;    ///< the same
  T *angles = nullptr, *sines = nullptr, *cosines = nullptr;
  Transfer<T>* slots = nullptr;
  SpatialVector<T>* z = nullptr;
  FrameMotion<T>* frames = nullptr;     ///< and nodes; in use with loops, and where anything acts on bodies
  SpatialVector<T>* loads = nullptr;    ///< about P, of frames of flexible bodies their origin; where anything acts
  T* efforts = nullptr;                 ///< per velocity coordinate; in use where anything acts on joints
  Loops<T>* loops = nullptr;            ///< of a system that has any
  FlexibleRoom<T>* flexible = nullptr;  ///< the same
};

/// A root that costs a device no library.
template <class T>
T root_of(const T& x) {
  return sqrt(x);
}
inline double root_of(double x) { return __builtin_sqrt(x); }
template <std::size_t N>
Pack<N> root_of(const Pack<N>& x) {
  Pack<N> roots;
  for (std::size_t lane = 0; lane < N; ++lane) roots.set(lane, __builtin_sqrt(x[lane]));
  return roots;
}

/// The numbers of a state, or its rates: number i of the first lane of these at numbers[i · stride].
template <class T>
struct State {
  const double* numbers;
  std::size_t stride;
  T operator[](std::size_t i) const { return LanesOf<T>::read(numbers + i * stride); }
};
template <class T>
struct Rates {
  double* numbers;
  std::size_t stride;
  void put(std::size_t i, const T& x) const { LanesOf<T>::write(x, numbers + i * stride); }
};

}  // namespace polyform::lanes
