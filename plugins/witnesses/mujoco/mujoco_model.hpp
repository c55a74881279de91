// A system as a model of MuJoCo.
//
// The frame of a body of MuJoCo stands where the tree joint that carries the body has its origin. Its axes are those of
// the joint's frame F, so that the primitive motions of the joint are joints of MuJoCo about its own origin. If the
// joint is reversed, they come in the opposite order and turn the other way.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "polyform/contract/system_view.hpp"

namespace polyform::mujoco {

/// One primitive motion and its places in the coordinates of both programs.
struct Coordinate {
  Primitive::Kind kind;
  bool reversed;
  std::size_t q, v;        ///< in those of the system view
  std::size_t qpos, qvel;  ///< in those of MuJoCo
};

/// A body of the system in MuJoCo.
struct PlacedBody {
  int number = 0;  ///< in MuJoCo
  Mat3 axes = Mat3::identity();
  Vec3 origin;  ///< the frame of the system view in that of MuJoCo: axes and origin, m
};

/// The model with memory for one evaluation.
class MujocoModel {
 public:
  /// For a tree of rigid bodies whose joints are sequences of primitive motions. refusal: why there is none, in
  /// MuJoCo's words; empty if memory runs out.
  static std::unique_ptr<MujocoModel> make(const SystemView&, std::string& refusal);
  /// If MuJoCo has no such joint, the joint's name.
  static std::optional<std::string_view> joint_without_counterpart(const SystemView&);

  mjModel& model() { return *model_; }
  mjData& data() { return *data_; }
  std::span<const Coordinate> coordinates() const { return coordinates_; }
  const PlacedBody& body(std::size_t i) const { return bodies_[i]; }

 private:
  struct Deleter {
    void operator()(mjModel* m) const { mj_deleteModel(m); }
    void operator()(mjData* d) const { mj_deleteData(d); }
  };
  bool load(const std::vector<std::string>& files, std::string& refusal);
  void find_places(const SystemView&);

  std::vector<PlacedBody> bodies_;
  std::vector<Coordinate> coordinates_;
  std::unique_ptr<mjModel, Deleter> model_;
  std::unique_ptr<mjData, Deleter> data_;
};

}  // namespace polyform::mujoco
