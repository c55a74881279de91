#include "mechanism.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace polyform::importers {

Mat3 roll_pitch_yaw(const Vec3& rpy) {
  const double cr = std::cos(rpy.x), sr = std::sin(rpy.x), cp = std::cos(rpy.y), sp = std::sin(rpy.y),
               cy = std::cos(rpy.z), sy = std::sin(rpy.z);
  return {{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, sy * cp, sy * sp * sr + cy * cr,
           sy * sp * cr - cy * sr, -sp, cp * sr, cp * cr}};
}

MassProperties MassProperties::in(const Frame& frame) const {
  return {mass, frame(center), rotate(frame.axes, inertia)};
}

MassProperties& MassProperties::operator+=(const MassProperties& other) {
  if (other.mass == 0) {
    inertia += other.inertia;
    return *this;
  }
  if (mass == 0) {
    const Sym3 before = inertia;
    *this = other;
    inertia += before;
    return *this;
  }
  const double whole = mass + other.mass;
  const Vec3 apart = other.center - center;
  const double reduced = mass / whole * other.mass;
  const Sym3 unit = unit_mass_inertia(apart);
  inertia += other.inertia;
  inertia += Sym3{reduced * unit.xx, reduced * unit.yy, reduced * unit.zz,
                  reduced * unit.xy, reduced * unit.xz, reduced * unit.yz};
  center += (other.mass / whole) * apart;
  mass = whole;
  return *this;
}

namespace {

unsigned char byte(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

/// The bytes of the UTF-8 character that text begins with, where it is one that can be seen; 0 for any other byte.
std::size_t visible_character(std::string_view text) {
  const unsigned first = byte(text, 0);
  const auto follows = [&](std::size_t count) {
    for (std::size_t i = 1; i <= count; ++i)
      if ((byte(text, i) & 0xC0) != 0x80) return false;
    return true;
  };
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  if (first >= 0xC3 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first == 0xC2) return follows(1) && byte(text, 1) > 0xA0 ? 2 : 0;
  // Without marks that steer the direction of text, surrogates, private and reserved characters.
  if (first == 0xE2 && byte(text, 1) <= 0x81) return 0;
  if (first == 0xE0 && byte(text, 1) < 0xA0) return 0;
  if (first >= 0xE0 && first <= 0xEC) return follows(2) ? 3 : 0;
  return 0;
}

}  // namespace

std::string printable_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = visible_character(text);
    out += length == 0 ? "_" : std::string(text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string NameGiver::give(std::string_view wanted) {
  std::string name;
  for (const char c : wanted) {
    const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      std::string_view("_-. :/@+#()").find(c) != std::string_view::npos ||
                      static_cast<unsigned char>(c) >= 0x80;
    name += good ? c : '_';
  }
  name = printable_text(name);
  if (!name.empty() && name.front() == ' ') name.front() = '_';
  if (!name.empty() && name.back() == ' ') name.back() = '_';
  if (name.empty()) name = "unnamed";
  if (std::string_view("+-@(").find(name.front()) != std::string_view::npos && name != "@root" &&
      name.find_first_of("(/+", 1) != std::string::npos)
    name.insert(0, "_");
  std::string free = name;
  for (int k = 2; free == ground || !taken_.insert(free).second; ++k) free = fmt::format("{}_{}", name, k);
  return free;
}

PrincipalInertia principal(const Sym3& j) {
  Eigen::Matrix3d m;
  m << j.xx, j.xy, j.xz, j.xy, j.yy, j.yz, j.xz, j.yz, j.zz;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> found(m);
  const auto& w = found.eigenvalues();
  const auto& v = found.eigenvectors();
  const Vec3 x{v(0, 0), v(1, 0), v(2, 0)}, y{v(0, 1), v(1, 1), v(2, 1)}, z = cross(x, y);
  return {{w[0], w[1], w[2]}, Mat3{{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}}};
}

bool is_impossible(const Sym3& j) {
  const double scale =
      std::max({std::abs(j.xx), std::abs(j.yy), std::abs(j.zz), std::abs(j.xy), std::abs(j.xz), std::abs(j.yz)});
  if (!(scale > 0)) return false;
  Eigen::Matrix3d m;
  m << j.xx, j.xy, j.xz, j.xy, j.yy, j.yz, j.xz, j.yz, j.zz;
  m /= scale;
  const Eigen::Matrix3d second = 0.5 * m.trace() * Eigen::Matrix3d::Identity() - m;
  constexpr double rounding = 1e-12;
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(second, Eigen::EigenvaluesOnly).eigenvalues()[0] < -rounding;
}

void note_inertias(const Mechanism& m, Ledger& ledger) {
  for (const Body& body : m.bodies) {
    if (is_impossible(body.mass.inertia))
      ledger.add(Treatment::converted, "inertia that no body can have",
                 "taken as it is: the model has the key `lenient`", body.place);
    const Sym3& inertia = body.mass.inertia;
    if (!body.is_aid && body.mass.mass == 0 && inertia.xx == 0 && inertia.yy == 0 && inertia.zz == 0)
      ledger.add(Treatment::converted, "link without mass", "a body of mass 0", body.place);
  }
}

void merge_fixed(Mechanism& m, const std::unordered_set<std::string>& kept, Ledger& ledger) {
  std::unordered_map<std::string, std::size_t> number;
  for (std::size_t i = 0; i < m.bodies.size(); ++i) number.emplace(m.bodies[i].name, i);
  // The joint that welds a body to another, and where the body's things go.
  std::vector<std::string> host(m.bodies.size());
  std::vector<bool> gone(m.joints.size());
  for (std::size_t j = 0; j < m.joints.size(); ++j) {
    const Joint& joint = m.joints[j];
    const auto moving = number.find(joint.moving);
    if (joint.type != "fixed" || moving == number.end() || joint.base == ground || !host[moving->second].empty())
      continue;
    if (kept.contains(joint.moving)) {
      ledger.add(Treatment::converted, "link on a fixed joint", "not merged: a force or constraint names it",
                 m.bodies[moving->second].place);
      continue;
    }
    host[moving->second] = joint.base;
    gone[j] = true;
  }
  const auto carrier = [&](std::string name) {
    for (std::size_t steps = 0; steps <= m.bodies.size(); ++steps) {
      const auto found = number.find(name);
      if (found == number.end() || host[found->second].empty()) break;
      name = host[found->second];
    }
    return name;
  };
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    if (host[i].empty()) continue;
    Body& to = m.bodies[number.at(carrier(m.bodies[i].name))];
    const Frame relative = to.frame.inverse() * m.bodies[i].frame;
    to.mass += m.bodies[i].mass.in(relative);
    for (Shape shape : m.bodies[i].shapes) {
      shape.frame = relative * shape.frame;
      to.shapes.push_back(shape);
    }
    if (const auto& touch = m.bodies[i].touch) to.touch = to.touch ? * to.touch |= *touch : *touch;
  }
  for (auto& [first, second] : m.apart) {
    const std::string one = carrier(first), other = carrier(second);
    if (one != other && (one != first || other != second))
      ledger.add(Treatment::not_honoured, "contact of what is merged with a body that is kept apart from another",
                 "the whole that it is merged to is kept apart", {});
    first = one;
    second = other;
  }
  for (Joint& joint : m.joints) {
    joint.base = carrier(joint.base);
    joint.moving = carrier(joint.moving);
  }
  // A joint within what is now one body holds nothing.
  for (std::size_t j = 0; j < m.joints.size(); ++j)
    if (!gone[j] && m.joints[j].base == m.joints[j].moving) {
      gone[j] = true;
      ledger.add(Treatment::converted, "joint within merged links", "left out", {});
    }
  std::size_t merged = 0;
  for (std::size_t i = m.bodies.size(); i-- > 0;)
    if (!host[i].empty()) {
      m.bodies.erase(m.bodies.begin() + static_cast<std::ptrdiff_t>(i));
      ++merged;
    }
  for (std::size_t j = m.joints.size(); j-- > 0;)
    if (gone[j]) m.joints.erase(m.joints.begin() + static_cast<std::ptrdiff_t>(j));
  if (merged > 0)
    ledger.add(Treatment::converted, "link on a fixed joint", "merged into the link that carries it", {}, merged);
}

bool check_finite(const Mechanism& m, DiagnosticSink& sink, std::string_view file) {
  const auto refuse = [&](const char* what, const std::string& name, Place place) {
    const std::string message = fmt::format("numbers of the {} '{}' are too large to compute with", what, name);
    sink.report({.message = message, .file = file, .line = place.line, .column = place.column});
    return false;
  };
  const auto finite = [](const Vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); };
  const auto is_placed = [&](const Shape& shape) {
    return finite(shape.frame.origin) && finite(shape.size) && finite({shape.radius, shape.length, 0}) &&
           finite(shape.frame.axes.row(0)) && finite(shape.frame.axes.row(1)) && finite(shape.frame.axes.row(2));
  };
  for (const Shape& shape : m.ground_shapes)
    if (!is_placed(shape)) return refuse("body", std::string(ground), {});
  for (const Body& body : m.bodies) {
    const Sym3& j = body.mass.inertia;
    bool good = finite(body.frame.origin) && std::isfinite(body.mass.mass) && finite(body.mass.center) &&
                finite({j.xx, j.yy, j.zz}) && finite({j.xy, j.xz, j.yz});
    for (const double x : body.frame.axes.m) good = good && std::isfinite(x);
    for (const Shape& shape : body.shapes) good = good && is_placed(shape);
    if (!good) return refuse("body", body.name, body.place);
  }
  for (const Joint& joint : m.joints)
    if (!finite(joint.position) || !finite(joint.axis.value_or(Vec3{})) || !finite(joint.axis2.value_or(Vec3{})))
      return refuse("joint", joint.name, {});
  for (const ModelElement& element : m.elements)
    for (const auto& [key, value] : element.fields)
      if (!value.starts_with('"') && (value.find("inf") != std::string::npos || value.find("nan") != std::string::npos))
        return refuse("element", element.name, {});
  return true;
}

}  // namespace polyform::importers
