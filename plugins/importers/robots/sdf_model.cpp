#include "sdf_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

namespace polyform::importers {

namespace {

/// Frames that are given in one another go round in a circle when there are more steps than this.
constexpr std::size_t most_steps = 1000;

bool is_true(const std::string& text) { return text == "true" || text == "1"; }

}  // namespace

Vec3 read_sdf_axis(const SdfModel& model, const SdfItem& joint, const Element& axis, const Frame& joint_in_model) {
  Vec3 direction{0, 0, 1};
  std::string in;
  if (const Element xyz = axis.child("xyz")) {
    if (const auto d = xyz.content_numbers(3)) direction = {(*d)[0], (*d)[1], (*d)[2]};
    in = joint.named(xyz.text("expressed_in").value_or(""));
    if (!(norm(direction) > 0)) {
      xyz.report().error(xyz.place(), "the axis has no length");
      return {0, 0, 1};
    }
  }
  // True for files before version 1.5.
  bool in_model = axis.file().root().number("version", 1.12) < 1.45;
  if (const Element use = axis.child("use_parent_model_frame")) in_model = is_true(use.content());
  if (in.empty() && in_model) in = joint.within;
  const Mat3 axes = in.empty() ? joint_in_model.axes : model.pose_of(in, axis.place()).axes;
  return model.pose().axes * (axes * ((1 / norm(direction)) * direction));
}

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

bool merges(const Element& include) { return is_true(include.text("merge").value_or("false")); }

/// False after a report.
bool SdfModel::put(const std::string& name, SdfItem item) {
  const Element& element = item.element;
  if (name.empty()) {
    element.report().error(element.place(), fmt::format("<{}> has no name", element.tag()));
    return false;
  }
  // Files of earlier versions have joints with the name of a link: a reference means the link.
  const auto [known, first] = number_.try_emplace(name, items_.size());
  if (!first && items_[known->second].second.kind == item.kind) {
    element.report().error(element.place(),
                           fmt::format("the name {} is taken by another thing of the model", in_quotes(name)));
    return false;
  }
  items_.emplace_back(name, std::move(item));
  return true;
}

void SdfModel::add(const Element& element, const std::string& name, SdfItem::Kind kind, const std::string& within) {
  SdfItem item{.kind = kind, .element = element, .pose = read_sdf_pose(element), .within = within};
  if (kind == SdfItem::Kind::frame) item.attached_to = element.text("attached_to").value_or("");
  if (kind == SdfItem::Kind::joint) {
    const Element child = element.child("child");
    item.attached_to = child.content();
    if (item.attached_to.empty()) element.report().error(element.place(), "the joint has no <child>");
    if (item.pose.relative_to.empty()) item.pose.relative_to = item.attached_to;
  }
  for (std::string* const other : {&item.pose.relative_to, &item.attached_to}) *other = item.named(*other);
  put(name, std::move(item));
}

void SdfModel::collect(std::size_t depth) {
  const std::string own = element_.text("name").value_or("");
  if (name_.empty()) name_ = own;
  if (const Element fixed = element_.child("static")) static_ = is_true(fixed.content());
  gather(element_, "__model__", depth);
}

/// within: the frame of the model of the file, as one of this model.
void SdfModel::gather(const Element& from, const std::string& within, std::size_t depth) {
  using enum SdfItem::Kind;
  for (const Element& e : from.children("link")) add(e, e.text("name").value_or(""), link, within);
  for (const Element& e : from.children("frame")) add(e, e.text("name").value_or(""), frame, within);
  for (const Element& e : from.children("joint")) add(e, e.text("name").value_or(""), joint, within);
  const std::vector<Element> models = from.children("model"), includes = from.children("include");
  // The names of a file with one model need nothing before them.
  const bool alone = is_world() && models.size() + includes.size() == 1;
  for (const Element& e : models) add_model(e, {}, within, alone, depth);
  for (const Element& include : includes)
    if (const Element placed = files_.model_of(include)) {
      if (is_within(placed))
        include.report().error(include.place(), "files include each other in a circle",
                               "Remove one of these <include> elements.");
      else if (merges(include) && !is_world())
        merge(placed, include, within, depth);
      else
        add_model(placed, include, within, alone, depth);
    }
}

/// A nested model, or the one that an <include> places here: name, pose and more of the latter come before its own.
void SdfModel::add_model(const Element& model, const Element& include, const std::string& within, bool alone,
                         std::size_t depth) {
  const auto said = [&](const char* tag) { return include ? include.child(tag) : Element(); };
  const Element renamed = said("name"), posed = said("pose"), fixed = said("static"), placed = said("placement_frame");
  const std::string name = renamed ? renamed.content() : model.text("name").value_or("");
  SdfItem item{.kind = SdfItem::Kind::model, .element = model, .pose = read_sdf_pose(posed ? include : model)};
  item.within = within;
  item.pose.relative_to = item.named(item.pose.relative_to);
  item.placed_by = placed ? placed.content() : model.text("placement_frame").value_or("");
  if (!put(name, std::move(item))) return;
  SdfModel& nested =
      *nested_.emplace_back(std::make_unique<SdfModel>(model, alone ? prefix_ : prefix_ + name + "::", this, files_));
  nested.set_name(name);
  if (depth < XmlFile::most_levels) nested.collect(depth + 1);
  if (fixed) nested.static_ = is_true(fixed.content());
}

/// The frame of the merged model becomes one of this model, and all else hangs on it.
void SdfModel::merge(const Element& model, const Element& include, const std::string& within, std::size_t depth) {
  if (depth >= XmlFile::most_levels) return;
  const auto said = [&](const char* tag) { return include.child(tag); };
  const Element renamed = said("name"), posed = said("pose"), fixed = said("static"), placed = said("placement_frame");
  const std::string own = model.text("name").value_or("");
  const std::string name = fmt::format("_merged__{}__model__", renamed ? renamed.content() : own);
  SdfItem item{.kind = SdfItem::Kind::frame, .element = include, .pose = read_sdf_pose(posed ? include : model)};
  item.within = within;
  item.pose.relative_to = item.named(item.pose.relative_to);
  const std::string by = placed ? placed.content() : model.text("placement_frame").value_or("");
  SdfModel alone(model, "", nullptr, files_);
  alone.set_name(own);
  alone.merged_ = merged_;
  alone.merged_.push_back(element_);
  alone.collect(depth + 1);
  if (!by.empty()) item.pose.frame = item.pose.frame * alone.pose_of(by, include.place()).inverse();
  item.attached_to = alone.canonical_link();
  if (!put(name, std::move(item))) return;
  if (fixed || alone.static_) static_ = fixed ? is_true(fixed.content()) : alone.static_;
  merged_.push_back(model);
  gather(model, name, depth + 1);
  merged_.pop_back();
}

bool SdfModel::is_within(const Element& model) const {
  const auto is_it = [&](const Element& e) { return e.node() == model.node(); };
  return is_it(element_) || std::ranges::any_of(merged_, is_it) || (outer_ != nullptr && outer_->is_within(model));
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
  const std::string& in = item.pose.relative_to.empty() ? item.within : item.pose.relative_to;
  const Frame given = resolve(in, place, steps + 1) * item.pose.frame;
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
    if (in.empty()) in = item->within;
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
    return attached(item->attached_to.empty() ? item->within : item->attached_to, place, steps + 1);
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
