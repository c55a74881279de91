#include "mujoco_model.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <stdexcept>

namespace polyform::mujoco {
namespace {

std::string numbers(const Vec3& v) { return fmt::format("{} {} {}", v.x, v.y, v.z); }
std::string numbers(const Quat& q) { return fmt::format("{} {} {} {}", q.w, q.x, q.y, q.z); }
std::string file_name(std::size_t i) { return fmt::format("part{}.xml", i); }
std::string body_name(std::size_t i) { return fmt::format("b{}", i); }
std::string joint_name(std::size_t joint, std::size_t k) { return fmt::format("j{}_{}", joint, k); }

/// The frame of a body of MuJoCo in the frame of the body that carries it, in the terms of the system view.
PlacedBody joint_frame(const JointData& joint) {
  if (joint.reversed) return {0, transpose(joint.R_drawn), joint.p_moving};
  return {0, Mat3::identity(), joint.p_base};
}

/// The frame of the system view in that of MuJoCo.
PlacedBody own_frame(const JointData& joint) {
  if (joint.reversed) return {0, Mat3::identity(), -joint.p_base};
  return {0, joint.R_drawn, -(joint.R_drawn * joint.p_moving)};
}

/// MuJoCo's own iteration for principal axes ends with errors of some 1e-11, so it is given these.
struct PrincipalInertia {
  explicit PrincipalInertia(const Sym3& I) {
    Eigen::Matrix3d m;
    m << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(m);
    const Eigen::Vector3d values = solver.eigenvalues();
    Eigen::Matrix3d vectors = solver.eigenvectors();
    if (vectors.determinant() < 0) vectors.col(0) *= -1;
    Mat3 columns;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) columns(static_cast<std::size_t>(r), static_cast<std::size_t>(c)) = vectors(r, c);
    axes = quaternion_of(columns);
    moments = {values[0], values[1], values[2]};
  }
  Quat axes;
  Vec3 moments;
};

/// The bodies nest as they hang on one another. MuJoCo reads a limited number of levels in one file, so deeper ones
/// stand in files of their own, each included where the one before ends.
class Text {
 public:
  Text(const SystemView& view, std::span<const PlacedBody> placed) : view_(view), placed_(placed) {}

  /// The first file is the model.
  std::vector<std::string> write() {
    files_ = {
        fmt::format("<mujoco><compiler angle=\"radian\" boundmass=\"0\" boundinertia=\"0\" "
                    "inertiafromgeom=\"false\"/><option gravity=\"{}\"><flag contact=\"disable\" "
                    "constraint=\"disable\"/></option><worldbody>",
                    numbers(view_.gravity))};
    // Bodies stand in depth-first order: a body ends where one of no greater depth begins.
    std::vector<std::size_t> depth(view_.bodies.size());
    std::size_t open = 0;
    for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
      const BodyIndex inboard = view_.joints[i].inboard();
      depth[i] = is_ground(inboard) ? 0 : depth[at(inboard)] + 1;
      for (; open > depth[i]; --open) end_body(open - 1);
      begin_body(i, depth[i]);
      open = depth[i] + 1;
    }
    for (; open > 0; --open) end_body(open - 1);
    files_[0] += "</worldbody></mujoco>";
    return std::move(files_);
  }

 private:
  static constexpr std::size_t levels = 50;

  std::string& text() { return files_[open_.back()]; }
  void begin_body(std::size_t i, std::size_t depth) {
    if (depth > 0 && depth % levels == 0) {
      text() += fmt::format("<include file=\"{}\"/>", file_name(files_.size()));
      open_.push_back(files_.size());
      files_.push_back("<mujocoinclude>");
    }
    const JointData& joint = view_.joints[i];
    const BodyIndex inboard = joint.inboard();
    const PlacedBody carrier = is_ground(inboard) ? PlacedBody{} : placed_[at(inboard)];
    const PlacedBody frame = joint_frame(joint), &own = placed_[i];
    text() += fmt::format("<body name=\"{}\" pos=\"{}\" quat=\"{}\">", body_name(i),
                          numbers(carrier.origin + carrier.axes * frame.origin),
                          numbers(quaternion_of(carrier.axes * frame.axes)));
    const BodyData& body = view_.bodies[i];
    if (body.mass > 0) {
      const PrincipalInertia principal(rotate(own.axes, body.inertia));
      text() += fmt::format("<inertial pos=\"{}\" mass=\"{}\" quat=\"{}\" diaginertia=\"{}\"/>",
                            numbers(own.origin + own.axes * body.center_of_mass), body.mass, numbers(principal.axes),
                            numbers(principal.moments));
    }
    const std::size_t n = joint.primitives.size();
    for (std::size_t k = 0; k < n; ++k) write_joint(joint.primitives[joint.reversed ? n - 1 - k : k], joint_name(i, k));
  }
  void write_joint(const Primitive& p, const std::string& name) {
    if (p.kind == Primitive::Kind::ball)
      text() += fmt::format("<joint name=\"{}\" type=\"ball\"/>", name);
    else
      text() += fmt::format("<joint name=\"{}\" type=\"{}\" axis=\"{}\"/>", name,
                            p.kind == Primitive::Kind::rotation ? "hinge" : "slide", numbers(p.axis));
  }
  void end_body(std::size_t depth) {
    text() += "</body>";
    if (depth == 0 || depth % levels != 0) return;
    text() += "</mujocoinclude>";
    open_.pop_back();
  }

  const SystemView& view_;
  std::span<const PlacedBody> placed_;
  std::vector<std::string> files_;
  std::vector<std::size_t> open_{0};
};

[[noreturn]] void stop(const char* message) { throw std::runtime_error(message); }
void pass_over(const char*) {}

/// MuJoCo ends the program at an error unless it is given another handler, which is one for the whole program.
class Handlers {
 public:
  Handlers() : error_(mju_user_error), warning_(mju_user_warning) {
    mju_user_error = stop;
    mju_user_warning = pass_over;
  }
  ~Handlers() {
    mju_user_error = error_;
    mju_user_warning = warning_;
  }
  Handlers(const Handlers&) = delete;
  Handlers& operator=(const Handlers&) = delete;

 private:
  void (*error_)(const char*);
  void (*warning_)(const char*);
};

}  // namespace

std::optional<std::string_view> MujocoModel::joint_without_counterpart(const SystemView& view) {
  for (const JointData& joint : view.joints) {
    std::size_t balls = 0, turns = 0;
    for (const Primitive& p : joint.primitives) {
      balls += p.kind == Primitive::Kind::ball;
      turns += p.kind != Primitive::Kind::translation;
    }
    if (balls > 0 && turns > 1) return joint.name;  // MuJoCo has no turn but the ball in such a body
  }
  return {};
}

std::unique_ptr<MujocoModel> MujocoModel::make(const SystemView& view, std::string& refusal) {
  auto made = std::make_unique<MujocoModel>();
  for (std::size_t i = 0; i < view.bodies.size(); ++i) made->bodies_.push_back(own_frame(view.joints[i]));
  const Handlers handlers;
  try {
    if (!made->load(Text(view, made->bodies_).write(), refusal)) return nullptr;
  } catch (const std::runtime_error& error) {
    refusal = error.what();
    return nullptr;
  }
  made->find_places(view);
  return made;
}

bool MujocoModel::load(const std::vector<std::string>& files, std::string& refusal) {
  const auto folder = std::make_unique<mjVFS>();
  mj_defaultVFS(folder.get());
  bool fits = true;
  for (std::size_t i = 0; i < files.size() && fits; ++i) {
    fits =
        i < mjMAXVFS && mj_makeEmptyFileVFS(folder.get(), file_name(i).c_str(), static_cast<int>(files[i].size())) == 0;
    if (fits) std::ranges::copy(files[i], static_cast<char*>(folder->filedata[i]));
  }
  char error[300] = "";
  if (fits) model_.reset(mj_loadXML(file_name(0).c_str(), folder.get(), error, sizeof error));
  mj_deleteVFS(folder.get());
  if (!fits) refusal = "bodies hang on one another in too many levels";
  if (!model_ && fits) refusal = error;
  std::ranges::replace(refusal, '\n', ' ');
  if (!model_) return false;
  data_.reset(mj_makeData(model_.get()));
  return data_ != nullptr;
}

void MujocoModel::find_places(const SystemView& view) {
  for (std::size_t i = 0; i < view.bodies.size(); ++i) {
    bodies_[i].number = mj_name2id(model_.get(), mjOBJ_BODY, body_name(i).c_str());
    const JointData& joint = view.joints[i];
    std::size_t q = joint.q_offset, v = joint.v_offset;
    const std::size_t n = joint.primitives.size();
    for (std::size_t k = 0; k < n; ++k) {
      const Primitive::Kind kind = joint.primitives[k].kind;
      const int id = mj_name2id(model_.get(), mjOBJ_JOINT, joint_name(i, joint.reversed ? n - 1 - k : k).c_str());
      coordinates_.push_back({kind, joint.reversed, q, v, static_cast<std::size_t>(model_->jnt_qposadr[id]),
                              static_cast<std::size_t>(model_->jnt_dofadr[id])});
      q += position_count(kind);
      v += velocity_count(kind);
    }
  }
}

}  // namespace polyform::mujoco
