#include "mujoco_engine.hpp"

#include <algorithm>
#include <functional>

namespace polyform::mujoco {
namespace {

Vec3 vector_at(const mjtNum* p) { return {p[0], p[1], p[2]}; }
Quat quaternion_at(const double* p) { return {p[0], p[1], p[2], p[3]}; }
Mat3 matrix_at(const mjtNum* rows) {
  Mat3 m;
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) m(r, c) = rows[3 * r + c];
  return m;
}

}  // namespace

MujocoEngine::MujocoEngine(std::unique_ptr<MujocoModel> model)
    : model_(std::move(model)), right_(static_cast<std::size_t>(model_->model().nv)), solution_(right_.size()) {}

bool MujocoEngine::accelerate(const double* q, const double* v, const Loads& loads, std::span<double> vdot) noexcept {
  mjModel* const m = &model_->model();
  mjData* const d = &model_->data();
  set_state(q, v);
  d->warning[mjWARN_INERTIA].number = 0;
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_crb(m, d);
  mj_factorM(m, d);
  mj_comVel(m, d);
  mj_rne(m, d, 0, d->qfrc_bias);
  std::transform(d->qfrc_bias, d->qfrc_bias + m->nv, right_.begin(), std::negate());
  add_loads(loads);
  mj_solveM(m, d, solution_.data(), right_.data(), 1);
  take_accelerations(vdot);
  return d->warning[mjWARN_INERTIA].number == 0;
}

/// MuJoCo takes the angular velocity of a ball in the axes after the ball.
void MujocoEngine::set_state(const double* q, const double* v) noexcept {
  mjData* const d = &model_->data();
  for (const Coordinate& c : model_->coordinates()) {
    if (c.kind != Primitive::Kind::ball) {
      d->qpos[c.qpos] = c.reversed ? -q[c.q] : q[c.q];
      d->qvel[c.qvel] = c.reversed ? -v[c.v] : v[c.v];
      continue;
    }
    const Quat given = quaternion_at(q + c.q), turn = c.reversed ? conjugate(given) : given;
    const Vec3 w = vector_at(v + c.v), own = c.reversed ? -w : transpose_times(rotation_matrix(given), w);
    std::copy_n(&turn.w, 4, d->qpos + c.qpos);
    std::copy_n(&own.x, 3, d->qvel + c.qvel);
  }
}

void MujocoEngine::add_loads(const Loads& loads) noexcept {
  mjModel* const m = &model_->model();
  mjData* const d = &model_->data();
  for (const BodyIndex body : loads.bodies) {
    const PlacedBody& placed = model_->body(at(body));
    const Vec3 point = vector_at(d->xpos + 3 * placed.number) + matrix_at(d->xmat + 9 * placed.number) * placed.origin;
    const Spatial& wrench = loads.wrenches[at(body)];
    mj_applyFT(m, d, &wrench.linear.x, &wrench.angular.x, &point.x, placed.number, right_.data());
  }
  if (loads.efforts.empty()) return;
  for (const Coordinate& c : model_->coordinates()) {
    if (c.kind != Primitive::Kind::ball) {
      right_[c.qvel] += c.reversed ? -loads.efforts[c.v] : loads.efforts[c.v];
      continue;
    }
    const Vec3 effort = vector_at(loads.efforts.data() + c.v);
    const Vec3 own = c.reversed ? -effort : transpose_times(rotation_matrix(quaternion_at(d->qpos + c.qpos)), effort);
    right_[c.qvel] += own.x;
    right_[c.qvel + 1] += own.y;
    right_[c.qvel + 2] += own.z;
  }
}

void MujocoEngine::take_accelerations(std::span<double> vdot) const noexcept {
  for (const Coordinate& c : model_->coordinates()) {
    if (c.kind != Primitive::Kind::ball) {
      vdot[c.v] = c.reversed ? -solution_[c.qvel] : solution_[c.qvel];
      continue;
    }
    const Vec3 own = vector_at(solution_.data() + c.qvel);
    const Vec3 a = c.reversed ? -own : rotation_matrix(quaternion_at(model_->data().qpos + c.qpos)) * own;
    std::copy_n(&a.x, 3, vdot.begin() + static_cast<std::ptrdiff_t>(c.v));
  }
}

}  // namespace polyform::mujoco
