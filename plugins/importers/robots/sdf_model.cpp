#include "sdf_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numbers>

namespace polyform::importers {

namespace {

/// Frames that are given in one another go round in a circle when there are more steps than this.
constexpr std::size_t most_steps = 1000;

/// Follows names through the frames that things of models are given in, for one question of a file.
class Search {
 public:
  explicit Search(Place asked_from) : place_(asked_from) {}

  /// The frame of a named thing in its model.
  Frame frame(const SdfModel&, const std::string& name, std::size_t steps = 0) const;
  /// The link to which it is fixed.
  std::string link(const SdfModel&, const std::string& name, std::size_t steps = 0) const;
  /// The link that stands for a model.
  std::string canonical_link(const SdfModel&, std::size_t steps = 0) const;

 private:
  Frame frame_of_model(const SdfModel& around, const SdfItem&, const std::string& name, std::size_t steps) const;
  [[nodiscard]] bool too_long(const SdfModel&, const std::string& name, std::size_t steps) const;

  Place place_;
};

bool Search::too_long(const SdfModel& model, const std::string& name, std::size_t steps) const {
  if (steps < most_steps) return false;
  model.element().report().error(
      place_, fmt::format("the pose of {} depends on itself", in_quotes(name)),
      "Frames are given in one another in a circle: change one of relative_to and attached_to.");
  return true;
}

Frame Search::frame_of_model(const SdfModel& around, const SdfItem& item, const std::string& name,
                             std::size_t steps) const {
  const std::string& in = item.pose.relative_to.empty() ? item.within : item.pose.relative_to;
  const Frame given = frame(around, in, steps + 1) * item.pose.frame;
  const SdfModel* const model = around.model_of(name);
  if (item.placed_by.empty() || model == nullptr) return given;
  return given * frame(*model, item.placed_by, steps + 1).inverse();
}

Frame Search::frame(const SdfModel& model, const std::string& name, std::size_t steps) const {
  if (name == "__model__" || name == "__root__" || (model.is_world() && name == "world")) return {};
  if (name == "world") return model.pose().inverse();
  if (too_long(model, name, steps)) return {};
  if (const SdfItem* const item = model.find(name)) {
    if (item->kind == SdfItem::Kind::model) return frame_of_model(model, *item, name, steps);
    std::string in = item->pose.relative_to;
    if (in.empty() && item->kind == SdfItem::Kind::frame) in = item->attached_to;
    if (in.empty()) in = item->within;
    return frame(model, in, steps + 1) * item->pose.frame;
  }
  if (const std::size_t colons = name.find("::"); colons != std::string::npos)
    if (const SdfModel* const nested = model.model_of(name.substr(0, colons))) {
      const SdfItem* const item = model.find(name.substr(0, colons));
      if (item != nullptr)
        return frame_of_model(model, *item, name.substr(0, colons), steps) *
               frame(*nested, name.substr(colons + 2), steps + 1);
    }
  model.element().report().error(
      place_, fmt::format("there is no frame {} in model {}", in_quotes(name), in_quotes(model.name())),
      "Name one of its links, joints or frames; what lies in an inner model has that model's name and :: in front.");
  return {};
}

std::string Search::link(const SdfModel& model, const std::string& name, std::size_t steps) const {
  if (name == "world" || (name == "__model__" && model.is_world())) return std::string(ground);
  if (too_long(model, name, steps)) return {};
  if (name == "__model__") return canonical_link(model, steps);
  if (const SdfItem* const item = model.find(name)) {
    if (item->kind == SdfItem::Kind::link) return model.prefix() + name;
    if (item->kind == SdfItem::Kind::model) {
      const SdfModel* const nested = model.model_of(name);
      return nested == nullptr ? std::string() : canonical_link(*nested, steps + 1);
    }
    return link(model, item->attached_to.empty() ? item->within : item->attached_to, steps + 1);
  }
  if (const std::size_t colons = name.find("::"); colons != std::string::npos)
    if (const SdfModel* const nested = model.model_of(name.substr(0, colons)))
      return link(*nested, name.substr(colons + 2), steps + 1);
  model.element().report().error(
      place_, fmt::format("there is no link or frame {} in model {}", in_quotes(name), in_quotes(model.name())),
      "Name one of its links or frames; what lies in an inner model has that model's name and :: in front.");
  return {};
}

std::string Search::canonical_link(const SdfModel& model, std::size_t steps) const {
  if (const auto given = model.element().text("canonical_link"); given && !given->empty())
    return link(model, *given, steps + 1);
  for (const auto& [name, item] : model.items())
    if (item.kind == SdfItem::Kind::link) return model.prefix() + name;
  for (const auto& nested : model.nested())
    if (std::string link = canonical_link(*nested, steps + 1); !link.empty()) return link;
  return {};
}

}  // namespace

Vec3 read_sdf_axis(const SdfModel& model, const SdfItem& joint, const Element& axis, const Frame& joint_in_model) {
  Vec3 direction{0, 0, 1};
  std::string in;
  if (const Element xyz = axis.child("xyz")) {
    if (const auto d = xyz.content_numbers(3)) direction = {(*d)[0], (*d)[1], (*d)[2]};
    in = joint.named(xyz.text("expressed_in").value_or(""));
    if (!(norm(direction) > 0)) {
      xyz.report().error(xyz.place(), "the axis has no length", "Give it a component other than 0, as in 0 0 1.");
      return {0, 0, 1};
    }
  }
  // True for files before version 1.5.
  bool in_model = axis.file().root().number("version", 1.12) < 1.45;
  if (const Element use = axis.child("use_parent_model_frame")) in_model = sdf_truth(use, use.content());
  if (in.empty() && in_model) in = joint.within;
  const Mat3 axes = in.empty() ? joint_in_model.axes : model.pose_of(in, axis.place()).axes;
  return model.pose().axes * (axes * ((1 / norm(direction)) * direction));
}

bool sdf_truth(const Element& element, std::string_view text, bool otherwise) {
  if (text.empty()) return otherwise;
  std::string word(text);
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (word == "true" || word == "1") return true;
  if (word != "false" && word != "0")
    element.report().error(element.place(), fmt::format("{} is neither true nor false", in_quotes(text)),
                           "Write true or false.");
  return false;
}

SdfPose read_sdf_pose(const Element& owner) {
  const Element pose = owner.child("pose");
  SdfPose out;
  if (!pose) return out;
  out.relative_to = pose.text("relative_to").value_or("");
  if (const auto frame = pose.text("frame"); frame && !frame->empty()) out.relative_to = *frame;  // of version 1.5
  const std::string format = pose.word("rotation_format", {"euler_rpy", "quat_xyzw"}).value_or("euler_rpy");
  const bool degrees = sdf_truth(pose, pose.text("degrees").value_or("false"));
  if (pose.content().empty()) return out;
  const auto all = pose.content_numbers(format == "quat_xyzw" ? 7 : 6);
  if (!all) return out;
  const std::vector<double>& p = *all;
  out.frame.origin = {p[0], p[1], p[2]};
  if (format == "quat_xyzw") {
    const Quat q{p[6], p[3], p[4], p[5]};
    if (norm(q) > 0)
      out.frame.axes = rotation_matrix(q);
    else
      pose.report().error(pose.place(), "the quaternion has no length", "No rotation is 0 0 0 1.");
  } else {
    const double unit = degrees ? std::numbers::pi / 180 : 1;
    out.frame.axes = roll_pitch_yaw({unit * p[3], unit * p[4], unit * p[5]});
  }
  return out;
}

/// False after a report.
bool SdfModel::put(const std::string& name, SdfItem item) {
  const Element& element = item.element;
  if (name.empty()) {
    element.report().error(element.place(), fmt::format("<{}> has no name", element.tag()), add_name);
    return false;
  }
  // Files of earlier versions have joints with the name of a link: a reference means the link.
  const auto [known, first] = number_.try_emplace(name, items_.size());
  if (!first && items_[known->second].second.kind == item.kind) {
    element.report().error(element.place(),
                           fmt::format("the name {} is taken by another thing of the model", in_quotes(name)),
                           "Links, joints, frames and models of one model need names of their own: change one.");
    return false;
  }
  items_.emplace_back(name, std::move(item));
  return true;
}

const SdfItem* SdfModel::find(const std::string& name) const {
  const auto found = number_.find(name);
  return found == number_.end() ? nullptr : &items_[found->second].second;
}

const SdfModel* SdfModel::model_of(const std::string& scope) const {
  for (const auto& model : nested_)
    if (model->name() == scope) return model.get();
  return nullptr;
}

SdfModel& SdfModel::put_nested(const Element& model, std::string prefix) {
  return *nested_.emplace_back(std::make_unique<SdfModel>(model, std::move(prefix), this));
}

Frame SdfModel::pose_of(const std::string& name, Place place) const { return Search(place).frame(*this, name); }
std::string SdfModel::link_of(const std::string& name, Place place) const { return Search(place).link(*this, name); }

std::string SdfModel::canonical_link() const { return Search(element_.place()).canonical_link(*this); }

void SdfModel::check_frames() const {
  for (const auto& [name, item] : items_) {
    if (item.kind != SdfItem::Kind::frame) continue;
    const std::size_t errors = element_.report().errors();
    pose_of(name, item.element.place());
    if (element_.report().errors() == errors) link_of(name, item.element.place());
  }
  for (const auto& nested : nested_) nested->check_frames();
}

Frame SdfModel::pose() const {
  if (outer_ == nullptr) return {};
  return outer_->pose() * outer_->pose_of(name_, element_.place());
}

}  // namespace polyform::importers
