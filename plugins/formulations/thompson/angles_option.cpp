// The option `angles`.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "euler_angles.hpp"

namespace polyform::thompson {
namespace {

/// Sine of the angle between two axes that follow each other, below which they are one as written.
constexpr double one_axis = 1e-3;

constexpr std::string_view example =
    "write for example angles=\"zyx\" for all, or angles=\"hub=zyx, gimbal=x (0 0.6 0.8) x\"";

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

/// A letter or a vector in parentheses at the front of the text, which is taken away; nothing if there is neither.
std::optional<Vec3> take_axis(std::string_view& text) {
  text = trimmed(text);
  if (text.empty()) return {};
  const char letter = text.front();
  if (letter >= 'x' && letter <= 'z') {
    text.remove_prefix(1);
    return Vec3{letter == 'x' ? 1.0 : 0.0, letter == 'y' ? 1.0 : 0.0, letter == 'z' ? 1.0 : 0.0};
  }
  const std::size_t end = text.find(')');
  if (letter != '(' || end == std::string_view::npos) return {};
  std::string_view numbers = text.substr(1, end - 1);
  text.remove_prefix(end + 1);
  Vec3 axis;
  for (std::size_t k = 0; k < 3; ++k) {
    numbers = trimmed(numbers);
    const auto result = std::from_chars(numbers.data(), numbers.data() + numbers.size(), axis[k]);
    if (result.ec != std::errc()) return {};
    numbers.remove_prefix(static_cast<std::size_t>(result.ptr - numbers.data()));
  }
  const double length = norm(axis);
  if (!trimmed(numbers).empty() || !(length > 0) || !std::isfinite(length)) return {};
  return (1 / length) * axis;
}

std::optional<Refusal> read_axes(std::string_view text, EulerSequence& sequence) {
  std::string_view rest = text;
  for (Vec3& axis : sequence.axes) {
    const std::optional<Vec3> read = take_axis(rest);
    if (!read)
      return Refusal{
          fmt::format("thompson: angles `{}` are not three axes, each x, y, z or a vector like (0 0.6 0.8)", text),
          std::string(example) + "; joints with one or two rotations have these angles as coordinates anyway"};
    axis = *read;
  }
  if (!trimmed(rest).empty())
    return Refusal{fmt::format("thompson: angles `{}` have more than three axes", text), std::string(example)};
  for (int k = 0; k < 2; ++k)
    if (norm(cross(sequence.axes[k], sequence.axes[k + 1])) < one_axis)
      return Refusal{
          fmt::format("thompson: in the angles `{}` two axes that follow each other are parallel: they turn as one",
                      text),
          "put another axis between them, as in zyx or zxz"};
  sequence.text = text;
  return {};
}

/// The place of the ball in a joint; false if it has none.
bool find_ball(const JointData& joint, EulerSequence& sequence) {
  sequence.offset = sequence.velocity = 0;
  for (const Primitive& p : joint.primitives) {
    if (p.kind == Primitive::Kind::ball) return true;
    sequence.offset += position_count(p.kind);
    sequence.velocity += velocity_count(p.kind);
  }
  return false;
}

struct Item {
  std::string_view joint, axes;
};

std::optional<Refusal> read_item(const SystemView& view, const Item& item, std::vector<EulerSequence>& out) {
  EulerSequence sequence;
  const bool quaternion = item.axes == "quaternion";
  if (!quaternion)
    if (std::optional<Refusal> refusal = read_axes(item.axes, sequence)) return refusal;
  if (item.joint.empty()) {
    for (std::size_t j = 0; j < view.bodies.size() && !quaternion; ++j) {
      sequence.joint = j;
      if (find_ball(view.joints[j], sequence)) out.push_back(sequence);
    }
    return {};
  }
  while (sequence.joint < view.joints.size() && view.joints[sequence.joint].name != item.joint) ++sequence.joint;
  if (sequence.joint == view.joints.size())
    return Refusal{fmt::format("thompson: angles are given for `{}`, but the model has no such joint", item.joint),
                   "check the spelling of the joint's name"};
  if (!find_ball(view.joints[sequence.joint], sequence))
    return Refusal{
        fmt::format("thompson: angles are given for joint `{}`, which is no spherical or free joint", item.joint),
        "leave it out: other joints have their angles as coordinates anyway"};
  if (sequence.joint >= view.bodies.size())
    return Refusal{
        fmt::format("thompson: angles are given for joint `{}`, which is the cut joint of its loop and has no "
                    "coordinates of its own",
                    item.joint),
        "leave it out, or cut the loop at another joint (`cut: true`)"};
  std::erase_if(out, [&](const EulerSequence& s) { return s.joint == sequence.joint; });
  if (!quaternion) out.push_back(sequence);
  return {};
}

}  // namespace

std::optional<Refusal> read_sequences(const SystemView& view, std::string_view text, std::vector<EulerSequence>& out) {
  std::vector<Item> items;
  while (!trimmed(text).empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view item = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = item.rfind('=');
    if (equals == std::string_view::npos)
      items.push_back({{}, item});
    else
      items.push_back({trimmed(item.substr(0, equals)), trimmed(item.substr(equals + 1))});
    if (equals != std::string_view::npos && items.back().joint.empty())
      return Refusal{fmt::format("thompson: angles `{}` name no joint", item), std::string(example)};
  }
  if (std::count_if(items.begin(), items.end(), [](const Item& i) { return i.joint.empty(); }) > 1)
    return Refusal{"thompson: angles for all joints are given twice", "give one sequence without a joint's name"};
  // What holds for all, then what single joints have of their own.
  std::stable_partition(items.begin(), items.end(), [](const Item& i) { return i.joint.empty(); });
  for (const Item& item : items)
    if (std::optional<Refusal> refusal = read_item(view, item, out)) return refusal;
  return {};
}

}  // namespace polyform::thompson
