// The tables of flexible bodies that all worlds share, and the numbers of as many worlds as one pack holds.
#pragma once

#include <vector>

#include "lane_flexible.hpp"
#include "polyform/solvers/lane_evaluation.hpp"
#include "polyform/solvers/loop_closure.hpp"

namespace polyform::lanes {

struct FlexibleTables {
  explicit FlexibleTables(const LaneWorld& world) {
    const SystemView& view = *world.view;
    if (view.flexible.empty()) return;
    const FlexibleLinks& links = world.loops->flexible();
    const auto narrow = [](std::size_t x) { return static_cast<std::uint32_t>(x); };
    for (std::size_t i = 0; i < view.flexible.size(); ++i) {
      const FlexibleLinks::Element& e = links.element(i);
      elements.push_back({narrow(e.body), narrow(e.modes), narrow(e.mode), narrow(e.first), narrow(e.end),
                          narrow(e.carried), narrow(lowers), narrow(masses), narrow(forces)});
      lowers += e.modes * e.modes;
      masses += (6 + e.modes) * (6 + e.modes);
      forces += 6 + e.modes;
      most_modes = e.modes > most_modes ? e.modes : most_modes;
    }
    attachments.resize(view.frames());
    for (std::size_t f = 0; f < view.frames(); ++f) {
      const std::size_t a = links.attachment_of(frame_index(f));
      attachments[f] = a == FlexibleLinks::none ? no_attachment : narrow(a);
    }
    for (std::size_t a = 0; a < links.attachments(); ++a) {
      const FlexibleLinks::Attachment& t = links.attachment(a);
      const bool of_node = t.node != FlexibleLinks::none;
      const std::size_t frame = of_node ? view.bodies.size() + t.node : links.element(t.element).body;
      frames.push_back(
          {narrow(frame), narrow(t.element), of_node ? static_cast<std::int32_t>(t.node) : -1, narrow(t.columns)});
      columns = t.columns + links.element(t.element).modes;
    }
    for (const FlexibleNode& node : view.nodes) {
      const std::size_t element = links.element_of(at(node.body)), m = links.element(element).modes;
      const bool has_second_order = !node.second_order.empty();
      nodes.push_back({narrow(element), narrow(shapes), narrow(node_columns), has_second_order});
      shapes += 6 * m + (has_second_order ? 3 * m * m : 0);
      node_columns += m;
    }
    tree = {elements.data(),
            elements.size(),
            frames.data(),
            nodes.data(),
            nodes.size(),
            view.bodies.size(),
            view.nq_tree + view.nv_tree,
            view.modes,
            attachments.data()};
  }

  std::vector<FlexibleElement> elements;
  std::vector<FlexibleFrame> frames;
  std::vector<FlexiblePlace> nodes;
  std::vector<std::uint32_t> attachments;  ///< FlexibleTree::attachments
  std::size_t lowers = 0, masses = 0, forces = 0, columns = 0, shapes = 0, node_columns = 0, most_modes = 0;
  FlexibleTree tree;
};

/// Its members are the arrays that the kernels of flexible bodies read and write, each of its own kind.
template <class T>
class FlexibleArrays {
 public:
  explicit FlexibleArrays(const FlexibleTables& tables)
      : points_(tables.nodes.size()),
        shapes_(tables.shapes),
        mass_(tables.masses),
        force_(tables.forces),
        nodes_(tables.nodes.size()),
        frames_(tables.frames.size()),
        H_(tables.node_columns),
        B_(tables.columns),
        carried_(tables.most_modes),
        coupling_(tables.tree.modes),
        R_(tables.elements.size()),
        omega_(tables.elements.size()),
        lower_(tables.lowers),
        modal_(tables.tree.modes),
        directions_(tables.tree.modes),
        eta_(tables.tree.modes),
        etadot_(tables.tree.modes),
        etaddot_(tables.tree.modes) {
    room.tree = tables.tree;
    room.points = points_.data();
    room.shapes = shapes_.data();
    room.mass = mass_.data();
    room.force = force_.data();
    room.nodes = nodes_.data();
    room.H = H_.data();
    room.frames = frames_.data();
    room.R = R_.data();
    room.omega = omega_.data();
    room.B = B_.data();
    room.carried = carried_.data();
    room.coupling = coupling_.data();
    room.lower = lower_.data();
    room.modal = modal_.data();
    room.directions = directions_.data();
    room.eta = eta_.data();
    room.etadot = etadot_.data();
    room.etaddot = etaddot_.data();
  }
  FlexibleArrays(const FlexibleArrays&) = delete;
  FlexibleArrays& operator=(const FlexibleArrays&) = delete;

  /// Takes the numbers of a world's nodes into a lane.
  void take(std::size_t lane, const SystemView& view) noexcept {
    for (std::size_t i = 0; i < view.nodes.size(); ++i) {
      const FlexibleNode& node = view.nodes[i];
      for (std::size_t axis = 0; axis < 3; ++axis) LanesOf<T>::set(points_[i][axis], lane, node.point[axis]);
      T* to = shapes_.data() + room.tree.nodes[i].shapes;
      for (const std::span<const double> part : {node.displacement, node.rotation, node.second_order})
        for (const double x : part) LanesOf<T>::set(*to++, lane, x);
    }
  }
  /// Takes the equations of a body of a world into a lane.
  void put(std::size_t lane, std::size_t element, std::span<const double> mass,
           std::span<const double> force) noexcept {
    const FlexibleElement& e = room.tree.elements[element];
    for (std::size_t i = 0; i < mass.size(); ++i) LanesOf<T>::set(mass_[e.mass + i], lane, mass[i]);
    for (std::size_t i = 0; i < force.size(); ++i) LanesOf<T>::set(force_[e.force + i], lane, force[i]);
  }

  FlexibleRoom<T> room;

 private:
  std::vector<Vector3<T>> points_;
  std::vector<T> shapes_, mass_, force_;
  std::vector<NodeWork<T>> nodes_;
  std::vector<FrameWork<T>> frames_;
  std::vector<SpatialVector<T>> H_, B_, carried_, coupling_;
  std::vector<Matrix3<T>> R_;
  std::vector<Vector3<T>> omega_;
  std::vector<T> lower_, modal_;
  std::vector<Column<T>> directions_;
  std::vector<T> eta_, etadot_, etaddot_;
};

}  // namespace polyform::lanes
