#include "encoding.hpp"

namespace polyform::thompson {

Encoding::Encoding(const SystemView& view, const std::vector<EulerSequence>& sequences,
                   const ClosingConstraints& closing, DiscreteValues& discrete)
    : view_(view), vector_(view, sequences, discrete), left_out_(discrete), all_rates_(vector_.size()) {
  for (std::size_t g = 0; g < closing.groups(); ++g) left_out_.add(closing.name(g), closing.rows(g));
}

void Encoding::read(std::span<const double> y, MovingTree& tree, SecondReduction& loops) const noexcept {
  vector_.to_joints(y, tree.joints());
  for (std::size_t g = 0; g < left_out_.groups(); ++g) loops.leave_out(g, left_out_[g]);
}

bool Encoding::write(double t, const SecondReduction& loops, MovingTree& tree, std::span<double> y,
                     Failure& failure) noexcept {
  const std::span<double> joints = tree.joints();
  for (std::size_t g = 0; g < left_out_.groups(); ++g) left_out_.keep(g, loops.left_out(g));
  vector_.joints().keep_turns(joints, tree.placed().q());
  std::size_t failed = 0;
  return vector_.from_joints(joints, y, failed) || fail_angles(t, failed, "cannot reach its orientation", failure);
}

bool Encoding::rates(double t, std::span<const double> y, std::span<const double> of_joints, std::span<double> ydot,
                     Failure& failure) const noexcept {
  std::size_t failed = 0;
  return vector_.rates(y, of_joints, ydot, failed) ||
         fail_angles(t, failed, "are at gimbal lock: their axes lie in one plane, and they have no rates", failure);
}

bool Encoding::position_rates(double t, std::span<const double> y, std::span<const double> of_joints,
                              std::span<double> ydot, Failure& failure) noexcept {
  if (!rates(t, y, of_joints, all_rates_, failure)) return false;
  for (std::size_t i = 0; i < ydot.size(); ++i)
    if (kinds()[i] == StateKind::position) ydot[i] = all_rates_[i];
  return true;
}

/// Fails with a sequence at gimbal lock, or with one whose axes are not at right angles and cannot reach an
/// orientation.
bool Encoding::fail_angles(double t, std::size_t s, std::string_view what, Failure& failure) const noexcept {
  const EulerSequence& sequence = vector_.sequences()[s];
  const std::string_view joint = view_.joints[sequence.joint].name;
  return failure.say(
      "at t = {:.6g} s the Euler angles {:.60} of joint `{:.60}` {}. Use its quaternion: leave the joint out of the "
      "option `angles`, or write \"{:.60}=quaternion\" there; or take axes in another order",
      t, sequence.text, joint, what, joint);
}

}  // namespace polyform::thompson
