#include "polyform/solvers/absolute/newton.hpp"

#include <optional>

#include "newton_factors.hpp"
#include "newton_gather.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/solvers/newton/state_inverses.hpp"

namespace polyform::absolute {

namespace {

// Of the 13 numbers of a body in y.
constexpr std::size_t numbers_of_body = 13, orientation_at = 3, spin_at = 7, velocity_at = 10;

template <class T>
Vector3<T> crossed(const Vec3& a, const Vector3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

}  // namespace

struct Newton::Parts {
  /// Factors for one γ, and room for a solution.
  template <class T>
  struct Place {
    using Vector = typename NewtonFactors<T>::Vector;
    Place(const ForceDerivatives& derivatives, std::size_t size)
        : states(derivatives), side(static_cast<Eigen::Index>(size)), rates(side), accelerations(side) {}

    NewtonFactors<T> factors;
    StateInverses<T> states;
    T gamma{};
    Vector side, rates, accelerations;   ///< rates, accelerations: that the right-hand sides bring
  };

  Parts(const SystemView& view, const AbsoluteEquations& equations, const JointHints& hints, const Vec3& origin)
      : view(view), equations(equations), hints(hints), gather(view, equations, origin),
        unknowns(equations.offset(equations.blocks())), sum(unknowns + equations.rows()),
        real(gather.derivatives(), unknowns + equations.rows()),
        complex(gather.derivatives(), unknowns + equations.rows()), orientations(view.bodies.size()),
        spins(view.bodies.size()), q(view.nq) {}

  std::size_t eta_at() const { return numbers_of_body * view.bodies.size(); }
  std::size_t hints_at() const { return eta_at() + 2 * view.modes; }
  std::size_t states_at() const { return hints_at() + hints.size(); }

  template <class T>
  bool prepare(Place<T>& place, const T& gamma) {
    place.gamma = gamma;
    return place.factors.factorize(sum, gamma) && place.states.prepare(gamma);
  }
  template <class T, class Read, class Write>
  void begin(Place<T>&, const Read&, const Write&) const;
  template <class T>
  void bring(Place<T>&) const;
  template <class T, class Read, class Write>
  void finish(const Place<T>&, const Read&, const Write&) const;
  template <class T, class Read, class Write>
  void move_hints(const Place<T>&, const Read&, const Write&) const;
  template <class T, class Read, class Write>
  void solve(Place<T>& place, const Read& read, const Write& write) const {
    begin(place, read, write);
    bring(place);
    place.factors.solve(place.side);
    finish(place, read, write);
    move_hints(place, read, write);
    const std::size_t first = states_at();
    place.states.solve([&](std::size_t k) { return read(first + k); },
                       [&](std::size_t k, const T& value) { write(first + k, value); });
  }
  template <class Visit>
  void each_mode(const Visit& visit) const {
    for (const FlexibleData& data : view.flexible)
      for (std::size_t k = 0; k < data.modes; ++k)
        visit(equations.offset(at(data.body)) + 6 + k, data.mode_offset + k);
  }

  const SystemView& view;
  const AbsoluteEquations& equations;
  const JointHints& hints;
  NewtonGather gather;
  std::size_t unknowns;
  NewtonSum sum;
  Place<double> real;
  Place<std::complex<double>> complex;
  std::vector<Quat> orientations;      ///< of the linearization, with the angular velocities
  std::vector<Vec3> spins;
  std::vector<double> q;
};

/// The right-hand sides as displacements r and rates: ξ̇ = ξ/γ − r/γ, ẍ likewise. What of a step in a quaternion turns
/// nothing stays in y.
template <class T, class Read, class Write>
void Newton::Parts::begin(Place<T>& place, const Read& read, const Write& write) const {
  const T by_gamma = T(1) / place.gamma;
  place.rates.setZero();
  place.accelerations.setZero();
  const auto put = [&](std::size_t unknown, const T& step, const T& rate) {
    const auto k = static_cast<Eigen::Index>(unknown);
    place.rates[k] = -by_gamma * step;
    place.accelerations[k] = by_gamma * (place.rates[k] - rate);
  };
  for (std::size_t i = 0; i < view.bodies.size(); ++i) {
    const std::size_t y = numbers_of_body * i, first = equations.offset(i);
    const Quat& o = orientations[i];
    const T w = read(y + orientation_at);
    const Vector3<T> v{read(y + orientation_at + 1), read(y + orientation_at + 2), read(y + orientation_at + 3)};
    const Vec3 a{o.x, o.y, o.z};
    // 2 δq q⁻¹, and the part of δq along q, which q̇ = ½ ω q turns.
    const Vector3<T> turn = {T(2) * (o.w * v.x - w * a.x - (v.y * a.z - v.z * a.y)),
                             T(2) * (o.w * v.y - w * a.y - (v.z * a.x - v.x * a.z)),
                             T(2) * (o.w * v.z - w * a.z - (v.x * a.y - v.y * a.x))};
    const T along = w * o.w + v.x * a.x + v.y * a.y + v.z * a.z;
    for (std::size_t k = 0; k < 3; ++k) {
      put(first + k, turn[k] + place.gamma * along * spins[i][k], read(y + spin_at + k));
      put(first + 3 + k, read(y + k), read(y + velocity_at + k));
    }
    const double parts[4] = {o.w, o.x, o.y, o.z};
    for (std::size_t k = 0; k < 4; ++k) write(y + orientation_at + k, along * parts[k]);
  }
  each_mode([&](std::size_t unknown, std::size_t mode) {
    put(unknown, read(eta_at() + mode), read(eta_at() + view.modes + mode));
  });
}

template <class T>
void Newton::Parts::bring(Place<T>& place) const {
  place.side.setZero();
  const T square = place.gamma * place.gamma;
  for (std::size_t column = 0; column < unknowns; ++column) {
    const auto c = static_cast<Eigen::Index>(column);
    const T a = square * place.accelerations[c], v = square * place.rates[c];
    for (auto k = static_cast<std::size_t>(sum.columns()[column]);
         k < static_cast<std::size_t>(sum.columns()[column + 1]); ++k)
      place.side[sum.rows()[k]] -= sum.numbers()[k].M * a + sum.numbers()[k].g * v;
  }
}

template <class T, class Read, class Write>
void Newton::Parts::finish(const Place<T>& place, const Read& read, const Write& write) const {
  const T by_gamma = T(1) / place.gamma;
  const auto step = [&](std::size_t unknown) { return place.side[static_cast<Eigen::Index>(unknown)]; };
  const auto rate = [&](std::size_t unknown) {
    return by_gamma * step(unknown) + place.rates[static_cast<Eigen::Index>(unknown)];
  };
  for (std::size_t i = 0; i < view.bodies.size(); ++i) {
    const std::size_t y = numbers_of_body * i, first = equations.offset(i);
    const Vector3<T> turn{step(first), step(first + 1), step(first + 2)};
    const Vector3<T> drag = crossed(spins[i], turn);
    for (std::size_t k = 0; k < 3; ++k) {
      write(y + k, step(first + 3 + k));
      write(y + velocity_at + k, rate(first + 3 + k));
      write(y + spin_at + k, rate(first + k) - 0.5 * drag[k]);
    }
    const Quat& o = orientations[i];
    const T half(0.5);
    const T moved[4] = {-half * (turn.x * o.x + turn.y * o.y + turn.z * o.z),
                        half * (turn.x * o.w + turn.y * o.z - turn.z * o.y),
                        half * (turn.y * o.w + turn.z * o.x - turn.x * o.z),
                        half * (turn.z * o.w + turn.x * o.y - turn.y * o.x)};
    for (std::size_t k = 0; k < 4; ++k)
      write(y + orientation_at + k, read(y + orientation_at + k) + moved[k]);
  }
  each_mode([&](std::size_t unknown, std::size_t mode) {
    write(eta_at() + mode, step(unknown));
    write(eta_at() + view.modes + mode, rate(unknown));
  });
}

/// Coordinates of joints follow the bodies.
template <class T, class Read, class Write>
void Newton::Parts::move_hints(const Place<T>& place, const Read& read, const Write& write) const {
  std::size_t y = hints_at();
  for (const JointHints::Coordinates& c : hints.coordinates()) {
    const JointData& joint = view.joints[c.joint];
    double real_steps[6], imaginary_steps[6], moved[most_joint_positions], imaginary_moved[most_joint_positions];
    for (std::size_t k = 0; k < joint.nv; ++k) {
      const NewtonGather::Pattern& p = gather.direction(joint.v_offset + k);
      const T steps = gather.value(p, place.side.data()) + place.gamma * gather.value(p, place.rates.data());
      real_steps[k] = std::real(steps);
      imaginary_steps[k] = std::imag(steps);
    }
    const double* const here = q.data() + joint.q_offset;
    joint_position_step(joint, here, real_steps, moved);
    joint_position_step(joint, here, imaginary_steps, imaginary_moved);
    for (std::size_t k = c.first_q - joint.q_offset; k < c.first_q - joint.q_offset + c.count; ++k, ++y) {
      if constexpr (std::is_same_v<T, double>) write(y, read(y) + moved[k]);
      else write(y, read(y) + T{moved[k], imaginary_moved[k]});
    }
  }
}

Newton::Newton(const SystemView& view, const AbsoluteEquations& equations, const JointHints& hints, const Vec3& origin)
    : parts_(std::make_unique<Parts>(view, equations, hints, origin)) {}
Newton::~Newton() = default;

bool Newton::good() const noexcept { return parts_->gather.good(); }
void Newton::follow(std::span<const std::int32_t> discrete) noexcept { parts_->gather.follow(discrete); }

void Newton::linearize(const Moment& now) noexcept {
  Parts& p = *parts_;
  const std::span<const BodyMotion> frames = p.equations.frames();
  for (std::size_t i = 0; i < p.view.bodies.size(); ++i) {
    p.orientations[i] = now.poses[i].orientation;
    p.spins[i] = frames[i].V.angular;
  }
  std::ranges::copy(now.q, p.q.begin());
  p.gather.gather(now, p.sum);
}

bool Newton::prepare(double gamma) noexcept { return parts_->prepare(parts_->real, gamma); }
bool Newton::prepare(std::complex<double> gamma) noexcept { return parts_->prepare(parts_->complex, gamma); }

void Newton::solve(std::span<double> x) noexcept {
  parts_->solve(
      parts_->real, [&](std::size_t k) { return x[k]; }, [&](std::size_t k, double value) { x[k] = value; });
}

void Newton::solve(std::span<double> real, std::span<double> imaginary) noexcept {
  parts_->solve(
      parts_->complex, [&](std::size_t k) { return std::complex<double>(real[k], imaginary[k]); },
      [&](std::size_t k, const std::complex<double>& value) {
        real[k] = value.real();
        imaginary[k] = value.imag();
      });
}

}  // namespace polyform::absolute
