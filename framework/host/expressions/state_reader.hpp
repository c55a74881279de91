// Inputs of formulas from what an element is attached to.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/host/expressions/formula.hpp"
#include "polyform/contract/force.hpp"

namespace polyform::host::inline expressions {

/// What a limit of a signal does to the integral of the signal.
enum class LimitMode : std::int32_t {
  within,  ///< nothing
  beyond,  ///< the output would be beyond and is pushed further: the integral stays as it is
  kept     ///< the output stays at the limit: the integral is what keeps it there
};

inline constexpr std::size_t no_place = static_cast<std::size_t>(-1);
/// The velocity coordinate of a joint whose value is the rate of a position coordinate; no_place for those of a ball.
std::size_t rate_place(const JointShape&, std::size_t position);

/// The inputs of a program, in the order of its first registers, and what an element must be attached to for them.
class StateReader {
 public:
  StateReader() = default;
  /// numbers: of the graph's inputs.
  StateReader(const Formulas&, std::span<const std::uint32_t> numbers);

  /// Bodies and joints as in the model file, each once.
  const std::vector<BodyIndex>& bodies() const { return bodies_; }
  const std::vector<JointIndex>& joints() const { return joints_; }
  /// Where each joint's coordinates begin, from its shape. False, with the input at fault, where it has no such
  /// coordinate: `wrong` is its number among the inputs.
  bool place(Strided<const JointShape>, std::size_t& wrong);
  /// What the input reads, for messages: "q(ball, 7)" with the joint's number of coordinates.
  const StateInput& input(std::size_t k) const { return sources_[k].input; }
  std::size_t joint_number(std::size_t k) const { return sources_[k].attachment; }
  std::size_t size() const { return sources_.size(); }
  /// What other programs give among the inputs.
  std::vector<GivenValue*> given() const;

  /// Whether all that is read is the time, coordinates of joints and motions of bodies; after place().
  bool reads_motion_alone() const { return reads_motion_alone_; }
  /// read() for that case. q and v: of all joints.
  void read_motion(double t, Strided<const MarkerMotion> markers, const double* q, const double* v,
                   double* out) const noexcept {
    for (const Plain& p : plain_) *out++ = value_of(p, t, markers, q, v);
  }
  /// The rates of the inputs along the present motion, NaN of those that need accelerations. state_rates: of the states
  /// of signals.
  void rates(Strided<const MarkerMotion> markers, std::span<const double> v, std::span<const double> state_rates,
             std::span<double> out) const noexcept;
  /// Where the number of a force or module that an input reads is, among all of the element.
  void put(std::size_t k, std::size_t offset) { sources_[k].offset = offset; }
  /// The outputs of forces that formulas read, from those of the whole element.
  void read_outputs(std::span<const double> outputs, std::span<double> out) const noexcept {
    for (std::size_t k = 0; k < sources_.size(); ++k)
      if (sources_[k].input.kind == StateInput::Kind::element_output) out[k] = outputs[sources_[k].offset];
  }
  /// markers, q and v: those of bodies() and joints(). states: of the whole element, then numbers of modules; held: of
  /// all samplers; modes: of all limits.
  void read(double t, Strided<const MarkerMotion> markers, std::span<const double> q, std::span<const double> v,
            std::span<const double> states, std::span<const double> held, std::span<const std::int32_t> modes,
            std::span<double> out) const noexcept;

 private:
  struct Source {
    StateInput input;
    std::size_t attachment = 0;           ///< among bodies or joints; npos: ground
    std::size_t offset = 0;               ///< into q, v, the states, the outputs or what is held
    std::size_t rate = no_place;          ///< of a coordinate: into v
    std::shared_ptr<GivenValue> given{};  ///< or none
  };
  /// What a source reads of the motion.
  struct Plain {
    enum class Kind : std::uint8_t { none, time, position, velocity, motion };
    Kind kind = Kind::none;    ///< none: 0, as of ground
    std::uint32_t offset = 0;  ///< of a coordinate: into q or v; of a motion: among the markers
    Vec3 MarkerMotion::*vector = nullptr;
    double Vec3::*component = nullptr;
  };
  static double value_of(const Plain& p, double t, Strided<const MarkerMotion> markers, const double* q,
                         const double* v) noexcept {
    switch (p.kind) {
      case Plain::Kind::time: return t;
      case Plain::Kind::position: return q[p.offset];
      case Plain::Kind::velocity: return v[p.offset];
      case Plain::Kind::motion: return markers[p.offset].*p.vector.*p.component;
      case Plain::Kind::none: break;
    }
    return 0;
  }
  static bool is_plain(const Source&);
  static Plain plain_of(const Source&);
  std::vector<Source> sources_;
  std::vector<Plain> plain_;  ///< of all sources, once they have been placed
  bool reads_motion_alone_ = false;
  std::vector<BodyIndex> bodies_;
  std::vector<JointIndex> joints_;
};

}  // namespace polyform::host::inline expressions
