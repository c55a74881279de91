#include "framework/host/columns/body_axes_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "framework/diagnostics.hpp"
#include "framework/host/reading/report.hpp"

namespace polyform::host::inline columns {

namespace {

std::string_view trimmed(std::string_view s) {
  while (s.starts_with(' ')) s.remove_prefix(1);
  while (s.ends_with(' ')) s.remove_suffix(1);
  return s;
}

std::size_t body_named(const System& system, std::string_view name) {
  std::vector<std::string_view> names;
  for (const BodyIndex b : system.bodies()) {
    names.push_back(system.view().bodies[at(b)].name);
    if (names.back() == name) return at(b);
  }
  throw Failure(Exit::bad_input, "Euler angles: there is no body " + show(std::string(name)),
                did_you_mean(std::string(name), names) + "Bodies: " + listing(names) + ".");
}

}  // namespace

std::vector<BodyAngles> body_angles(const System& system, const std::string& text) {
  std::vector<BodyAngles> all(system.view().bodies.size());
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view item = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t equals = item.rfind('=');
    const bool single = equals != std::string_view::npos;
    const std::string_view letters = trimmed(single ? item.substr(equals + 1) : item);
    const auto angles = BodyAngles::read(letters);
    if (!angles)
      throw Failure(
          Exit::bad_input, show(std::string(letters)) + " is no sequence of Euler angles",
          "Give three of x, y, z, neighbours different, each about an axis of the frame that the earlier ones "
          "lead to: zyx for yaw, pitch and roll.");
    if (single)
      all[body_named(system, trimmed(item.substr(0, equals)))] = *angles;
    else
      std::fill(all.begin(), all.end(), *angles);
  }
  return all;
}

BodyAxesColumns::BodyAxesColumns(const System& system, const std::string& euler_angles,
                                 std::vector<Channel>& channels) {
  const std::vector<BodyAngles> angles = body_angles(system, euler_angles);
  for (const BodyIndex b : system.bodies()) {
    const std::size_t body = at(b);
    bodies_.push_back({body, angles[body]});
    const std::string_view name = system.view().bodies[body].name;
    for (const char* quantity : {"vbx", "vby", "vbz"})
      channels.push_back({fmt::format("{}.{}", name, quantity), "m/s"});
    for (const char* quantity : {"wbx", "wby", "wbz"})
      channels.push_back({fmt::format("{}.{}", name, quantity), "rad/s"});
    for (const char* quantity : {"angle1", "angle2", "angle3"})
      channels.push_back({fmt::format("{}.{}", name, quantity), "rad"});
  }
}

double* BodyAxesColumns::put(const Observation& now, double* out) const {
  for (const Body& own : bodies_) {
    const Observation::Body& body = now.bodies[own.body];
    const Mat3 R = rotation_matrix(normalized(body.pose.orientation));
    for (const Vec3& v :
         {transpose_times(R, body.velocity), transpose_times(R, body.angular_velocity), own.angles.of(R)})
      for (std::size_t k = 0; k < 3; ++k) *out++ = v[k];
  }
  return out;
}

}  // namespace polyform::host::inline columns
