#include "subchains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace polyform::riccati::paper {
namespace {

/// Along a chain in space P of Eq 24 does not exist from the second hinge on.
constexpr std::size_t longest_in_space = 2;
/// What lies off the plane of the paper's planar state vector by less than this part of the sizes does so by rounding.
constexpr double off_plane = 1e-9;

bool is_rotation(const JointData& joint) {
  return joint.primitives.size() == 1 && joint.primitives[0].kind == Primitive::Kind::rotation;
}
bool is_ball(const JointData& joint) {
  return joint.primitives.size() == 1 && joint.primitives[0].kind == Primitive::Kind::ball;
}
bool is_free(const JointData& joint) { return joint.nv == 6; }

/// The bodies of a system with what ties them to each other and to ground.
class Bodies {
 public:
  struct Neighbour {
    std::size_t body;
    Place here;  ///< where it hangs on this body
  };
  Bodies(const SystemView& view, const Links& links) : neighbours_(view.bodies.size()), ties_(view.bodies.size()) {
    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
      const std::size_t parent = links.parent(i);
      if (parent != Links::ground) {
        neighbours_[i].push_back({parent, {Place::Kind::own_hinge, i}});
        neighbours_[parent].push_back({i, {Place::Kind::hinge_of, i}});
      } else if (!is_free(view.joints[i])) {
        ties_[i].push_back({Place::Kind::own_hinge, i});
      }
    }
    for (std::size_t k = 0; k < view.cut_joints().size(); ++k) {
      const JointData& cut = view.cut_joints()[k];
      ties_[at(is_ground(cut.base) ? cut.moving : cut.base)].push_back({Place::Kind::cut, k});
    }
  }
  std::size_t size() const { return ties_.size(); }
  const std::vector<Neighbour>& neighbours(std::size_t i) const { return neighbours_[i]; }
  const std::vector<Place>& ties(std::size_t i) const { return ties_[i]; }
  std::size_t connections(std::size_t i) const { return neighbours_[i].size() + ties_[i].size(); }
  Place towards(std::size_t from, std::size_t to) const {
    const auto& all = neighbours_[from];
    return std::ranges::find(all, to, &Neighbour::body)->here;
  }

 private:
  std::vector<std::vector<Neighbour>> neighbours_;
  std::vector<std::vector<Place>> ties_;
};

/// From a body away from `from` to the end of the chain, outwards.
std::vector<std::size_t> way_out(const Bodies& bodies, std::size_t body, std::size_t from) {
  std::vector<std::size_t> way{body};
  for (;;) {
    const auto& next = bodies.neighbours(way.back());
    const auto on = std::ranges::find_if(next, [&](const Bodies::Neighbour& n) { return n.body != from; });
    if (on == next.end()) return way;
    from = way.back();
    way.push_back(on->body);
  }
}

/// The chain over these bodies from the first of them on. output: of the last one.
Subchain chain_over(const Bodies& bodies, const std::vector<std::size_t>& way, std::span<const Place> tip,
                    const Place& output) {
  Subchain chain;
  chain.tip = tip.empty() ? Boundary::free : Boundary::pinned;
  Place input = tip.empty() ? Place{} : tip.front();
  for (std::size_t k = 0; k < way.size(); ++k) {
    const bool last = k + 1 == way.size();
    chain.bodies.push_back({way[k], input, last ? output : bodies.towards(way[k], way[k + 1])});
    if (!last) input = bodies.towards(way[k + 1], way[k]);
  }
  return chain;
}

class Parting {
 public:
  Parting(const SystemView& view, const Links& links, Procedure procedure, std::string& why)
      : view_(view), procedure_(procedure), bodies_(view, links), why_(why), seen_(view.bodies.size()) {}

  bool take(Topology& out) {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (seen_[i]) continue;
      std::vector<std::size_t> part{i};
      seen_[i] = true;
      for (std::size_t k = 0; k < part.size(); ++k)
        for (const Bodies::Neighbour& n : bodies_.neighbours(part[k]))
          if (!seen_[n.body]) {
            seen_[n.body] = true;
            part.push_back(n.body);
          }
      if (!take_part(part, out)) return false;
    }
    return true;
  }

 private:
  bool take_part(const std::vector<std::size_t>& part, Topology& out) {
    std::vector<std::size_t> hubs;
    for (const std::size_t i : part)
      if (bodies_.connections(i) > 2) hubs.push_back(i);
    Connected connected;
    const bool good =
        procedure_ == Procedure::chain ? as_chain(part, hubs, connected) : as_branch(part, hubs, connected);
    out.parts.push_back(std::move(connected));
    return good;
  }
  bool as_chain(const std::vector<std::size_t>& part, const std::vector<std::size_t>& hubs, Connected& out) {
    if (!hubs.empty())
      return refuse("Algorithm A carries chains, and body `{}` has more than two connections: use `algorithm: B`",
                    hubs.front());
    // The first body of a part is its root: its chain ends there, or goes through it to another free end.
    const std::vector<std::size_t> to_root = [&] {
      std::vector<std::size_t> out_first = way_out(bodies_, part.front(), part.front());
      const std::size_t end = out_first.back();
      return way_out(bodies_, end, end);
    }();
    const std::size_t tip = to_root.front(), root = to_root.back();
    for (const std::size_t i : to_root)
      if (i != tip && i != root && !bodies_.ties(i).empty())
        return refuse(
            "Algorithm A has its boundaries at both ends of a chain, and body `{}` within it is tied to ground", i);
    std::vector<Place> at_tip = bodies_.ties(tip), at_root = bodies_.ties(root);
    if (tip == root) {  // one body, tied twice, once or not at all
      at_root.assign(at_tip.begin(), at_tip.begin() + (at_tip.empty() ? 0 : 1));
      if (!at_tip.empty()) at_tip.erase(at_tip.begin());
    }
    out.root = at_root.empty() ? Boundary::free : Boundary::pinned;
    out.chains.push_back(chain_over(bodies_, to_root, at_tip, at_root.empty() ? Place{} : at_root.front()));
    return true;
  }
  bool as_branch(const std::vector<std::size_t>& part, std::vector<std::size_t> hubs, Connected& out) {
    if (hubs.size() > 1)
      return refuse(
          "Algorithm B has one body with several inputs, and body `{}` is a second one: `branches: overall` "
          "carries any number",
          hubs[1]);
    if (hubs.empty())
      return refuse(
          "Algorithm B needs a body with several inputs, and the system of body `{}` is a chain: use "
          "`algorithm: A`",
          part.front());
    const std::size_t hub = hubs.front();
    if (bodies_.ties(hub).size() > 1) return refuse("body `{}` has several inputs and is tied to ground twice", hub);
    out.hub = hub;
    if (!bodies_.ties(hub).empty()) {
      out.root = Boundary::pinned;
      out.output = bodies_.ties(hub).front();
    }
    for (const Bodies::Neighbour& n : bodies_.neighbours(hub)) {
      std::vector<std::size_t> way = way_out(bodies_, n.body, hub);
      for (std::size_t k = 0; k + 1 < way.size(); ++k)
        if (!bodies_.ties(way[k]).empty())
          return refuse("a subchain has its boundary at its far end, and body `{}` within it is tied to ground",
                        way[k]);
      std::ranges::reverse(way);
      Subchain chain = chain_over(bodies_, way, bodies_.ties(way.front()), bodies_.towards(n.body, hub));
      chain.at_hub = n.here;
      out.chains.push_back(std::move(chain));
    }
    return true;
  }
  bool refuse(fmt::format_string<const std::string_view&> text, std::size_t body) {
    why_ = fmt::format(text, view_.bodies[body].name);
    return false;
  }

  const SystemView& view_;
  Procedure procedure_;
  Bodies bodies_;
  std::string& why_;
  std::vector<bool> seen_;
};

/// One axis for all hinges, and all that counts in one plane across it.
bool is_planar(const SystemView& view, const Links& links, Vec3& normal, std::string& why) {
  const auto axis_of = [&](const JointData& joint) {  // as drawn, ground axes
    const Vec3& axis = joint.primitives[0].axis;
    return is_ground(joint.base) ? axis : links.motions()[at(joint.base)].R * axis;
  };
  bool first = true;
  for (const JointData& joint : view.joints) {
    if (is_free(joint)) continue;
    const Vec3 axis = axis_of(joint);
    if (std::exchange(first, false)) normal = (1 / norm(axis)) * axis;
    if (norm(cross(normal, axis)) > off_plane * norm(axis)) {
      why = fmt::format("the paper's planar state vector needs parallel axes, and that of joint `{}` is another one",
                        joint.name);
      return false;
    }
  }
  for (std::size_t i = 0; i < view.bodies.size(); ++i) {
    const Vec3 centre = links.point(i, {}), n = normal;
    const Sym3 J = rotate(links.motions()[i].R, view.bodies[i].inertia);
    const Vec3 turned = J * n;
    double off = std::abs(dot(n, centre)), size = norm(centre);
    for (const std::size_t child : links.children(i)) {
      const Vec3 r = links.point(i, {Place::Kind::hinge_of, child});
      off = std::max(off, std::abs(dot(n, r)));
      size = std::max(size, norm(r));
    }
    if (off > off_plane * size || norm(cross(n, turned)) > off_plane * norm(turned)) {
      why = fmt::format(
          "the paper's planar state vector needs hinges, mass centre and a principal axis in one plane, and "
          "body `{}` has them off it",
          view.bodies[i].name);
      return false;
    }
  }
  return true;
}

}  // namespace

namespace {

/// The hinge that connects a body, or one that carries it, to ground or to what is welded to ground.
std::string_view joint_to_ground(const SystemView& view, BodyIndex body) {
  while (!is_ground(view.joints[at(body)].inboard())) body = view.joints[at(body)].inboard();
  return view.joints[at(body)].name;
}

}  // namespace

std::optional<Topology> take_apart(const SystemView& view, const Links& links, Procedure procedure, std::string& why) {
  bool hinged = false, all_rotate = true, all_balls = true;
  for (std::size_t j = 0; j < view.joints.size(); ++j) {
    const JointData& joint = view.joints[j];
    if (is_free(joint) && j < view.bodies.size() && is_ground(joint.inboard())) continue;
    hinged = true;
    all_rotate = all_rotate && is_rotation(joint);
    all_balls = all_balls && is_ball(joint);
    if (all_rotate || all_balls) continue;
    if (j >= view.bodies.size() && joint.nv == 0)
      why = fmt::format("joint `{}` is fixed and cut: take `cut` off, or cut a hinge instead", joint.name);
    else
      why = fmt::format(
          "the paper's hinges are pins of one plane, or ball hinges in space, and joint `{}` is something else "
          "or the other of the two",
          joint.name);
    return std::nullopt;
  }
  for (const JointData& cut : view.cut_joints())
    if (!is_ground(cut.base) && !is_ground(cut.moving)) {
      const std::string_view a = joint_to_ground(view, cut.base), b = joint_to_ground(view, cut.moving);
      why =
          fmt::format("the paper's boundaries are on ground, and joint `{}`, which is cut, ties two bodies{}", cut.name,
                      a == b ? std::string(", whose loop does not pass ground")
                             : fmt::format(": cut the loop at joint `{}` or `{}` instead (`cut: true`)", a, b));
      return std::nullopt;
    }
  all_rotate = all_rotate && hinged;
  Topology topology;
  topology.layout = all_rotate ? plane : space;
  if (all_rotate && !is_planar(view, links, topology.normal, why)) return std::nullopt;
  if (!Parting(view, links, procedure, why).take(topology)) return std::nullopt;
  if (all_rotate) return topology;
  for (const Connected& part : topology.parts)
    for (const Subchain& chain : part.chains)
      if (chain.bodies.size() > longest_in_space) {
        why = fmt::format(
            "in space the matrix P of Eq 24 does not exist behind the second ball hinge of a chain, as Eq 10 "
            "passes no moment there, and the chain from body `{}` has {} bodies",
            view.bodies[chain.bodies.front().body].name, chain.bodies.size());
        return std::nullopt;
      }
  return topology;
}

std::size_t hinge_between(const Links& links, std::size_t a, std::size_t b) { return links.parent(a) == b ? a : b; }

}  // namespace polyform::riccati::paper
