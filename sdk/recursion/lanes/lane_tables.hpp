// The tables that all worlds of a batch share, made of one of them.
#pragma once

#include <vector>

#include "lane_flexible_arrays.hpp"
#include "lane_room.hpp"
#include "polyform/mechanics/constraint.hpp"
#include "polyform/solvers/hinged_tree.hpp"
#include "polyform/solvers/lane_evaluation.hpp"
#include "polyform/solvers/loop_closure.hpp"

namespace polyform::lanes {

/// The tree.
struct Tables {
  explicit Tables(const LaneWorld& world) : links(world.tree->links), angles(world.tree->rotations), flexible(world) {
    for (const JointData& joint : world.tree->general_joints) {
      const auto body = static_cast<std::uint32_t>(&joint - world.tree->general_joints.data());
      general.push_back({body, static_cast<std::uint32_t>(primitives.size()),
                         static_cast<std::uint32_t>(joint.primitives.size()), joint.kernel != nullptr});
      std::size_t q = joint.q_offset;
      for (const Primitive& primitive : joint.primitives) {
        primitives.push_back({primitive.kind, static_cast<std::uint32_t>(angles.size())});
        if (primitive.kind == Primitive::Kind::rotation) angles.push_back(static_cast<std::uint32_t>(q));
        q += position_count(primitive.kind);
      }
    }
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (links[i].hinge == Hinge::general) general[links[i].place].body = static_cast<std::uint32_t>(i);
      // Columns count the directions of all hinges; singles count the hinges that have one of their own kind.
      if (links[i].hinge == Hinge::rotation || links[i].hinge == Hinge::translation)
        links[i].first = static_cast<std::uint32_t>(singles++);
    }
    tree = {links.data(),   links.size(),   angles.data(),     angles.size(),
            general.data(), general.size(), primitives.data(), world.view->nq_tree};
  }
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  std::vector<Link> links;
  std::vector<std::uint32_t> angles;
  std::vector<GeneralJoint> general;
  std::vector<GeneralPrimitive> primitives;
  std::size_t singles = 0;
  FlexibleTables flexible;
  Tree tree;
};

/// The joints that close the loops.
struct Closing {
  explicit Closing(const LaneWorld& world) {
    const Strided<const JointData> cuts = world.view->cut_joints();
    const ForceSet& forces = world.loads->forces();
    std::vector<bool> loaded(cuts.size());  // whether forces act on a cut joint
    for (std::size_t i = 0; i < forces.parts(); ++i)
      for (const Attachments::JointSlice& joint : forces.part(i).attached.joints())
        for (std::size_t c = 0; c < cuts.size(); ++c)
          if (joint.nv > 0 && joint.v == cuts[c].v_offset) loaded[c] = true;
    for (std::size_t c = 0; c < cuts.size(); ++c) {
      const JointData& cut = cuts[c];
      const auto is_one = [&](Primitive::Kind of) {
        return cut.primitives.size() == 1 && cut.primitives[0].kind == of;
      };
      const auto kind = is_one(Primitive::Kind::rotation)      ? CutJoint::Kind::rotation
                        : is_one(Primitive::Kind::translation) ? CutJoint::Kind::translation
                        : is_one(Primitive::Kind::ball)        ? CutJoint::Kind::ball
                        : cut.nv == 0                          ? CutJoint::Kind::fixed
                                                               : CutJoint::Kind::other;
      joints.push_back({cut.base_frame, cut.moving_frame, static_cast<std::uint32_t>(cut.q_offset),
                        static_cast<std::uint32_t>(cut.nq), static_cast<std::uint32_t>(cut.nv), kind,
                        !loaded[c] && kind != CutJoint::Kind::other});
    }
    plain = {joints.data(), joints.size(), world.view->nv_tree + 2 * world.view->modes + world.view->states};
  }
  Closing(const Closing&) = delete;
  Closing& operator=(const Closing&) = delete;

  std::vector<CutJoint> joints;
  Cuts plain;
};

/// The loops: of a world without any all are empty.
struct LoopLists {
  explicit LoopLists(const LaneWorld& world);
  LoopLists(const LoopLists&) = delete;
  LoopLists& operator=(const LoopLists&) = delete;

  std::vector<LoopTables::Loop> loops;
  std::vector<LoopTables::Passage> passages;
  std::vector<LoopTables::Body> bodies;
  std::vector<LoopTables::Neighbour> neighbours;
  std::vector<std::uint32_t> pairs, modal_pairs, targets, in_ground;
  LoopTables tables;
};

inline LoopLists::LoopLists(const LaneWorld& world) {
  if (world.loops->empty()) return;
  const LoopLayout& layout = world.loops->layout();
  const MultiplierMatrix& matrix = world.loops->matrix();
  const auto whole = [](std::size_t x) { return static_cast<std::uint32_t>(x); };
  const auto passage = [&](std::span<const LoopLayout::End> ends, std::size_t i) {
    return i < ends.size() ? whole(ends[i].passage) : LoopTables::none;
  };
  for (std::size_t i = 0; i < world.tree->links.size(); ++i) {
    const std::span<const LoopLayout::Passage> all = layout.all_in(i);
    const std::size_t closing = layout.closing(i).size(), passing = layout.passing(i).size();
    bodies.push_back(
        {whole(passages.size()), whole(all.size()), whole(closing), whole(pairs.size()), whole(modal_pairs.size())});
    pairs.insert(pairs.end(), layout.pairs(i), layout.pairs(i) + passing * (passing + 1) / 2);
    if (world.tree->links[i].flexible)
      modal_pairs.insert(modal_pairs.end(), layout.modal_pairs(i),
                         layout.modal_pairs(i) + all.size() * (all.size() + 1) / 2);
    for (const LoopLayout::Passage& p : all)
      passages.push_back({whole(p.loop), whole(p.rows), whole(p.first_row), whole(p.first), whole(p.gain),
                          whole(p.next), whole(p.modal)});
  }
  for (std::size_t i = 0; i < layout.count(); ++i) {
    const auto near = matrix.neighbours(i);
    const auto ends = layout.ends(i);
    loops.push_back({whole(layout.loop(i).rows), whole(layout.loop(i).first_row), whole(matrix.place(i, i)),
                     whole(neighbours.size()), whole(near.size()), whole(targets.size()), passage(ends, 0),
                     passage(ends, 1)});
    for (std::size_t a = 0; a < near.size(); ++a) {
      neighbours.push_back({whole(near[a].block), whole(near[a].size), whole(near[a].place)});
      for (std::size_t b = a; b < near.size(); ++b)
        targets.push_back(whole(matrix.place(near[a].block, near[b].block)));
    }
  }
  for (const std::size_t i : layout.in_ground()) in_ground.push_back(whole(i));
  const LoopLayout::Sizes& sizes = layout.sizes();
  tables = {loops.data(),        passages.data(),         bodies.data(),      neighbours.data(),
            pairs.data(),        modal_pairs.data(),      targets.data(),     in_ground.data(),
            whole(loops.size()), whole(in_ground.size()), whole(sizes.rows),  whole(sizes.columns),
            whole(sizes.widest), whole(sizes.gains),      whole(sizes.modal), whole(matrix.count())};
}

inline RoomSizes room_sizes(const LaneWorld& world, const Tables& tables) {
  const auto whole = [](std::size_t x) { return static_cast<std::uint32_t>(x); };
  RoomSizes sizes;
  sizes.bodies = whole(tables.tree.count);
  sizes.primitives = whole(tables.primitives.size());
  sizes.cuts = whole(world.view->cut_joints().size());
  sizes.forces = whole(world.loads->laws().numbers().size());
  sizes.singles = whole(tables.singles);
  sizes.balls = whole(world.tree->balls);
  sizes.general = whole(tables.general.size());
  sizes.angles = whole(tables.angles.size());
  sizes.slots = whole(world.tree->slots);
  sizes.efforts = world.loads->forces().loads_joints() ? whole(world.view->nv_tree) : 0;
  sizes.frames = whole(world.view->frames());
  sizes.works = whole(tables.tree.count + tables.flexible.frames.size());
  sizes.has_loads = !world.loads->frames().empty();
  sizes.has_frames = sizes.has_loads || !world.loops->empty();
  return sizes;
}

}  // namespace polyform::lanes
