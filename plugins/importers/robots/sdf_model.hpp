// The models, links and frames of an SDF file, and where they are.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mechanism.hpp"
#include "xml_file.hpp"

namespace polyform::importers {

/// The pose in the child <pose> of an element, or none. relative_to: the name of the frame in which it is given; empty
/// for the usual one.
struct SdfPose {
  Frame frame;
  std::string relative_to;
};
SdfPose read_sdf_pose(const Element& owner);

/// What a text of an element says: true or 1, false or 0, in letters of any case. Another word is reported.
/// otherwise: what no text says.
bool sdf_truth(const Element&, std::string_view text, bool otherwise = false);

/// A link, joint, frame or nested model, by its name in a model.
struct SdfItem {
  enum class Kind { link, joint, frame, model };
  Kind kind = Kind::link;
  Element element{};
  SdfPose pose{};
  std::string attached_to{};         ///< of a frame; of a joint its child
  std::string placed_by{};           ///< of a model: the frame in it whose pose the pose is
  std::string within = "__model__";  ///< the frame of the model that its file puts it into

  /// A name in the file of the thing as one in this model.
  std::string named(const std::string& name) const { return name == "__model__" ? within : name; }
};

/// A scope of names: a model, or the world. It knows where its things are. A reader fills it (sdf_reader.hpp).
class SdfModel {
 public:
  SdfModel(Element element, std::string prefix, const SdfModel* outer)
      : element_(element), prefix_(std::move(prefix)), outer_(outer) {}

  /// The pose of a named thing in this model, and the name of the link to which it is fixed, with prefix; nothing after
  /// a report, or if the name is "world".
  Frame pose_of(const std::string& name, Place asked_from) const;
  /// The link to which a named thing is fixed, with its prefix: "" after a report.
  std::string link_of(const std::string& name, Place asked_from) const;
  std::string canonical_link() const;
  /// Reports the frames, in this model and those in it, whose place cannot be told, also where nothing names them.
  void check_frames() const;
  /// The pose of the model in ground.
  Frame pose() const;

  const Element& element() const { return element_; }
  const std::string& prefix() const { return prefix_; }
  const SdfModel* outer() const { return outer_; }
  const std::vector<std::pair<std::string, SdfItem>>& items() const { return items_; }
  const std::vector<std::unique_ptr<SdfModel>>& nested() const { return nested_; }
  bool is_static() const { return static_ || (outer_ != nullptr && outer_->is_static()); }
  bool is_world() const { return element_.tag() == "world" || element_.tag() == "sdf"; }
  const std::string& name() const { return name_; }
  /// The thing of this name, or the nested model; nullptr if there is none.
  const SdfItem* find(const std::string& name) const;
  const SdfModel* model_of(const std::string& scope) const;

  void set_name(std::string name) { name_ = std::move(name); }
  void set_static(bool is_static) { static_ = is_static; }
  /// False after a report, if the name is empty or taken.
  bool put(const std::string& name, SdfItem);
  SdfModel& put_nested(const Element& model, std::string prefix);

 private:
  Element element_;
  std::string prefix_, name_;
  const SdfModel* outer_;
  bool static_ = false;
  std::vector<std::pair<std::string, SdfItem>> items_;
  std::map<std::string, std::size_t> number_;
  std::vector<std::unique_ptr<SdfModel>> nested_;
};

/// A unit vector along an <axis> of a joint, in ground; along z where it gives none. joint_in_model: its frame.
Vec3 read_sdf_axis(const SdfModel&, const SdfItem& joint, const Element& axis, const Frame& joint_in_model);

}  // namespace polyform::importers
