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

  /// Whether all that is read is the time and coordinates of joints; after place().
  bool reads_joints_alone() const { return !plain_.empty(); }
  /// read() for that case.
  void read_joints(double t, const double* q, const double* v, double* out) const noexcept {
    for (const Plain& p : plain_)
      *out++ = p.kind == StateInput::Kind::time ? t : p.kind == StateInput::Kind::position ? q[p.offset] : v[p.offset];
  }
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
    std::size_t attachment = 0;  ///< among bodies or joints; npos: ground
    std::size_t offset = 0;      ///< into q, v, the states, the outputs or what is held
    std::shared_ptr<GivenValue> given{};  ///< or none
  };
  /// A source that is the time or a coordinate of a joint.
  struct Plain {
    std::uint32_t offset;
    StateInput::Kind kind;
  };
  std::vector<Source> sources_;
  std::vector<Plain> plain_;  ///< all of them, if there are no others; once they have been placed
  std::vector<BodyIndex> bodies_;
  std::vector<JointIndex> joints_;
};

}  // namespace polyform::host::inline expressions
