#include "sdf_model.hpp"

#include <fmt/format.h>

#include <numbers>

namespace polyform::importers {

namespace {

/// Frames that are given in one another go round in a circle when there are more steps than this.
constexpr std::size_t most_steps = 1000;

bool is_true(const std::string& text) { return text == "true" || text == "1"; }

}  // namespace

SdfPose read_sdf_pose(const Element& owner) {
  const Element pose = owner.child("pose");
  SdfPose out;
  if (!pose) return out;
  out.relative_to = pose.text("relative_to").value_or("");
  if (const auto frame = pose.text("frame"); frame && !frame->empty()) out.relative_to = *frame;  // of version 1.5
  const std::string format = pose.text("rotation_format").value_or("euler_rpy");
  const bool degrees = is_true(pose.text("degrees").value_or("false"));
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
      pose.report().error(pose.place(), "the quaternion has no length");
  } else {
    const double unit = degrees ? std::numbers::pi / 180 : 1;
    out.frame.axes = roll_pitch_yaw({unit * p[3], unit * p[4], unit * p[5]});
  }
  return out;
}

void SdfModel::add(const Element& element, const std::string& name, SdfItem::Kind kind) {
  if (name.empty()) {
    element.report().error(element.place(), fmt::format("<{}> has no name", element.tag()));
    return;
  }
  // Files of earlier versions have joints with the name of a link: a reference means the link.
  const auto [known, first] = number_.try_emplace(name, items_.size());
  if (!first && items_[known->second].second.kind == kind) {
    element.report().error(element.place(),
                           fmt::format("the name {} is taken by another thing of the model", in_quotes(name)));
    return;
  }
  SdfItem item{kind, element, read_sdf_pose(element), {}, {}};
  if (kind == SdfItem::Kind::frame) item.attached_to = element.text("attached_to").value_or("");
  if (kind == SdfItem::Kind::joint) {
    const Element child = element.child("child");
    item.attached_to = child.content();
    if (item.attached_to.empty()) element.report().error(element.place(), "the joint has no <child>");
    if (item.pose.relative_to.empty()) item.pose.relative_to = item.attached_to;
  }
  items_.emplace_back(name, std::move(item));
}

void SdfModel::collect(std::size_t depth) {
  const std::string own = element_.text("name").value_or("");
  if (name_.empty()) name_ = own;
  if (const Element fixed = element_.child("static")) static_ = is_true(fixed.content());
  for (const Element& link : element_.children("link")) add(link, link.text("name").value_or(""), SdfItem::Kind::link);
  for (const Element& frame : element_.children("frame"))
    add(frame, frame.text("name").value_or(""), SdfItem::Kind::frame);
  for (const Element& joint : element_.children("joint"))
    add(joint, joint.text("name").value_or(""), SdfItem::Kind::joint);
  const std::vector<Element> models = element_.children("model"), includes = element_.children("include");
  // The names of a file with one model need nothing before them.
  const bool alone = is_world() && models.size() + includes.size() == 1;
  for (const Element& model : models) add_model(model, {}, alone, depth);
  for (const Element& include : includes)
    if (const Element model = files_.model_of(include)) add_model(model, include, alone, depth);
}

/// A nested model, or the one that an <include> places here: name, pose and more of the latter come before its own.
void SdfModel::add_model(const Element& model, const Element& include, bool alone, std::size_t depth) {
  if (include && is_within(model)) {
    include.report().error(include.place(), "files include each other in a circle",
                           "Remove one of these <include> elements.");
    return;
  }
  const auto said = [&](const char* tag) { return include ? include.child(tag) : Element(); };
  const Element renamed = said("name"), posed = said("pose"), fixed = said("static"), placed = said("placement_frame");
  const std::string name = renamed ? renamed.content() : model.text("name").value_or("");
  const std::size_t before = items_.size();
  add(model, name, SdfItem::Kind::model);
  if (items_.size() == before) return;
  SdfItem& item = items_.back().second;
  item.placed_by = placed ? placed.content() : model.text("placement_frame").value_or("");
  if (posed) item.pose = read_sdf_pose(include);
  SdfModel& nested =
      *nested_.emplace_back(std::make_unique<SdfModel>(model, alone ? prefix_ : prefix_ + name + "::", this, files_));
  nested.set_name(name);
  if (depth < XmlFile::most_levels) nested.collect(depth + 1);
  if (fixed) nested.static_ = is_true(fixed.content());
}

bool SdfModel::is_within(const Element& model) const {
  return element_.node() == model.node() || (outer_ != nullptr && outer_->is_within(model));
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

bool SdfModel::too_long(std::size_t steps, const std::string& name, Place place) const {
  if (steps < most_steps) return false;
  element_.report().error(place, fmt::format("the pose of {} depends on itself", in_quotes(name)),
                          "Frames are given in one another in a circle: change one of relative_to and attached_to.");
  return true;
}

Frame SdfModel::nested_pose(const SdfItem& item, const std::string& name, Place place, std::size_t steps) const {
  const Frame given =
      resolve(item.pose.relative_to.empty() ? "__model__" : item.pose.relative_to, place, steps + 1) * item.pose.frame;
  const SdfModel* const model = model_of(name);
  if (item.placed_by.empty() || model == nullptr) return given;
  return given * model->resolve(item.placed_by, place, steps + 1).inverse();
}

Frame SdfModel::resolve(const std::string& name, Place place, std::size_t steps) const {
  if (name == "__model__" || name == "__root__" || (is_world() && name == "world")) return {};
  if (name == "world") return pose().inverse();
  if (too_long(steps, name, place)) return {};
  if (const SdfItem* const item = find(name)) {
    if (item->kind == SdfItem::Kind::model) return nested_pose(*item, name, place, steps);
    std::string in = item->pose.relative_to;
    if (in.empty() && item->kind == SdfItem::Kind::frame) in = item->attached_to;
    if (in.empty()) in = "__model__";
    return resolve(in, place, steps + 1) * item->pose.frame;
  }
  if (const std::size_t colons = name.find("::"); colons != std::string::npos)
    if (const SdfModel* const model = model_of(name.substr(0, colons))) {
      const SdfItem* const item = find(name.substr(0, colons));
      if (item != nullptr)
        return nested_pose(*item, name.substr(0, colons), place, steps) *
               model->resolve(name.substr(colons + 2), place, steps + 1);
    }
  element_.report().error(place, fmt::format("there is no frame {} in model {}", in_quotes(name), in_quotes(name_)));
  return {};
}

std::string SdfModel::attached(const std::string& name, Place place, std::size_t steps) const {
  if (name == "world") return std::string(ground);
  if (name == "__model__") return is_world() ? std::string(ground) : canonical_link();
  if (too_long(steps, name, place)) return {};
  if (const SdfItem* const item = find(name)) {
    if (item->kind == SdfItem::Kind::link) return prefix_ + name;
    if (item->kind == SdfItem::Kind::model) {
      const SdfModel* const model = model_of(name);
      return model == nullptr ? std::string() : model->canonical_link();
    }
    return attached(item->attached_to.empty() ? "__model__" : item->attached_to, place, steps + 1);
  }
  if (const std::size_t colons = name.find("::"); colons != std::string::npos)
    if (const SdfModel* const model = model_of(name.substr(0, colons)))
      return model->attached(name.substr(colons + 2), place, steps + 1);
  element_.report().error(place,
                          fmt::format("there is no link or frame {} in model {}", in_quotes(name), in_quotes(name_)));
  return {};
}

Frame SdfModel::pose_of(const std::string& name, Place place) const { return resolve(name, place, 0); }
std::string SdfModel::link_of(const std::string& name, Place place) const { return attached(name, place, 0); }

std::string SdfModel::canonical_link() const {
  if (const auto given = element_.text("canonical_link"); given && !given->empty())
    return link_of(*given, element_.place());
  for (const auto& [name, item] : items_)
    if (item.kind == SdfItem::Kind::link) return prefix_ + name;
  for (const auto& model : nested_)
    if (std::string link = model->canonical_link(); !link.empty()) return link;
  return {};
}

Frame SdfModel::pose() const {
  if (outer_ == nullptr) return {};
  return outer_->pose() * outer_->resolve(name_, element_.place(), 0);
}

}  // namespace polyform::importers
