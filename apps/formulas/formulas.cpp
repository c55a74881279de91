#include "apps/formulas/formulas.hpp"

#include <fmt/format.h>
#include <ginac/ginac.h>

#include <Eigen/LU>
#include <array>
#include <cctype>
#include <cmath>
#include <set>
#include <sstream>

#include "polyform/mechanics/force_set.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::apps {
namespace {

using GiNaC::ex;
using GiNaC::symbol;

struct Vector {
  std::array<ex, 3> of{0, 0, 0};
  ex& operator[](std::size_t i) { return of[i]; }
  const ex& operator[](std::size_t i) const { return of[i]; }
};
Vector operator+(const Vector& a, const Vector& b) { return {{a[0] + b[0], a[1] + b[1], a[2] + b[2]}}; }
Vector operator-(const Vector& a, const Vector& b) { return {{a[0] - b[0], a[1] - b[1], a[2] - b[2]}}; }
Vector operator*(const ex& s, const Vector& a) { return {{s * a[0], s * a[1], s * a[2]}}; }
Vector cross(const Vector& a, const Vector& b) {
  return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}
ex dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

struct Rotation {
  std::array<Vector, 3> rows;
  static Rotation identity() { return {{Vector{{1, 0, 0}}, Vector{{0, 1, 0}}, Vector{{0, 0, 1}}}}; }
  Vector times(const Vector& v) const { return {{dot(rows[0], v), dot(rows[1], v), dot(rows[2], v)}}; }
  Vector back(const Vector& v) const { return v[0] * rows[0] + v[1] * rows[1] + v[2] * rows[2]; }
  Rotation transposed() const {
    Rotation t;
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c) t.rows[r][c] = rows[c][r];
    return t;
  }
};

/// A number of the model: whole numbers, as most components of axes are, stay exact.
ex number(double value) {
  if (value == std::round(value) && std::abs(value) < 1e6) return static_cast<long>(value);
  return GiNaC::numeric(value);
}
Vector numbers(const Vec3& v) { return {{number(v.x), number(v.y), number(v.z)}}; }

/// The symbols of a system, by the names that formulas show, with their values at the state.
class Symbols {
 public:
  enum class Kind { parameter, position, velocity, load };
  struct Entry {
    symbol name;
    Kind kind;
    double value;
    std::string meaning;
  };
  /// A new symbol; `name` is made one that C takes, and that nothing else has.
  ex add(Kind kind, const std::string& name, double value, std::string meaning) {
    std::string plain;
    for (const char c : name) plain += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    std::string unique = plain;
    for (int k = 2; !taken_.insert(unique).second; ++k) unique = fmt::format("{}_{}", plain, k);
    const std::size_t line = unique.find('_');
    std::string tex = unique;
    if (line != std::string::npos) {
      std::string index = unique.substr(line + 1);
      for (std::size_t at = 0; (at = index.find('_', at)) != std::string::npos; at += 2) index.insert(at, "\\");
      tex = unique.substr(0, line) + "_{\\mathrm{" + index + "}}";
    }
    entries_.push_back({symbol(unique, tex), kind, value, std::move(meaning)});
    return entries_.back().name;
  }
  /// A parameter of the model; one that is zero stays out of the formulas.
  ex parameter(const std::string& name, double value, std::string meaning) {
    return value == 0 ? ex(0) : add(Kind::parameter, name, value, std::move(meaning));
  }
  Vector parameters(const char* letter, std::string_view owner, const Vec3& value, const std::string& meaning) {
    Vector v;
    constexpr const char* axes[] = {"x", "y", "z"};
    for (std::size_t k = 0; k < 3; ++k)
      v[k] = parameter(fmt::format("{}{}{}{}", letter, axes[k], owner.empty() ? "" : "_", owner), value[k], meaning);
    return v;
  }
  /// cos and sin of an angle, as symbols of their own while formulas are made.
  std::pair<ex, ex> angle(const ex& q) {
    const std::string name = GiNaC::ex_to<symbol>(q).get_name();
    circles_.push_back({q, symbol("c_" + name), symbol("s_" + name)});
    return {circles_.back().cosine, circles_.back().sine};
  }
  const std::vector<Entry>& entries() const { return entries_; }
  std::vector<const Entry*> of(Kind kind) const {
    std::vector<const Entry*> found;
    for (const Entry& e : entries_)
      if (e.kind == kind) found.push_back(&e);
    return found;
  }

  /// Expanded, with s² = 1 − c² of every angle.
  ex reduced(const ex& e) const {
    ex out = e.expand();
    for (const Circle& circle : circles_) {
      const int degree = out.degree(circle.sine);
      if (degree < 2) continue;
      ex sum = 0;
      for (int k = 0; k <= degree; ++k)
        sum += out.coeff(circle.sine, k) * GiNaC::pow(circle.sine, k % 2) *
               GiNaC::pow(1 - GiNaC::pow(circle.cosine, 2), k / 2);
      out = sum.expand();
    }
    return without_rounding(out);
  }
  Vector reduced(const Vector& v) const { return {{reduced(v[0]), reduced(v[1]), reduced(v[2])}}; }

  /// With cos(q) and sin(q) in the place of their symbols.
  ex shown(const ex& e) const {
    GiNaC::exmap map;
    for (const Circle& circle : circles_) {
      map[circle.cosine] = GiNaC::cos(circle.angle);
      map[circle.sine] = GiNaC::sin(circle.angle);
    }
    return e.subs(map);
  }
  double value(const ex& e) const {
    GiNaC::exmap map;
    for (const Entry& entry : entries_) map[entry.name] = entry.value;
    const ex found = GiNaC::evalf(shown(e).subs(map));
    return GiNaC::is_a<GiNaC::numeric>(found) ? GiNaC::ex_to<GiNaC::numeric>(found).to_double() : std::nan("");
  }

 private:
  struct Circle {
    ex angle;
    symbol cosine, sine;
  };
  /// Less the terms that rounding of axes which are no whole numbers leaves over.
  static ex without_rounding(const ex& e) {
    constexpr double rounding = 1e-13;
    const auto size = [](const ex& term) {
      double c = 1;
      const auto look = [&](const ex& factor) {
        if (GiNaC::is_a<GiNaC::numeric>(factor)) c *= std::abs(GiNaC::ex_to<GiNaC::numeric>(factor).to_double());
      };
      if (GiNaC::is_a<GiNaC::mul>(term))
        for (const ex& factor : term) look(factor);
      else
        look(term);
      return c;
    };
    if (!GiNaC::is_a<GiNaC::add>(e)) return size(e) < rounding ? ex(0) : e;
    ex sum = 0;
    for (const ex& term : e)
      if (size(term) >= rounding) sum += term;
    return sum;
  }

  std::vector<Entry> entries_;
  std::vector<Circle> circles_;
  std::set<std::string> taken_;
};

/// Printed in lines of 80 characters, where terms are short enough: broken before the sign of a term.
void put_wrapped(std::ostream& out, Language language, const std::string& left, const ex& value, const char* end) {
  constexpr std::size_t page = 80, indent = 6;
  std::ostringstream whole;
  if (language == Language::latex) whole << GiNaC::latex;
  if (language == Language::c) whole << GiNaC::csrc_double;
  whole << value;
  const std::string text = whole.str();
  std::string line = left;
  std::size_t depth = 0, from = 0;
  const auto flush = [&](std::size_t to) {
    if (line.size() + to - from > page && line.size() > indent) {
      out << line << "\n";
      line = std::string(indent, ' ');
    }
    line += text.substr(from, to - from);
    from = to;
  };
  for (std::size_t k = 0; k < text.size(); ++k) {
    const bool sign = (text[k] == '+' || text[k] == '-') && depth == 0 && k > from &&
                      std::string_view("^*(eE, ").find(text[k - 1]) == std::string_view::npos && text[k - 1] != '+';
    if (sign) flush(k);
    if (text[k] == '(' || text[k] == '{') ++depth;
    if ((text[k] == ')' || text[k] == '}') && depth > 0) --depth;
  }
  flush(text.size());
  out << line << end << "\n";
}

/// Motion of a frame in its own axes, and its rates where u̇ is zero.
struct Motion {
  Vector w, v, alpha, a;
  Vector gravity;
  Rotation to_ground = Rotation::identity();
};

/// Where a velocity coordinate of the formulas stands, and what it is of the view's own.
struct Freedom {
  ex u;
  std::string name;
};

/// The system, body after body.
class Expansion {
 public:
  explicit Expansion(const FormulaRequest& request) : request_(request), view_(*request.view) {
    ground_.gravity = symbols_.parameters("g", {}, view_.gravity, "gravity in ground axes, m/s^2");
    find_loads();
    for (std::size_t i = 0; i < view_.bodies.size(); ++i) add_body(i);
    project();
  }
  const Symbols& symbols() const { return symbols_; }
  std::vector<double> accelerations() const;
  std::string write(Language) const;

 private:
  struct Body {
    Motion frame;
    Vector center_velocity, center_acceleration;  ///< body axes
    ex mass;
    std::array<Vector, 3> inertia;  ///< rows
    Vector force, moment;           ///< ground axes, body axes
  };
  struct Kinematics {
    std::string joint;
    std::array<Vector, 3> rows;  ///< of B
  };
  struct Matrix {
    std::string name, meaning, tex;
    std::size_t rows, columns;
    bool symmetric;
    std::vector<ex> values;
  };

  void find_loads();
  void add_body(std::size_t i);
  void shift(Motion&, const Vector& r) const;
  void turn(Motion&, const Rotation& E) const;
  void drawn(Motion&, const Mat3& R, bool back) const;
  void move(Motion&, const JointData&, std::size_t body);
  void rotate(Motion&, const Vec3& axis, const JointData&, std::size_t q, std::size_t v, bool back);
  void slide(Motion&, const Vec3& axis, const JointData&, std::size_t q, std::size_t v, bool back);
  void ball(Motion&, const JointData&, std::size_t body, std::size_t q, std::size_t v, bool free);
  Rotation ball_rotation(const JointData&, std::size_t body, std::size_t q);
  ex position(const JointData&, std::size_t k);
  ex velocity(const JointData&, std::size_t k, const std::string& name, double value, const char* meaning);
  void project();
  ex rate(const ex& e, std::size_t k) const { return e.diff(GiNaC::ex_to<symbol>(freedoms_[k].u)); }
  Vector rate(const Vector& v, std::size_t k) const { return {{rate(v[0], k), rate(v[1], k), rate(v[2], k)}}; }

  void write_text(std::ostream&, bool latex) const;
  void write_c(std::ostream&) const;

  const FormulaRequest& request_;
  const SystemView& view_;
  Symbols symbols_;
  Motion ground_;
  std::vector<Body> bodies_;
  std::vector<Freedom> freedoms_;
  std::vector<Kinematics> balls_;
  std::vector<ex> efforts_;               ///< per velocity coordinate of the view
  std::vector<Vector> forces_, moments_;  ///< per body
  std::vector<Matrix> matrices_;          ///< H2, gamma, M22, Q2, N22
  /// What turns rates of the formulas into those of the view: of balls and free joints, at the state.
  struct Turned {
    std::size_t v;
    Mat3 R;
    Vec3 spin, speed;  ///< w and v_b after the ball
    bool free;
  };
  std::vector<Turned> turned_;
};

/// Symbols for what forces do, at their values.
void Expansion::find_loads() {
  const std::size_t n = view_.bodies.size();
  efforts_.assign(view_.nv, 0);
  forces_.resize(n);
  moments_.resize(n);
  ForceSet set(view_, {});
  if (set.empty()) return;
  TreeKinematics tree(view_);
  const ConstStateView& s = request_.state;
  tree.evaluate(s.q.data(), s.v.data());
  set.follow(s.discrete);
  std::vector<Spatial> wrenches(view_.frames());
  std::vector<double> efforts(view_.nv), xdot(view_.states);
  set.evaluate(0, tree.frames(), s.q, s.v, s.x, wrenches, efforts, xdot);
  constexpr const char* axes[] = {"x", "y", "z"};
  for (const BodyIndex b : set.loaded_bodies()) {
    const BodyData& body = view_.bodies[at(b)];
    const Mat3& R = tree.bodies()[at(b)].R;
    const Spatial& w = wrenches[at(b)];
    const Vec3 moment = transpose_times(R, w.angular - cross(R * body.center_of_mass, w.linear));
    for (std::size_t k = 0; k < 3; ++k) {
      forces_[at(b)][k] = symbols_.add(Symbols::Kind::load, fmt::format("F{}_{}", axes[k], body.name), w.linear[k],
                                       "applied force, ground axes, N");
      moments_[at(b)][k] = symbols_.add(Symbols::Kind::load, fmt::format("n{}_{}", axes[k], body.name), moment[k],
                                        "applied moment about the mass centre, body axes, N m");
    }
  }
  for (const ForceInstances& group : view_.forces)
    for (const JointIndex j : group.joints) {
      const JointData& joint = view_.joints[at(j)];
      for (std::size_t k = 0; k < joint.nv; ++k) {
        ex& effort = efforts_[joint.v_offset + k];
        if (effort.is_zero())
          effort = symbols_.add(
              Symbols::Kind::load,
              joint.nv == 1 ? fmt::format("tau_{}", joint.name) : fmt::format("tau_{}_{}", joint.name, k + 1),
              efforts[joint.v_offset + k], "effort in the joint, N or N m");
      }
    }
}

/// To a point that is fixed in the frame.
void Expansion::shift(Motion& m, const Vector& r) const {
  const Vector wr = cross(m.w, r);
  m.v = symbols_.reduced(m.v + wr);
  m.a = symbols_.reduced(m.a + cross(m.alpha, r) + cross(m.w, wr));
}

/// Into axes that are turned by E: from the new ones to the old.
void Expansion::turn(Motion& m, const Rotation& E) const {
  for (Vector* x : {&m.w, &m.v, &m.alpha, &m.a, &m.gravity}) *x = symbols_.reduced(E.back(*x));
  const Rotation columns = E.transposed();
  for (std::size_t r = 0; r < 3; ++r) m.to_ground.rows[r] = symbols_.reduced(columns.times(m.to_ground.rows[r]));
}

void Expansion::drawn(Motion& m, const Mat3& R, bool back) const {
  Rotation E;
  bool same = true;
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) {
      E.rows[r][c] = number(R(r, c));
      same = same && R(r, c) == (r == c ? 1 : 0);
    }
  if (!same) turn(m, back ? E.transposed() : E);
}

ex Expansion::position(const JointData& joint, std::size_t k) {
  const std::string name = joint.nq == 1 ? fmt::format("q_{}", joint.name) : fmt::format("q_{}_{}", joint.name, k + 1);
  return symbols_.add(Symbols::Kind::position, name, request_.state.q[joint.q_offset + k], "coordinate, rad or m");
}

ex Expansion::velocity(const JointData& joint, std::size_t k, const std::string& name, double value,
                       const char* meaning) {
  const std::string whole = joint.nv == 1 ? fmt::format("u_{}", joint.name) : fmt::format("{}_{}", name, joint.name);
  const ex u = symbols_.add(Symbols::Kind::velocity, whole, value, meaning);
  freedoms_[joint.v_offset + k] = {u, GiNaC::ex_to<symbol>(u).get_name()};
  return u;
}

/// A rotation E about an axis that is fixed in both frames. back: against it, from the moving frame to the base.
void Expansion::rotate(Motion& m, const Vec3& axis, const JointData& joint, std::size_t q, std::size_t v, bool back) {
  const ex angle = position(joint, q);
  const auto [c, s] = symbols_.angle(angle);
  const ex sign = back ? -1 : 1;
  const Vector a = numbers(axis);
  Rotation E;
  for (std::size_t k = 0; k < 3; ++k) {  // a aᵀ (1 − c) + c + s ã
    Vector unit;
    unit[k] = 1;
    E.rows[k] = (a[k] * (1 - c)) * a + c * unit + (sign * s) * cross(unit, a);
  }
  turn(m, E);
  const Vector relative =
      (sign * velocity(joint, v, fmt::format("u{}", v + 1), request_.state.v[joint.v_offset + v], "rate, rad/s")) * a;
  m.alpha = symbols_.reduced(m.alpha + cross(m.w, relative));
  m.w = symbols_.reduced(m.w + relative);
}

void Expansion::slide(Motion& m, const Vec3& axis, const JointData& joint, std::size_t q, std::size_t v, bool back) {
  const Vector a = number(back ? -1 : 1) * numbers(axis);
  const Vector relative =
      velocity(joint, v, fmt::format("u{}", v + 1), request_.state.v[joint.v_offset + v], "rate, m/s") * a;
  shift(m, position(joint, q) * a);
  m.v = symbols_.reduced(m.v + relative);
  m.a = symbols_.reduced(m.a + ex(2) * cross(m.w, relative));
}

/// From the axes after the ball to those before it, by Euler angles, whose B is noted.
Rotation Expansion::ball_rotation(const JointData& joint, std::size_t body, std::size_t q) {
  const BodyAngles& angles = request_.angles[body];
  const double* quaternion = request_.state.q.data() + joint.q_offset + q;
  const Mat3 R = rotation_matrix(normalized(Quat{quaternion[0], quaternion[1], quaternion[2], quaternion[3]}));
  const Vec3 beta = angles.of(R);
  Rotation whole = Rotation::identity();
  std::array<Vector, 3> columns;  // of B, in the axes before the ball
  for (std::size_t k = 0; k < 3; ++k) {
    const ex angle =
        symbols_.add(Symbols::Kind::position, fmt::format("b{}_{}", k + 1, joint.name), beta[k], "Euler angle, rad");
    const auto [c, s] = symbols_.angle(angle);
    const Vector a = numbers(angles.unit(k));
    columns[k] = whole.times(a);
    Rotation E;
    for (std::size_t r = 0; r < 3; ++r) {
      Vector unit;
      unit[r] = 1;
      E.rows[r] = (a[r] * (1 - c)) * a + c * unit + s * cross(unit, a);
    }
    Rotation product;
    const Rotation Et = E.transposed();
    for (std::size_t r = 0; r < 3; ++r) product.rows[r] = symbols_.reduced(Et.times(whole.rows[r]));
    whole = product;
  }
  Kinematics kinematics{std::string(joint.name), {}};
  for (std::size_t c = 0; c < 3; ++c) {
    const Vector after = symbols_.reduced(whole.back(columns[c]));
    for (std::size_t r = 0; r < 3; ++r) kinematics.rows[r][c] = after[r];
  }
  balls_.push_back(std::move(kinematics));
  return whole;
}

/// free: the three translations before the ball are its v_b.
void Expansion::ball(Motion& m, const JointData& joint, std::size_t body, std::size_t q, std::size_t v, bool free) {
  const double *numbers_q = request_.state.q.data() + joint.q_offset + q,
               *speeds = request_.state.v.data() + joint.v_offset + v;
  const Mat3 R = rotation_matrix(normalized(Quat{numbers_q[0], numbers_q[1], numbers_q[2], numbers_q[3]}));
  const Vec3 spin = transpose_times(R, Vec3{speeds[0], speeds[1], speeds[2]});
  Turned turned{joint.v_offset + v, R, spin, {}, free};
  constexpr const char* axes[] = {"x", "y", "z"};
  Vector speed, relative;
  if (free) {
    const double* along = speeds - 3;
    turned.speed = transpose_times(R, Vec3{along[0], along[1], along[2]});
    Vector place;
    for (std::size_t k = 0; k < 3; ++k) place[k] = position(joint, q - 3 + k);
    shift(m, place);
    for (std::size_t k = 0; k < 3; ++k)
      speed[k] = velocity(joint, v - 3 + k, fmt::format("v{}", axes[k]), turned.speed[k], "velocity, moving axes, m/s");
  }
  turn(m, ball_rotation(joint, body, q));
  for (std::size_t k = 0; k < 3; ++k)
    relative[k] = velocity(joint, v + k, fmt::format("w{}", axes[k]), spin[k], "angular velocity, moving axes, rad/s");
  if (free) {
    m.v = symbols_.reduced(m.v + speed);
    m.a = symbols_.reduced(m.a + ex(2) * cross(m.w, speed) + cross(relative, speed));
  }
  m.alpha = symbols_.reduced(m.alpha + cross(m.w, relative));
  m.w = symbols_.reduced(m.w + relative);
  turned_.push_back(turned);
}

/// Through the joint, from its inboard frame to the outboard one.
void Expansion::move(Motion& m, const JointData& joint, std::size_t body) {
  const std::size_t count = joint.primitives.size();
  std::vector<std::size_t> q(count), v(count);
  for (std::size_t k = 1; k < count; ++k) {
    q[k] = q[k - 1] + position_count(joint.primitives[k - 1].kind);
    v[k] = v[k - 1] + velocity_count(joint.primitives[k - 1].kind);
  }
  const auto is_unit = [](const Primitive& p, std::size_t axis) {
    return p.kind == Primitive::Kind::translation && p.axis[axis] == 1 && p.axis[(axis + 1) % 3] == 0 &&
           p.axis[(axis + 2) % 3] == 0;
  };
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t k = joint.reversed ? count - 1 - n : n;
    const Primitive& p = joint.primitives[k];
    if (p.kind == Primitive::Kind::rotation) {
      rotate(m, p.axis, joint, q[k], v[k], joint.reversed);
    } else if (p.kind == Primitive::Kind::ball) {
      ball(m, joint, body, q[k], v[k], false);
    } else if (k + 3 < count && is_unit(p, 0) && is_unit(joint.primitives[k + 1], 1) &&
               is_unit(joint.primitives[k + 2], 2) && joint.primitives[k + 3].kind == Primitive::Kind::ball) {
      ball(m, joint, body, q[k + 3], v[k + 3], true);
      n += 3;
    } else {
      slide(m, p.axis, joint, q[k], v[k], joint.reversed);
    }
  }
}

void Expansion::add_body(std::size_t i) {
  const BodyData& data = view_.bodies[i];
  const JointData& joint = view_.joints[i];
  if (freedoms_.size() < view_.nv_tree) freedoms_.resize(view_.nv_tree);
  Motion m = is_ground(joint.inboard()) ? ground_ : bodies_[at(joint.inboard())].frame;
  const Vector on_base = symbols_.parameters("p", joint.name, joint.p_base, "joint in the base body, m"),
               on_moving = symbols_.parameters("s", joint.name, joint.p_moving, "joint in the moving body, m");
  shift(m, joint.reversed ? on_moving : on_base);
  if (joint.reversed) drawn(m, joint.R_drawn, true);
  move(m, joint, i);
  if (!joint.reversed) drawn(m, joint.R_drawn, false);
  shift(m, ex(-1) * (joint.reversed ? on_base : on_moving));

  Body body;
  body.frame = m;
  const Vector center = symbols_.parameters("c", data.name, data.center_of_mass, "mass centre, body axes, m");
  shift(m, center);
  body.center_velocity = m.v;
  body.center_acceleration = m.a;
  body.mass = symbols_.parameter(fmt::format("m_{}", data.name), data.mass, "mass, kg");
  const Mat3 J = data.inertia.full();
  constexpr const char* axes[] = {"x", "y", "z"};
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = r; c < 3; ++c)
      body.inertia[r][c] = body.inertia[c][r] = symbols_.parameter(fmt::format("J{}{}_{}", axes[r], axes[c], data.name),
                                                                   J(r, c), "inertia about the mass centre, kg m^2");
  body.force = forces_[i];
  body.moment = moments_[i];
  bodies_.push_back(std::move(body));
}

/// H2, Ḣ2 q̇2 and the terms of Eq 15.
void Expansion::project() {
  const std::size_t n = bodies_.size(), p = freedoms_.size();
  Matrix H2{"H2",
            "velocity transformation, Eq 17; rows of a body: v, ground axes; w, body axes",
            "H_2",
            6 * n,
            p,
            false,
            std::vector<ex>(6 * n * p, 0)};
  Matrix gamma{"G", "rate of H2 times q2', Eq 14", "\\dot H_2 \\dot q_2", 6 * n, 1, false, std::vector<ex>(6 * n, 0)};
  Matrix M22{"M22", "reduced mass H2^T M H2, Eq 15", "\\hat M_{22}", p, p, true, std::vector<ex>(p * p, 0)};
  Matrix Q2{
      "Q2", "reduced force H2^T Q with gyroscopic torques, Eq 15", "\\hat Q_2", p, 1, false, std::vector<ex>(p, 0)};
  Matrix N22{"N22",
             "gyroscopic term H2^T M (rate of H2) q2', Eq 15",
             "\\hat N_{22} \\dot q_2",
             p,
             1,
             false,
             std::vector<ex>(p, 0)};
  for (std::size_t b = 0; b < n; ++b) {
    const Body& body = bodies_[b];
    const Motion& m = body.frame;
    const auto times_inertia = [&](const Vector& x) {
      return Vector{{dot(body.inertia[0], x), dot(body.inertia[1], x), dot(body.inertia[2], x)}};
    };
    const Vector a = m.to_ground.times(body.center_acceleration);
    for (std::size_t r = 0; r < 3; ++r) {
      gamma.values[6 * b + r] = symbols_.reduced(a[r]);
      gamma.values[6 * b + 3 + r] = m.alpha[r];
    }
    const Vector force = m.to_ground.back(body.force) + body.mass * m.gravity;
    const Vector moment = body.moment - cross(m.w, times_inertia(m.w));
    const Vector inertial = times_inertia(m.alpha);
    std::vector<Vector> V(p), W(p);
    for (std::size_t k = 0; k < p; ++k) {
      V[k] = rate(body.center_velocity, k);
      W[k] = rate(m.w, k);
    }
    for (std::size_t k = 0; k < p; ++k) {
      const Vector v = m.to_ground.times(V[k]), JW = times_inertia(W[k]);
      for (std::size_t r = 0; r < 3; ++r) {
        H2.values[(6 * b + r) * p + k] = symbols_.reduced(v[r]);
        H2.values[(6 * b + 3 + r) * p + k] = W[k][r];
      }
      for (std::size_t l = k; l < p; ++l) M22.values[k * p + l] += body.mass * dot(V[k], V[l]) + dot(JW, W[l]);
      Q2.values[k] += dot(V[k], force) + dot(W[k], moment);
      N22.values[k] += body.mass * dot(V[k], body.center_acceleration) + dot(W[k], inertial);
    }
  }
  for (std::size_t k = 0; k < p; ++k) {
    Q2.values[k] = symbols_.reduced(Q2.values[k] + efforts_[k]);
    N22.values[k] = symbols_.reduced(N22.values[k]);
    for (std::size_t l = k; l < p; ++l)
      M22.values[l * p + k] = M22.values[k * p + l] = symbols_.reduced(M22.values[k * p + l]);
  }
  matrices_ = {std::move(H2), std::move(gamma), std::move(M22), std::move(Q2), std::move(N22)};
}

/// q̈2 at the state, in the view's coordinates: of a ball ω̇ = R ẇ, of a free joint v̇ = R (v̇_b + w × v_b).
std::vector<double> Expansion::accelerations() const {
  const Eigen::Index p = static_cast<Eigen::Index>(freedoms_.size());
  Eigen::MatrixXd M(p, p);
  Eigen::VectorXd right(p);
  for (Eigen::Index r = 0; r < p; ++r) {
    for (Eigen::Index c = 0; c < p; ++c)
      M(r, c) = symbols_.value(matrices_[2].values[static_cast<std::size_t>(r * p + c)]);
    right[r] = symbols_.value(matrices_[3].values[static_cast<std::size_t>(r)]) -
               symbols_.value(matrices_[4].values[static_cast<std::size_t>(r)]);
  }
  const Eigen::VectorXd found = M.partialPivLu().solve(right);
  std::vector<double> out(found.begin(), found.end());
  for (const Turned& t : turned_) {
    const auto put = [&](std::size_t at, const Vec3& x) {
      const Vec3 turned = t.R * x;
      for (std::size_t k = 0; k < 3; ++k) out[at + k] = turned[k];
    };
    const auto get = [&](std::size_t at) { return Vec3{out[at], out[at + 1], out[at + 2]}; };
    if (t.free) put(t.v - 3, get(t.v - 3) + cross(t.spin, t.speed));
    put(t.v, get(t.v));
  }
  return out;
}

void Expansion::write_text(std::ostream& out, bool latex) const {
  if (latex) out << "% M22 q2'' = Q2 - N22; entries that are not listed are zero\n\\begin{align*}\n";
  if (!latex) out << "M22 q2'' = Q2 - N22; entries that are not listed are zero\n";
  const auto put = [&](const std::string& left, const ex& value) {
    put_wrapped(out, latex ? Language::latex : Language::text, latex ? left + " &= " : "  " + left + " = ",
                symbols_.shown(value), latex ? " \\\\" : "");
  };
  for (const Kinematics& ball : balls_) {
    if (!latex) out << "B of " << ball.joint << ": w = B b', of its Euler angles\n";
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c)
        if (!ball.rows[r][c].is_zero())
          put(latex ? fmt::format("B^{{\\mathrm{{{}}}}}_{{{},{}}}", ball.joint, r + 1, c + 1)
                    : fmt::format("B[{},{}]", r + 1, c + 1),
              ball.rows[r][c]);
  }
  for (const Matrix& m : matrices_) {
    if (!latex) out << m.name << ": " << m.meaning << "\n";
    for (std::size_t r = 0; r < m.rows; ++r)
      for (std::size_t c = m.symmetric ? r : 0; c < m.columns; ++c) {
        const ex& value = m.values[r * m.columns + c];
        if (value.is_zero()) continue;
        const std::string index = m.columns == 1 ? std::to_string(r + 1) : fmt::format("{},{}", r + 1, c + 1);
        put(latex ? fmt::format("({})_{{{}}}", m.tex, index) : fmt::format("{}[{}]", m.name, index), value);
      }
  }
  if (latex) out << "\\end{align*}\n% symbols\n";
  if (!latex) out << "columns of H2, and q2'\n";
  for (std::size_t k = 0; !latex && k < freedoms_.size(); ++k)
    out << "  " << k + 1 << ": " << freedoms_[k].name << "\n";
  if (!latex) out << "symbols\n";
  for (const Symbols::Entry& e : symbols_.entries())
    out << (latex ? "% " : "  ") << e.name.get_name() << fmt::format(" = {:.10g}: {}\n", e.value, e.meaning);
}

void Expansion::write_c(std::ostream& out) const {
  out << "#include <math.h>\n#include <string.h>\n\n"
      << "/* M22 q2'' = Q2 - N22 (Thompson 2011, Eq 15); matrices rows first. */\n";
  const auto list = [&](Symbols::Kind kind) { return symbols_.of(kind); };
  out << "struct polyform_parameters {\n";
  for (const Symbols::Entry* e : list(Symbols::Kind::parameter))
    out << "  double " << e->name.get_name() << "; /* " << e->meaning << " */\n";
  out << "  double unused;\n};\nstatic const struct polyform_parameters polyform_values = {\n";
  for (const Symbols::Entry* e : list(Symbols::Kind::parameter)) out << fmt::format("  {:.17g},\n", e->value);
  out << "  0\n};\n";
  for (const auto& [name, kind] :
       {std::pair("positions", Symbols::Kind::position), std::pair("velocities", Symbols::Kind::velocity),
        std::pair("loads", Symbols::Kind::load)}) {
    out << "/* " << name << ":";
    for (const Symbols::Entry* e : list(kind)) out << " " << e->name.get_name();
    out << " */\nstatic const double polyform_" << name << "_at_start[] = {";
    for (const Symbols::Entry* e : list(kind)) out << fmt::format("{:.17g}, ", e->value);
    out << "0};\n";
  }
  out << "void polyform_equations(const struct polyform_parameters *p, const double *q, const double *u, const double "
         "*load,\n                        double *H2, double *G, double *M22, double *Q2, double *N22)\n{\n";
  for (const Symbols::Entry* e : list(Symbols::Kind::parameter))
    out << "  const double " << e->name.get_name() << " = p->" << e->name.get_name() << ";\n";
  for (const auto& [array, kind] : {std::pair("q", Symbols::Kind::position), std::pair("load", Symbols::Kind::load)}) {
    std::size_t k = 0;
    for (const Symbols::Entry* e : list(kind))
      out << "  const double " << e->name.get_name() << " = " << array << "[" << k++ << "];\n";
  }
  for (std::size_t k = 0; k < freedoms_.size(); ++k)
    out << "  const double " << freedoms_[k].name << " = u[" << k << "];\n";
  for (const Matrix& m : matrices_) {
    out << "  memset(" << m.name << ", 0, " << m.values.size() << " * sizeof(double));\n";
    for (std::size_t k = 0; k < m.values.size(); ++k)
      if (!m.values[k].is_zero())
        put_wrapped(out, Language::c, fmt::format("  {}[{}] = ", m.name, k), symbols_.shown(m.values[k]), ";");
  }
  for (const Symbols::Entry& e : symbols_.entries()) out << "  (void)" << e.name.get_name() << ";\n";
  out << "  (void)load;\n}\n";
}

std::string Expansion::write(Language language) const {
  std::ostringstream out;
  if (language == Language::c)
    write_c(out);
  else
    write_text(out, language == Language::latex);
  return out.str();
}

/// Why a system has no formulas, and what to do; nothing where it has.
std::pair<std::string, std::string> refusal_of(const SystemView& view) {
  const std::string other = "Without --formulas the equations are shown in numbers.";
  if (!view.cut_joints().empty())
    return {fmt::format("joint `{}` closes a loop, and the null space of a loop has no formula in general",
                        view.cut_joints()[0].name),
            other};
  if (!view.constraints.empty() || !view.modules.empty())
    return {"constraint elements and modules are code, which has no formula", other};
  if (!view.flexible.empty()) return {"flexible bodies are code, which has no formula", other};
  for (const JointData& joint : view.joints) {
    if (joint.kernel != nullptr)
      return {fmt::format("the law of joint `{}` is code, which has no formula", joint.name), other};
    if (joint.reversed)
      for (const Primitive& p : joint.primitives)
        if (p.kind == Primitive::Kind::ball)
          return {fmt::format("joint `{}` leads from its moving body to its base", joint.name),
                  "Exchange base and moving of this joint."};
  }
  return {};
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void polyform_make_formulas(const FormulaRequest& request,
                                                                              Formulas& out) {
  std::tie(out.refusal, out.remedy) = refusal_of(*request.view);
  if (!out.refusal.empty()) return;
  const Expansion expansion(request);
  out.text = expansion.write(request.language);
  out.accelerations = expansion.accelerations();
}

}  // namespace polyform::apps
