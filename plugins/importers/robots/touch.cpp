#include "touch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "looks.hpp"

namespace polyform::importers {

Touch& Touch::operator|=(const Touch& other) {
  if (shapes == 0) return *this = other;
  types |= other.types;
  takes |= other.takes;
  friction = std::max(friction, other.friction);
  restitution = std::max(restitution, other.restitution);
  shapes += other.shapes;
  return *this;
}

namespace {

using Pair = std::pair<std::string, std::string>;

Pair in_order(const std::string& a, const std::string& b) { return std::minmax(a, b); }

/// What has shapes that touch: a body, or ground.
struct Side {
  std::string name;
  const Touch* touch;
  const std::vector<Shape>* shapes;
};

bool is_one_of(Shape::Kind kind, std::initializer_list<Shape::Kind> kinds) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

/// Whether the force `contact` refuses two shapes.
bool is_refused(const Shape& a, const Shape& b) {
  using enum Shape::Kind;
  const auto both = [&](Shape::Kind one, std::initializer_list<Shape::Kind> others) {
    return (a.kind == one && is_one_of(b.kind, others)) || (b.kind == one && is_one_of(a.kind, others));
  };
  return both(ellipsoid, {ellipsoid, capsule, cylinder}) || both(plane, {plane});
}

bool is_refused(const Side& a, const Side& b) {
  for (const Shape& one : *a.shapes)
    for (const Shape& other : *b.shapes)
      if (!one.visual && !other.visual && is_refused(one, other)) return true;
  return false;
}

/// Bodies that fixed joints make one, with what carries each such part.
class Parts {
 public:
  explicit Parts(const Mechanism& m) {
    for (const Body& body : m.bodies) part_[body.name] = body.name;
    part_[std::string(ground)] = ground;
    for (const Joint& joint : m.joints)
      if (joint.type == "fixed") part_[of(joint.moving)] = of(joint.base);
    for (const Joint& joint : m.joints)
      if (joint.type != "fixed" && !joint.cut) carrier_.try_emplace(of(joint.moving), of(joint.base));
    for (const Body& body : m.bodies)
      if (body.mass.mass != 0 || body.touch) is_real_.insert(of(body.name));
  }
  bool are_one(const std::string& a, const std::string& b) const { return of(a) == of(b); }
  /// Whether a joint of the tree connects the two parts.
  bool connected(const std::string& a, const std::string& b, bool touches_ground) const {
    const std::string first = of(a), second = of(b);
    if (touches_ground && (first == ground || second == ground)) return false;
    return carries(first, second) || carries(second, first);
  }

 private:
  std::string of(const std::string& body) const {
    std::string at = body;
    for (auto found = part_.find(at); found != part_.end() && found->second != at; found = part_.find(at))
      at = found->second;
    return at;
  }
  /// By a joint, or by several with nothing but bodies without mass and shapes between them.
  bool carries(const std::string& first, std::string second) const {
    for (auto up = carrier_.find(second); up != carrier_.end(); up = carrier_.find(up->second)) {
      if (up->second == first) return true;
      if (is_real_.contains(up->second)) return false;
    }
    return false;
  }
  std::map<std::string, std::string> part_, carrier_;
  std::set<std::string> is_real_;
};

/// Half of the least thickness of the shapes that touch, as far as their numbers tell it; m.
double least_size(const std::vector<Side>& sides) {
  double least = std::numeric_limits<double>::infinity();
  for (const Side& side : sides)
    for (const Shape& shape : *side.shapes) {
      if (shape.visual) continue;
      const Vec3& s = shape.size;
      double size = shape.radius;
      if (shape.kind == Shape::Kind::plane) continue;
      if (shape.kind == Shape::Kind::box) size = 0.5 * std::min({s.x, s.y, s.z});
      if (shape.kind == Shape::Kind::ellipsoid) size = std::min({s.x, s.y, s.z});
      if (shape.kind == Shape::Kind::mesh) size = 0.1 * shape.radius;
      least = std::min(least, size);
    }
  return std::isfinite(least) && least > 0 ? least : 0.1;
}

/// With it the weight of all bodies together presses one contact in by a hundredth of the thinnest shape.
double stiffness_of(const Mechanism& m, const std::vector<Side>& sides) {
  double mass = 0;
  for (const Body& body : m.bodies) mass += body.mass.mass;
  const double pull = m.gravity ? norm(*m.gravity) : 0;
  const double weight = (mass > 0 ? mass : 1) * (pull > 0 ? pull : 9.81);
  const double depth = 0.01 * least_size(sides);
  // Two digits are enough for a number that nobody has measured.
  const double exact = weight / std::pow(depth, 1.5), unit = std::pow(10, std::floor(std::log10(exact)) - 1);
  return std::round(exact / unit) * unit;
}

class ContactWriter {
 public:
  ContactWriter(Mechanism& m, Ledger& ledger) : m_(m), ledger_(ledger), parts_(m) {
    for (const Body& body : m.bodies)
      if (body.touch) sides_.push_back({body.name, &*body.touch, &body.shapes});
    if (m.ground_touch) sides_.push_back({std::string(ground), &*m.ground_touch, &m.ground_shapes});
    for (const Pair& pair : m.apart) apart_.insert(in_order(pair.first, pair.second));
    for (const Joint& joint : m.joints)
      if (joint.base != ground && joint.moving != ground) joined_.insert(in_order(joint.base, joint.moving));
  }

  void write(bool keep) {
    std::set<std::size_t> meeting;
    std::vector<Pair> apart;
    std::size_t refused = 0;
    for (std::size_t i = 0; i < sides_.size(); ++i)
      for (std::size_t j = i + 1; j < sides_.size(); ++j) {
        if (!sides_[i].touch->meets(*sides_[j].touch)) continue;
        const Pair pair = in_order(sides_[i].name, sides_[j].name);
        const bool is_joined = joined_.contains(pair);
        if (are_neighbours(pair, is_joined) || apart_.contains(pair)) {
          if (!is_joined) apart.push_back(pair);
        } else if (is_joined) {
          ledger_.add(Treatment::not_honoured, "contact of bodies that a joint connects",
                      "contacts are between bodies that no joint connects", sides_[i].touch->place);
        } else if (keep && is_refused(sides_[i], sides_[j])) {
          ++refused;
          apart.push_back(pair);
        } else {
          meeting.insert(i);
          meeting.insert(j);
          meeting_.insert(pair);
        }
      }
    if (!keep) {
      if (!meeting.empty()) tell_dropped(meeting);
      return;
    }
    if (refused > 0)
      ledger_.add(Treatment::not_honoured, "contact of two bodies",
                  "ellipsoids touch no ellipsoid, capsule or cylinder, and planes no plane", {}, refused);
    if (!meeting.empty()) write_entries(apart);
  }

 private:
  bool are_neighbours(const Pair& pair, bool is_joined) const {
    const auto& [a, b] = pair;
    if (parts_.are_one(a, b)) return true;
    if (m_.neighbours == Neighbours::joined) return is_joined;
    const bool of_mujoco = m_.neighbours == Neighbours::of_mujoco;
    return parts_.connected(a, b, of_mujoco) || (is_joined && !of_mujoco);
  }

  void tell_dropped(const std::set<std::size_t>& meeting) {
    std::size_t shapes = 0;
    for (const std::size_t i : meeting) shapes += sides_[i].touch->shapes;
    ledger_.add(Treatment::not_honoured, "contact of a shape", contacts_dropped, sides_[*meeting.begin()].touch->place,
                shapes);
  }

  /// One entry for each kind of body, and one for each two kinds that meet.
  void write_entries(const std::vector<Pair>& apart) {
    using Kind = std::tuple<unsigned, unsigned, std::size_t, bool, double, double>;
    std::map<Kind, std::vector<const Side*>> kinds;
    for (const Side& side : sides_) {
      const Touch& t = *side.touch;
      kinds[{t.types, t.takes, t.model, t.itself, t.friction, t.restitution}].push_back(&side);
    }
    const double stiffness = stiffness_of(m_, sides_);
    const auto any_meet = [&](const std::vector<const Side*>& first, const std::vector<const Side*>& second) {
      return std::ranges::any_of(meeting_, [&](const Pair& pair) {
        const auto has = [](const std::vector<const Side*>& sides, const std::string& name) {
          return std::ranges::find(sides, name, &Side::name) != sides.end();
        };
        return (has(first, pair.first) && has(second, pair.second)) ||
               (has(first, pair.second) && has(second, pair.first));
      });
    };
    const auto add = [&](const std::string& between, const Touch& a, const Touch& b) {
      std::string entry = "name: contact";
      if (!m_.contacts.empty()) entry += fmt::format("_{}", m_.contacts.size() + 1);
      entry += fmt::format(", {}, stiffness: {}, restitution: {}", between, written(stiffness),
                           written(std::max({a.restitution, b.restitution, least_restitution})));
      if (const double friction = std::max(a.friction, b.friction); friction > 0)
        entry += fmt::format(", friction: {{dynamic: {}}}", written(friction));
      m_.contacts.push_back(entry + except(apart));
    };
    for (auto one = kinds.begin(); one != kinds.end(); ++one) {
      const Touch& a = *one->second.front()->touch;
      if (any_meet(one->second, one->second)) add("bodies: " + names(one->second), a, a);
      for (auto other = std::next(one); other != kinds.end(); ++other)
        if (const Touch& b = *other->second.front()->touch; any_meet(one->second, other->second))
          add(fmt::format("between: [{}, {}]", names(one->second), names(other->second)), a, b);
    }
    std::size_t shapes = 0;
    for (const Side& side : sides_) shapes += side.touch->shapes;
    ledger_.add(Treatment::converted, "contact of a shape",
                "a force of the law hunt-crossley; the program of the file pushes by another law",
                sides_.front().touch->place, shapes);
  }

  static std::string names(const std::vector<const Side*>& sides) {
    std::string text;
    for (const Side* side : sides) text += (text.empty() ? "[" : ", ") + written_name(side->name);
    return text + "]";
  }
  static std::string except(const std::vector<Pair>& pairs) {
    std::string text;
    for (const auto& [a, b] : pairs)
      text += fmt::format("{}[{}, {}]", text.empty() ? ", except: [" : ", ", written_name(a), written_name(b));
    return text.empty() ? text : text + "]";
  }

  /// Nearly no bounce, as the programs of these formats have it unless told.
  static constexpr double least_restitution = 0.1;

  Mechanism& m_;
  Ledger& ledger_;
  Parts parts_;
  std::vector<Side> sides_;
  std::set<Pair> apart_, joined_, meeting_;
};

}  // namespace

void add_contacts(Mechanism& m, bool keep, Ledger& ledger) { ContactWriter(m, ledger).write(keep); }

}  // namespace polyform::importers
