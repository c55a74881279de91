// MuJoCo. Open systems: the cheapest complete sequence for the accelerations, which is kinematics, composite inertias,
// their factorization and the bias force; nothing of contacts, constraints, sensors or actuators. Closed systems:
// mj_forward with contacts off, a connect equality per loop, as stiff as its parameters go.
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <algorithm>

#include "tests/benchmark/engine.hpp"

namespace polyform::benchmark {

EngineInfo mujoco_engine();

namespace {

[[noreturn]] void fail(const char* message) { throw Cannot(message); }
void ignore(const char*) {}

std::string triple(const Vec3& v) { return fmt::format("{} {} {}", v.x, v.y, v.z); }

/// The bodies nest as they hang on one another. The reader takes only so many levels in one file: deeper ones are in
/// files of their own, each included where the one before ends.
class Text {
 public:
  explicit Text(const Mechanism& m) : m_(m), children_(m.bodies.size()) {
    for (std::size_t i = 0; i < m.bodies.size(); ++i)
      (m.joints[i].base == ground ? roots_ : children_[m.joints[i].base]).push_back(i);
  }
  /// The first one is the model.
  std::vector<std::string> write() {
    files_.push_back(fmt::format(
        "<mujoco><compiler angle=\"radian\"/><option gravity=\"{}\" integrator=\"Euler\" jacobian=\"sparse\" "
        "solver=\"Newton\" tolerance=\"1e-15\" iterations=\"100\"><flag contact=\"disable\" constraint=\"{}\"/>"
        "</option><worldbody>",
        triple(gravity), m_.has_loops() ? "enable" : "disable"));
    write_bodies();
    files_[0] += "</worldbody>";
    if (m_.has_loops()) write_loops();
    files_[0] += "</mujoco>";
    return std::move(files_);
  }
  static std::string file_name(std::size_t i) { return fmt::format("model{}.xml", i); }

 private:
  static constexpr std::size_t levels = 50;

  void write_bodies() {
    std::vector<std::pair<std::size_t, bool>> stack;  ///< body, and whether it has to be closed
    std::vector<std::size_t> open_files{0};
    std::size_t depth = 0;
    for (const std::size_t root : roots_) stack.push_back({root, false});
    while (!stack.empty()) {
      const auto [i, close] = stack.back();
      stack.pop_back();
      if (close) {
        files_[open_files.back()] += "</body>";
        if (--depth % levels == 0 && depth > 0) {
          files_[open_files.back()] += "</mujocoinclude>";
          open_files.pop_back();
        }
        continue;
      }
      if (depth % levels == 0 && depth > 0) {
        files_[open_files.back()] += fmt::format("<include file=\"{}\"/>", file_name(files_.size()));
        open_files.push_back(files_.size());
        files_.push_back("<mujocoinclude>");
      }
      open(i, files_[open_files.back()]);
      ++depth;
      stack.push_back({i, true});
      for (const std::size_t child : children_[i]) stack.push_back({child, false});
    }
  }
  void open(std::size_t i, std::string& text) const {
    const BodyItem& body = m_.bodies[i];
    const JointItem& joint = m_.joints[i];
    const Vec3 from = joint.base == ground ? Vec3{} : m_.bodies[joint.base].origin;
    text += fmt::format("<body name=\"b{}\" pos=\"{}\"><inertial pos=\"{}\" mass=\"{}\" diaginertia=\"{}\"/>", i,
                        triple(body.origin - from), triple(body.center), body.mass, triple(body.inertia));
    text += joint.ball() ? fmt::format("<joint name=\"j{}\" type=\"ball\"/>", i)
                         : fmt::format("<joint name=\"j{}\" type=\"hinge\" axis=\"{}\"/>", i, triple(joint.axis));
  }
  void write_loops() {
    files_[0] += "<equality>";
    for (std::size_t i = m_.bodies.size(); i < m_.joints.size(); ++i) {
      const JointItem& joint = m_.joints[i];
      const Vec3 anchor = joint.position - m_.bodies[joint.moving].origin;
      const std::string base = joint.base == ground ? "" : fmt::format(" body2=\"b{}\"", joint.base);
      files_[0] += fmt::format("<connect body1=\"b{}\"{} anchor=\"{}\" solimp=\"0.9999 0.9999 0.001\"/>", joint.moving,
                               base, triple(anchor));
    }
    files_[0] += "</equality>";
  }

  const Mechanism& m_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::size_t> roots_;
  std::vector<std::string> files_;
};

struct DeleteModel {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
};
struct DeleteData {
  void operator()(mjData* d) const { mj_deleteData(d); }
};

class Mujoco final : public Engine {
 public:
  void load(const Mechanism& mechanism) override {
    mechanism_ = &mechanism;
    mju_user_error = fail;
    mju_user_warning = ignore;
    load_model(Text(mechanism).write());
    data_.reset(mj_makeData(model_.get()));
    if (!data_) throw Cannot("its data cannot be made");
    for (std::size_t k = 0; k < 2; ++k) set_state(mechanism.states[k], k);
  }

  void evaluate(std::size_t state) override {
    mjModel* m = model_.get();
    mjData* d = data_.get();
    std::copy(q_[state].begin(), q_[state].end(), d->qpos);
    std::copy(v_[state].begin(), v_[state].end(), d->qvel);
    if (mechanism_->has_loops()) {
      mj_forward(m, d);
      return;
    }
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_crb(m, d);
    mj_factorM(m, d);
    mj_comVel(m, d);
    mj_rne(m, d, 0, d->qfrc_bias);
    for (int i = 0; i < m->nv; ++i) d->qfrc_smooth[i] = -d->qfrc_bias[i];
    mj_solveM(m, d, d->qacc, d->qfrc_smooth, 1);
  }

  void accelerations(std::vector<double>& out) override {
    auto next = out.begin();
    for (std::size_t i = 0; i < mechanism_->bodies.size(); ++i) {
      const double* a = data_->qacc + v_place_[i];
      if (mechanism_->joints[i].ball()) {
        const double* q = data_->qpos + q_place_[i];
        const Vec3 in_base = rotation_matrix(Quat{q[0], q[1], q[2], q[3]}) * Vec3{a[0], a[1], a[2]};
        next = std::copy_n(&in_base.x, 3, next);
      } else {
        *next++ = *a;
      }
    }
  }

 private:
  void load_model(const std::vector<std::string>& texts) {
    auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const int size = static_cast<int>(texts[i].size());
      if (i == mjMAXVFS || mj_makeEmptyFileVFS(files.get(), Text::file_name(i).c_str(), size) != 0)
        throw Cannot("its file system in memory is full: too many levels");
      std::copy(texts[i].begin(), texts[i].end(), static_cast<char*>(files->filedata[i]));
    }
    char error[300] = "";
    model_.reset(mj_loadXML(Text::file_name(0).c_str(), files.get(), error, sizeof error));
    mj_deleteVFS(files.get());
    if (model_) return;
    std::string reason = error;
    std::ranges::replace(reason, '\n', ' ');
    throw Cannot(reason);
  }
  void set_state(const State& state, std::size_t k) {
    q_[k].resize(static_cast<std::size_t>(model_->nq));
    v_[k].resize(static_cast<std::size_t>(model_->nv));
    q_place_.clear();
    v_place_.clear();
    std::size_t q = 0, v = 0;
    for (std::size_t i = 0; i < mechanism_->bodies.size(); ++i) {
      const JointItem& joint = mechanism_->joints[i];
      const int j = mj_name2id(model_.get(), mjOBJ_JOINT, fmt::format("j{}", i).c_str());
      q_place_.push_back(static_cast<std::size_t>(model_->jnt_qposadr[j]));
      v_place_.push_back(static_cast<std::size_t>(model_->jnt_dofadr[j]));
      std::copy_n(state.q.data() + q, joint.nq(), q_[k].data() + q_place_[i]);
      // MuJoCo takes the angular velocity of a ball in the axes of the moving body.
      Vec3 rate{state.v[v], 0, 0};
      if (joint.ball()) {
        const Quat turn{state.q[q], state.q[q + 1], state.q[q + 2], state.q[q + 3]};
        rate = transpose_times(rotation_matrix(turn), Vec3{state.v[v], state.v[v + 1], state.v[v + 2]});
      }
      std::copy_n(&rate.x, joint.nv(), v_[k].data() + v_place_[i]);
      q += joint.nq();
      v += joint.nv();
    }
  }

  const Mechanism* mechanism_ = nullptr;
  std::unique_ptr<mjModel, DeleteModel> model_;
  std::unique_ptr<mjData, DeleteData> data_;
  std::vector<double> q_[2], v_[2];
  std::vector<std::size_t> q_place_, v_place_;  ///< of each tree joint
};

}  // namespace

EngineInfo mujoco_engine() {
  return {"mujoco", mj_versionString(), []() -> std::unique_ptr<Engine> { return std::make_unique<Mujoco>(); }};
}

}  // namespace polyform::benchmark
