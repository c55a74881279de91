#include "tests/benchmark/model_text.hpp"

#include <fmt/format.h>

namespace polyform::benchmark {
namespace {

bool same(const Vec3& a, const Vec3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
std::string list(const Vec3& v) { return fmt::format("[{}, {}, {}]", v.x, v.y, v.z); }

std::string type_of(const JointItem& joint) {
  return joint.ball() ? "type: spherical" : fmt::format("type: revolute, axis: {}", list(joint.axis));
}
std::string inertia_of(const BodyItem& body) {
  return fmt::format("mass: {}, center_of_mass: {}, inertia: {{xx: {}, yy: {}, zz: {}}}", body.mass, list(body.center),
                     body.inertia.x, body.inertia.y, body.inertia.z);
}

class Writer {
 public:
  explicit Writer(const Mechanism& m) : m_(m), names_(m.bodies.size()) { result_.joints.resize(m.joints.size()); }

  ModelText write() {
    for (std::size_t i = 0; i < m_.bodies.size();) {
      const std::size_t n = run_from(i);
      if (n > 1) {
        add_chain(i, n);
      } else {
        add_body(i);
      }
      i += n;
    }
    for (std::size_t j = m_.bodies.size(); j < m_.joints.size(); ++j) add_joint(j, ", cut: true");
    result_.text = fmt::format("polyform: 1\nname: {}\ngravity: {}\n", m_.title, list(gravity));
    if (!bodies_.empty()) result_.text += "bodies:\n" + bodies_;
    if (!chains_.empty()) result_.text += "chains:\n" + chains_;
    if (!joints_.empty()) result_.text += "joints:\n" + joints_;
    return std::move(result_);
  }

 private:
  /// How many bodies from this one on are one chain of equal links.
  std::size_t run_from(std::size_t first) const {
    const BodyItem& head = m_.bodies[first];
    std::size_t n = 1;
    for (; first + n < m_.bodies.size(); ++n) {
      const BodyItem& body = m_.bodies[first + n];
      const JointItem& joint = m_.joints[first + n];
      const Vec3 place = head.origin + static_cast<double>(n) * step(first);
      if (joint.base != first + n - 1 || joint.kind != m_.joints[first].kind ||
          !same(joint.axis, m_.joints[first].axis) || !same(body.origin, place) || body.mass != head.mass ||
          !same(body.center, head.center) || !same(body.inertia, head.inertia))
        break;
    }
    return n;
  }
  Vec3 step(std::size_t first) const { return m_.bodies[first + 1].origin - m_.bodies[first].origin; }
  std::string_view name(std::size_t body) const { return body == ground ? "ground" : std::string_view(names_[body]); }

  void add_chain(std::size_t first, std::size_t n) {
    chains_ +=
        fmt::format("  - {{name: c{}, count: {}, base: \"{}\", start: {}, step: {}, body: {{{}}}, joint: {{{}}}}}\n",
                    first, n, name(m_.joints[first].base), list(m_.bodies[first].origin), list(step(first)),
                    inertia_of(m_.bodies[first]), type_of(m_.joints[first]));
    for (std::size_t k = 0; k < n; ++k) {
      names_[first + k] = fmt::format("c{}[{}]", first, k);
      result_.joints[first + k] = names_[first + k] + ".joint";
    }
  }
  void add_body(std::size_t i) {
    names_[i] = fmt::format("b{}", i);
    bodies_ +=
        fmt::format("  - {{name: b{}, position: {}, {}}}\n", i, list(m_.bodies[i].origin), inertia_of(m_.bodies[i]));
    add_joint(i, "");
  }
  void add_joint(std::size_t j, std::string_view more) {
    const JointItem& joint = m_.joints[j];
    result_.joints[j] = fmt::format("j{}", j);
    joints_ += fmt::format("  - {{name: j{}, base: \"{}\", moving: \"{}\", position: {}, {}{}}}\n", j, name(joint.base),
                           name(joint.moving), list(joint.position), type_of(joint), more);
  }

  const Mechanism& m_;
  std::vector<std::string> names_;
  std::string bodies_, chains_, joints_;
  ModelText result_;
};

}  // namespace

ModelText model_text(const Mechanism& m) { return Writer(m).write(); }

}  // namespace polyform::benchmark
