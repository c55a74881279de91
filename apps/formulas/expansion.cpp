#include "apps/formulas/expansion.hpp"

#include <fmt/format.h>

#include "polyform/mechanics/force_set.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::apps::formulas {

Expansion::Expansion(const Request& request, bool intermediates)
    : request_(request), view_(*request.view), symbols_(intermediates) {
  ground_.W.resize(view_.nv_tree);
  ground_.V.resize(view_.nv_tree);
  ground_.gravity = symbols_.parameters("g", {}, view_.gravity, "gravity in ground axes, m/s^2");
  positions_.assign(view_.nq, 0);
  const std::vector<double> efforts = find_loads();
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) add_body(i);
  find_efforts(efforts);
  project();
}

/// Makes a symbol for each force and moment that acts, with its value; returns the efforts in all joints.
std::vector<double> Expansion::find_loads() {
  const std::size_t n = view_.bodies.size();
  std::vector<double> efforts(view_.nv);
  forces_.resize(n);
  moments_.resize(n);
  ForceSet set(view_, {});
  if (set.empty()) return efforts;
  TreeKinematics tree(view_);
  const ConstStateView& s = request_.state;
  tree.evaluate(s.q.data(), s.v.data());
  set.follow(s.discrete);
  std::vector<Spatial> wrenches(view_.frames());
  std::vector<double> xdot(view_.states);
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
  return efforts;
}

/// To a point that is fixed in the frame.
void Expansion::shift(Motion& m, const Vector& r) {
  if (r[0].is_zero() && r[1].is_zero() && r[2].is_zero()) return;
  for (std::size_t k = 0; k < m.V.size(); ++k) m.V[k] = symbols_.reduced(m.V[k] + cross(m.W[k], r));
  const Vector wr = cross(m.w, r);
  m.v = symbols_.reduced(m.v + wr);
  m.a = symbols_.reduced(m.a + cross(m.alpha, r) + cross(m.w, wr));
}

/// Into axes that are turned by E: from the new ones to the old.
void Expansion::turn(Motion& m, const Rotation& E) {
  for (auto* columns : {&m.W, &m.V})
    for (Vector& x : *columns) x = symbols_.reduced(E.back(x));
  for (Vector* x : {&m.w, &m.v, &m.alpha, &m.a, &m.gravity}) *x = symbols_.reduced(E.back(*x));
  const Rotation columns = E.transposed();
  for (std::size_t r = 0; r < 3; ++r) m.to_ground.rows[r] = symbols_.reduced(columns.times(m.to_ground.rows[r]));
}

void Expansion::drawn(Motion& m, const Mat3& R, bool back) {
  Rotation E;
  bool same = true;
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) {
      E.rows[r][c] = number(R(r, c));
      same = same && R(r, c) == (r == c ? 1 : 0);
    }
  if (!same) turn(m, back ? E.transposed() : E);
}

void Expansion::add_body(std::size_t i) {
  const BodyData& data = view_.bodies[i];
  const JointData& joint = view_.joints[i];
  Body body;
  body.mass = symbols_.parameter(fmt::format("m_{}", data.name), data.mass, "mass, kg");
  if (freedoms_.size() < view_.nv_tree) freedoms_.resize(view_.nv_tree);
  Motion m = is_ground(joint.inboard()) ? ground_ : bodies_[at(joint.inboard())].frame;
  const Vector on_base = symbols_.parameters("p", joint.name, joint.p_base, "joint in the base body, m"),
               on_moving = symbols_.parameters("s", joint.name, joint.p_moving, "joint in the moving body, m");
  shift(m, joint.reversed ? on_moving : on_base);
  if (joint.reversed) drawn(m, joint.R_drawn, true);
  move(m, joint, i);
  if (!joint.reversed) drawn(m, joint.R_drawn, false);
  shift(m, ex(-1) * (joint.reversed ? on_base : on_moving));

  body.frame = m;
  const Vector center = symbols_.parameters("c", data.name, data.center_of_mass, "mass centre, body axes, m");
  shift(m, center);
  body.center_velocities = m.V;
  body.center_acceleration = m.a;
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

}  // namespace polyform::apps::formulas
