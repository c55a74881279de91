// Nodes: the sections of flexible bodies that joints and markers attach to.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/host/assembly/parts.hpp"

namespace polyform::host::inline assembly {
namespace {

/// A joint with so many freedoms holds nothing. It needs no node: a free joint is between the origins of body frames.
constexpr std::size_t all_freedoms = 6;

class NodeBuilder {
 public:
  NodeBuilder(System::Parts& parts, Diagnostics& diagnostics) : parts_(parts), diagnostics_(diagnostics) {}

  bool build() {
    for (std::size_t j = 0; j < parts_.joints.size(); ++j) attach_joint(j);
    attach_markers(parts_.force_storage, parts_.description.forces, "force");
    attach_markers(parts_.constraint_storage, parts_.description.constraints, "constraint");
    attach_markers(parts_.module_storage, parts_.description.modules, "module");
    if (diagnostics_.failed()) return false;
    order_by_body();
    parts_.view.nodes = parts_.nodes;
    return true;
  }

 private:
  /// What attaches somewhere: its frame and its point in that frame, to be moved to a node.
  struct Attachment {
    FrameIndex* frame;
    Vec3* point;
  };

  bool is_flexible(BodyIndex b) const { return !is_ground(b) && parts_.bodies[at(b)].flexible != rigid; }

  void attach_joint(std::size_t j) {
    JointData& joint = parts_.joints[j];
    if (joint.nv == all_freedoms) return;
    for (const auto& [body, attachment] : {std::pair{joint.base, Attachment{&joint.base_frame, &joint.p_base}},
                                           std::pair{joint.moving, Attachment{&joint.moving_frame, &joint.p_moving}}})
      if (is_flexible(body) && !attach(body, attachment))
        report(parts_.description.joints[parts_.user_joint[j]], "joint", joint.name, body, *attachment.point);
  }

  template <class Type>
  void attach_markers(std::deque<GroupStorage<Type>>& groups, const std::vector<ElementItem<Type>>& items,
                      std::string_view kind) {
    for (GroupStorage<Type>& group : groups)
      for (std::size_t i = 0; i < group.items.size(); ++i)
        for (std::size_t k = 0; k < group.markers[i].size(); ++k) {
          Marker& marker = group.markers[i][k];
          if (!is_flexible(marker.body)) continue;
          const Vec3 point = marker.point;
          const ElementItem<Type>& item = items[group.items[i]];
          if (!attach(marker.body, {&marker.frame, &marker.point})) report(item, kind, item.name, marker.body, point);
          // As drawn the node's frame is the body's, moved to the node.
          Pose& drawn = group.drawn[i][k];
          drawn.position += rotation_matrix(drawn.orientation) * (point - marker.point);
        }
  }

  /// Moves the attachment to a node at its point, unless all shape functions vanish there: then the body frame serves.
  /// False when nothing can be attached there.
  bool attach(BodyIndex body, const Attachment& attachment) {
    const FlexibleData& data = parts_.flexible[parts_.bodies[at(body)].flexible];
    const Vec3 point = *attachment.point;
    std::vector<double> displacement(3 * data.modes), rotation(3 * data.modes);
    std::vector<double> second_order(3 * data.modes * data.modes);
    ModeShapes shapes{.displacement = displacement, .rotation = rotation, .second_order = second_order};
    if (!data.type->shapes_at(*data.instance, point, shapes)) return false;
    constexpr double no_shape = 1e-14;  // rounding of a shape of size 1
    const auto still = [](double x) { return std::abs(x) <= no_shape; };
    const bool straight = std::ranges::all_of(second_order, still);
    if (std::ranges::all_of(displacement, still) && std::ranges::all_of(rotation, still) && straight) return true;
    constexpr double same_point = 1e-12;  // rounding of points that are given in two ways
    auto node = std::find_if(parts_.nodes.begin(), parts_.nodes.end(), [&](const FlexibleNode& n) {
      return n.body == body && norm(n.point - point) <= same_point * std::max(1.0, norm(point));
    });
    if (node == parts_.nodes.end()) {
      const auto& kept_displacement = parts_.shapes.emplace_back(std::move(displacement));
      const auto& kept_rotation = parts_.shapes.emplace_back(std::move(rotation));
      if (straight) second_order.clear();
      const auto& kept_second_order = parts_.shapes.emplace_back(std::move(second_order));
      node =
          parts_.nodes.insert(parts_.nodes.end(), {body, point, kept_displacement, kept_rotation, kept_second_order});
    }
    attached_.push_back({attachment, static_cast<std::size_t>(node - parts_.nodes.begin())});
    *attachment.point = {};
    return true;
  }

  void report(const Item& item, std::string_view kind, std::string_view name, BodyIndex body, const Vec3& point) {
    const FlexibleData& data = parts_.flexible[parts_.bodies[at(body)].flexible];
    parts_.report(diagnostics_, Severity::error, item, {}, {},
                  fmt::format("{} `{}` cannot be attached to the flexible body `{}` at [{:g}, {:g}, {:g}] m in the "
                              "body's axes: a body of type `{}` has nothing there",
                              kind, name, parts_.bodies[at(body)].name, point.x, point.y, point.z, data.type->name()),
                  "attach it to a point of the undeformed body");
  }

  /// Nodes of one body together, in the order of the bodies; frames follow.
  void order_by_body() {
    std::vector<std::size_t> order(parts_.nodes.size()), place(parts_.nodes.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return at(parts_.nodes[a].body) < at(parts_.nodes[b].body); });
    std::vector<FlexibleNode> sorted;
    for (std::size_t i = 0; i < order.size(); ++i) {
      sorted.push_back(parts_.nodes[order[i]]);
      place[order[i]] = i;
    }
    parts_.nodes = std::move(sorted);
    for (const auto& [attachment, node] : attached_)
      *attachment.frame = frame_index(parts_.bodies.size() + place[node]);
  }

  struct Attached {
    Attachment attachment;
    std::size_t node;  ///< in the order in which they were made
  };
  System::Parts& parts_;
  Diagnostics& diagnostics_;
  std::vector<Attached> attached_;
};

}  // namespace

bool build_nodes(System::Parts& parts, Diagnostics& diagnostics) {
  return parts.flexible.empty() || NodeBuilder(parts, diagnostics).build();
}

}  // namespace polyform::host::assembly
