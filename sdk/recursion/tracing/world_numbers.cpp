#include <limits>

#include "../lanes/lane_arrays.hpp"
#include "model_trace.hpp"

namespace polyform::tracing {

namespace {

using namespace lanes;

constexpr double open = std::numeric_limits<double>::quiet_NaN();

std::vector<double> all_numbers(const Tables& tables, const LaneWorld& world) {
  const LoopLists lists(world);
  Arrays<double> arrays(tables, lists, world);
  arrays.take(0, world);
  std::vector<double> numbers;
  for (const std::span<double> part : arrays.numbers()) numbers.insert(numbers.end(), part.begin(), part.end());
  return numbers;
}

class Fingerprint {
 public:
  template <class... Parts>
  void add(Parts... parts) {
    (add_one(static_cast<std::uint64_t>(parts)), ...);
  }
  std::uint64_t value() const { return hash_; }

 private:
  void add_one(std::uint64_t part) {  // FNV-1a, eight bytes at a time
    for (int i = 0; i < 8; ++i, part >>= 8) hash_ = (hash_ ^ (part & 0xff)) * 0x100000001b3u;
  }
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

}  // namespace

std::uint64_t structure_of(const LaneWorld& world) {
  const Tables tables(world);
  const SystemView& view = *world.view;
  const LoopLayout& layout = world.loops->layout();
  Fingerprint all;
  all.add(tables.tree.count, view.nq_tree, view.nv_tree, view.states, view.frames());
  for (std::size_t i = 0; i < tables.links.size(); ++i) {
    const Link& l = tables.links[i];
    all.add(l.parent, l.hinge, l.reversed, l.turned, l.opens_slot, l.looped, l.q, l.v, l.first, l.count, l.place,
            l.slot);
    if (layout.empty()) continue;
    for (const LoopLayout::Passage& p : layout.all_in(i)) all.add(p.loop, p.rows, p.first_row, p.first, p.gain, p.next);
    all.add(layout.closing(i).size());
  }
  for (const std::uint32_t angle : tables.angles) all.add(angle);
  for (const GeneralJoint& j : tables.general) all.add(j.body, j.first, j.count, j.is_code);
  for (const GeneralPrimitive& p : tables.primitives) all.add(p.kind, p.angle);
  for (const JointData& cut : view.cut_joints()) {
    all.add(cut.base_frame, cut.moving_frame, cut.nq, cut.nv, cut.q_offset, cut.kernel != nullptr);
    for (const Primitive& p : cut.primitives) all.add(p.kind);
  }
  for (std::size_t i = 0; i < layout.count(); ++i) all.add(layout.loop(i).rows, layout.loop(i).first_row);
  for (const FrameIndex f : world.loads->frames()) all.add(at(f));
  all.add(world.loads->forces().loads_joints(), world.loads->laws().told(), world.loads->laws().structure(),
          world.loads->laws().event_count());
  return all.value();
}

std::vector<double> numbers_of(const LaneWorld& world, std::span<const LaneWorld> variants) {
  const Tables tables(world);
  std::vector<double> numbers = all_numbers(tables, world);
  for (const LaneWorld& variant : variants) {
    const std::vector<double> others = all_numbers(Tables(variant), variant);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (!(numbers[i] == others[i])) numbers[i] = open;
  }
  // Rows of cut joints that each world finds in its motion.
  const Closing closing(world);
  std::size_t first = tables.tree.count * (17 + 21) + tables.primitives.size() * 3 + 3;
  for (std::size_t c = 0; c < closing.joints.size(); ++c, first += cut_numbers)
    if (!closing.joints[c].is_plain)
      for (std::size_t i = 0; i < cut_row_numbers; ++i) numbers[first + i] = open;
  return numbers;
}

std::string device_obstacle(const LaneWorld& world) {
  if (const char* const why = LaneEvaluation::refusal_of_code(world)) return why;
  if (!world.loops->empty() && !world.closes) return "the correction of its loops is off";
  const Closing closing(world);
  for (std::size_t c = 0; c < closing.joints.size(); ++c)
    if (closing.joints[c].kind == CutJoint::Kind::other)
      return "joint " + std::string(world.view->cut_joints()[c].name) +
             " closes a loop, and is code or has several directions other than those of a ball";
  const ForceLaws& laws = world.loads->laws();
  if (!laws.told()) return laws.obstacle();
  if (!laws.events().empty()) return laws.events();
  for (const GeneralJoint& joint : Tables(world).general)
    if (joint.is_code) return "it has joints that are code";
  return "";
}

void tell_runs(const LaneWorld& world, SourceHead& head) {
  const Tables tables(world);
  head.states = world.solver->state_size();
  head.angles.assign(tables.angles.begin(), tables.angles.end());
  for (const Link& link : tables.links)
    if (link.hinge == Hinge::ball) head.quaternions.push_back(link.q);
  for (const GeneralJoint& joint : tables.general) {
    std::size_t q = tables.links[joint.body].q;
    for (std::size_t k = joint.first; k < joint.first + joint.count; ++k) {
      const bool is_ball = tables.primitives[k].kind == Primitive::Kind::ball;
      if (is_ball) head.quaternions.push_back(q);
      q += is_ball ? 4 : 1;
    }
  }
  const Closing closing(world);
  for (const CutJoint& cut : closing.joints) {
    for (std::size_t i = 0; i < cut.nq; ++i) head.cuts.push_back(closing.plain.place + cut.q_offset + i);
    if (cut.kind == CutJoint::Kind::rotation) head.turns.push_back(head.cuts.back());
  }
  for (std::size_t i = 0; i < world.loops->layout().count(); ++i) head.rows += world.loops->layout().loop(i).rows;
  head.positions = world.view->nq_tree;
  head.velocities = world.view->nv_tree;
  head.closing_tolerance = world.closing_tolerance;
  head.stands_alone = device_obstacle(world).empty();
  head.carries_forces = world.loads->laws().told() && !world.loads->forces().empty();
  head.events = head.carries_forces ? world.loads->laws().event_count() : 0;
  std::size_t first = 0;
  for (const std::span<double> part : Arrays<double>(tables, LoopLists(world), world).numbers()) {
    head.arrays.push_back(first);
    first += part.size();
  }
}

std::vector<unsigned> rows_left_out_of(const LaneWorld& world) {
  std::vector<unsigned> rows;
  for (std::size_t i = 0; i < world.loops->layout().count(); ++i)
    rows.push_back(static_cast<unsigned>((*world.left_out)[i]));
  return rows;
}

}  // namespace polyform::tracing
