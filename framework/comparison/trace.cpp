#include "framework/comparison/trace.hpp"

#include <algorithm>
#include <cmath>

#include "framework/diagnostics.hpp"

namespace polyform::host {

namespace {

constexpr const char* room = "Make room in the folder for temporary files, or compare with a larger --output-interval.";

[[noreturn]] void fail_to_store() {
  throw Failure(Exit::simulation_failed, "the trajectories to compare do not fit into the folder for temporary files",
                room);
}

}  // namespace

std::string_view name_of(Quantity quantity) {
  constexpr std::string_view names[] = {"position", "angle", "joint", "modal", "force", "moment"};
  return names[static_cast<std::size_t>(quantity)];
}

TraceLayout::TraceLayout(const System& system) : view_(system.view()) {
  using Kind = TraceItem::Kind;
  for (const BodyIndex b : system.bodies()) {
    const BodyData& body = view_.bodies[at(b)];
    bodies_.push_back(at(b));
    add(Quantity::position, Kind::vector, true, body.name);
    add(Quantity::angle, Kind::quaternion, false, body.name);
    const double inertia = body.inertia.xx + body.inertia.yy + body.inertia.zz;
    reach_ = std::max({reach_, norm(body.center_of_mass), body.mass > 0 ? std::sqrt(inertia / 2 / body.mass) : 0});
  }
  for (const JointIndex j : system.joints()) {
    const JointData& joint = view_.joints[at(j)];
    joints_.push_back(at(j));
    add_joint(joint);
    reach_ = std::max({reach_, norm(joint.p_base), norm(joint.p_moving)});
  }
  for (const FlexibleData& flexible : view_.flexible)
    for (std::size_t k = 0; k < flexible.modes; ++k)
      add(Quantity::modal, Kind::number, false, view_.bodies[at(flexible.body)].name);
  const std::vector<std::string> open = system.count_constraints().redundant_joints;
  for (const JointIndex j : system.joints()) {
    const std::string_view name = view_.joints[at(j)].name;
    if (std::find(open.begin(), open.end(), name) != open.end()) continue;
    reactions_.push_back(at(j));
    add(Quantity::force, Kind::vector, false, name);
    add(Quantity::moment, Kind::vector, false, name);
  }
}

void TraceItems::add(Quantity quantity, TraceItem::Kind kind, bool length, std::string_view name) {
  items_.push_back({quantity, kind, length, width_, name});
  width_ += items_.back().size();
}

void TraceLayout::add_joint(const JointData& joint) {
  using Kind = TraceItem::Kind;
  for (const Primitive& primitive : joint.primitives) switch (primitive.kind) {
      case Primitive::Kind::rotation:
        add(Quantity::joint, Kind::turn, false, joint.name);
        break;
      case Primitive::Kind::translation:
        add(Quantity::joint, Kind::number, true, joint.name);
        break;
      case Primitive::Kind::ball:
        add(Quantity::joint, Kind::quaternion, false, joint.name);
        break;
    }
  if (joint.kernel != nullptr)
    for (std::size_t k = 0; k < joint.nq; ++k) add(Quantity::joint, Kind::number, false, joint.name);
}

bool TraceItems::has(Quantity quantity) const {
  return std::any_of(items_.begin(), items_.end(), [&](const TraceItem& item) { return item.quantity == quantity; });
}

void TraceLayout::fill(const Observation& now, std::span<double> row) const {
  double* out = row.data();
  for (const std::size_t b : bodies_) {
    const auto& [q, p] = now.bodies[b].pose;
    for (const double value : {p.x, p.y, p.z, q.w, q.x, q.y, q.z}) *out++ = value;
  }
  for (const std::size_t j : joints_)
    out = std::copy_n(now.state.q.data() + view_.joints[j].q_offset, view_.joints[j].nq, out);
  for (const FlexibleData& flexible : view_.flexible)
    out = std::copy_n(now.state.eta.data() + flexible.mode_offset, flexible.modes, out);
  for (const std::size_t j : reactions_)
    for (const Vec3& v : {now.reactions[j].linear, now.reactions[j].angular})
      for (const double value : {v.x, v.y, v.z}) *out++ = value;
}

TraceRows::TraceRows(std::size_t width) : file_(std::tmpfile()), buffer_(1 + width) {
  if (!file_)
    throw Failure(Exit::simulation_failed, "no temporary file could be made for the trajectories to compare", room);
}

void TraceRows::put(double time, std::span<const double> row) {
  buffer_.front() = time;
  std::copy(row.begin(), row.end(), buffer_.begin() + 1);
  if (std::fwrite(buffer_.data(), sizeof(double), buffer_.size(), file_.get()) != buffer_.size()) fail_to_store();
}

void TraceRows::flush() {
  if (std::fflush(file_.get()) != 0) fail_to_store();
}

std::size_t TraceRows::rewind() {
  std::fseek(file_.get(), 0, SEEK_END);
  const long bytes = std::ftell(file_.get());
  std::rewind(file_.get());
  return bytes < 0 ? 0 : static_cast<std::size_t>(bytes) / (buffer_.size() * sizeof(double));
}

double TraceRows::next(std::span<double> row) {
  if (std::fread(buffer_.data(), sizeof(double), buffer_.size(), file_.get()) != buffer_.size())
    throw Failure(Exit::simulation_failed,
                  "the trajectories to compare could not be read back from the temporary file");
  std::copy(buffer_.begin() + 1, buffer_.end(), row.begin());
  return buffer_.front();
}

void Trace::row(double time, const Observation& now) {
  layout_.fill(now, row_);
  put(time, row_);
}

}  // namespace polyform::host
