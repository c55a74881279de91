#include "sdf_collector.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace polyform::importers {

bool merges(const Element& include) { return sdf_truth(include, include.text("merge").value_or("false")); }

void SdfCollector::add(const Element& element, const std::string& name, SdfItem::Kind kind, const std::string& within) {
  SdfItem item{.kind = kind, .element = element, .pose = read_sdf_pose(element), .within = within};
  if (kind == SdfItem::Kind::frame) item.attached_to = element.text("attached_to").value_or("");
  if (kind == SdfItem::Kind::joint) {
    const Element child = element.child("child");
    item.attached_to = child.content();
    if (item.attached_to.empty())
      element.report().error(element.place(), "the joint has no <child>", "Add it, with the name of a link or frame.");
    if (item.pose.relative_to.empty()) item.pose.relative_to = item.attached_to;
  }
  for (std::string* const other : {&item.pose.relative_to, &item.attached_to}) *other = item.named(*other);
  model_.put(name, std::move(item));
}

void SdfCollector::collect(std::size_t depth) {
  const Element& own = model_.element();
  const std::string name = own.text("name").value_or("");
  if (model_.name().empty()) model_.set_name(name);
  if (const Element fixed = own.child("static")) model_.set_static(sdf_truth(fixed, fixed.content()));
  gather(own, "__model__", depth);
  if (outer_ == nullptr) model_.check_frames();
}

/// within: the frame of the model of the file, as one of this model.
void SdfCollector::gather(const Element& from, const std::string& within, std::size_t depth) {
  using enum SdfItem::Kind;
  for (const Element& e : from.children("link")) add(e, e.text("name").value_or(""), link, within);
  for (const Element& e : from.children("frame")) add(e, e.text("name").value_or(""), frame, within);
  for (const Element& e : from.children("joint")) add(e, e.text("name").value_or(""), joint, within);
  const std::vector<Element> models = from.children("model"), includes = from.children("include");
  // The names of a file with one model need nothing before them.
  const bool alone = model_.is_world() && models.size() + includes.size() == 1;
  for (const Element& e : models) add_model(e, {}, within, alone, depth);
  for (const Element& include : includes)
    if (const Element placed = files_.model_of(include)) {
      if (is_within(placed))
        include.report().error(include.place(), "files include each other in a circle",
                               "Remove one of these <include> elements.");
      else if (merges(include) && !model_.is_world())
        merge(placed, include, within, depth);
      else
        add_model(placed, include, within, alone, depth);
    }
}

/// A nested model, or the one that an <include> places here: name, pose and more of the latter come before its own.
void SdfCollector::add_model(const Element& model, const Element& include, const std::string& within, bool alone,
                             std::size_t depth) {
  const auto said = [&](const char* tag) { return include ? include.child(tag) : Element(); };
  const Element renamed = said("name"), posed = said("pose"), fixed = said("static"), placed = said("placement_frame");
  const std::string name = renamed ? renamed.content() : model.text("name").value_or("");
  SdfItem item{.kind = SdfItem::Kind::model, .element = model, .pose = read_sdf_pose(posed ? include : model)};
  item.within = within;
  item.pose.relative_to = item.named(item.pose.relative_to);
  item.placed_by = placed ? placed.content() : model.text("placement_frame").value_or("");
  if (!model_.put(name, std::move(item))) return;
  SdfModel& nested = model_.put_nested(model, alone ? model_.prefix() : model_.prefix() + name + "::");
  nested.set_name(name);
  if (depth < XmlFile::most_levels) SdfCollector(nested, files_, this).collect(depth + 1);
  if (fixed) nested.set_static(sdf_truth(fixed, fixed.content()));
}

/// The frame of the merged model becomes one of this model, and all else hangs on it.
void SdfCollector::merge(const Element& model, const Element& include, const std::string& within, std::size_t depth) {
  if (depth >= XmlFile::most_levels) return;
  const auto said = [&](const char* tag) { return include.child(tag); };
  const Element renamed = said("name"), posed = said("pose"), fixed = said("static"), placed = said("placement_frame");
  const std::string own = model.text("name").value_or("");
  const std::string name = fmt::format("_merged__{}__model__", renamed ? renamed.content() : own);
  SdfItem item{.kind = SdfItem::Kind::frame, .element = include, .pose = read_sdf_pose(posed ? include : model)};
  item.within = within;
  // A frame without it lies in what it is attached to, which here lies in the frame.
  if (item.pose.relative_to.empty()) item.pose.relative_to = within;
  item.pose.relative_to = item.named(item.pose.relative_to);
  const std::string by = placed ? placed.content() : model.text("placement_frame").value_or("");
  SdfModel alone(model, "", nullptr);
  alone.set_name(own);
  SdfCollector(alone, files_, this).collect(depth + 1);
  if (!by.empty()) item.pose.frame = item.pose.frame * alone.pose_of(by, include.place()).inverse();
  item.attached_to = alone.canonical_link();
  if (!model_.put(name, std::move(item))) return;
  if (fixed || alone.is_static()) model_.set_static(fixed ? sdf_truth(fixed, fixed.content()) : alone.is_static());
  merged_.push_back(model);
  gather(model, name, depth + 1);
  merged_.pop_back();
}

bool SdfCollector::is_within(const Element& model) const {
  const auto is_it = [&](const Element& e) { return e.node() == model.node(); };
  return is_it(model_.element()) || std::ranges::any_of(merged_, is_it) ||
         (outer_ != nullptr && outer_->is_within(model));
}

}  // namespace polyform::importers
