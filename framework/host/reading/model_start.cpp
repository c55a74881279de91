#include "framework/host/reading/model_start.hpp"

#include <utility>

namespace polyform::host::inline reading {

void keep_own_start(Description& model) {
  if (model.own_start) return;
  ModelStart own{.joints = {}, .bodies = {}, .row = model.start_row, .time = model.start_time};
  for (const JointItem& j : model.joints)
    own.joints.push_back({j.initial_position, j.initial_velocity, j.starts_from_state});
  for (const BodyItem& b : model.bodies) own.bodies.push_back({b.velocity, b.angular_velocity, b.start});
  model.own_start = std::move(own);
}

void exchange_starts(Description& model, ModelStart& other) {
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    std::swap(model.joints[j].initial_position, other.joints[j].position);
    std::swap(model.joints[j].initial_velocity, other.joints[j].velocity);
    std::swap(model.joints[j].starts_from_state, other.joints[j].from_state);
  }
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    std::swap(model.bodies[b].velocity, other.bodies[b].velocity);
    std::swap(model.bodies[b].angular_velocity, other.bodies[b].angular_velocity);
    std::swap(model.bodies[b].start, other.bodies[b].start);
  }
  std::swap(model.start_row, other.row);
  std::swap(model.start_time, other.time);
}

}  // namespace polyform::host::inline reading
