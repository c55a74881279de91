// Bodies: mass properties, placement, and the fields of flexible types.
#include <fmt/format.h>

#include "framework/host/reading/model_reader.hpp"

namespace polyform::host::inline reading {

namespace {

template <class T>
void assign(const std::optional<T>& from, T& to) {
  if (from) to = *from;
}

/// inertia.cpp judges it later, when everything that tells the size of the body has been read.
void read_inertia(const Value& value, Sym3& out, std::vector<DoubtfulInertia>& doubtful) {
  constexpr std::string_view unit = "kg m²";
  MapReader map(value);
  if (!map.is_map()) return;
  bool good = true;
  const auto element = [&](std::string_view key, bool required, double& x) {
    const auto entry =
        required ? map.require(key, "a moment of inertia about the centre of mass, in kg m²") : map.find(key);
    const std::optional<double> number = entry ? read_number(*entry, unit) : std::nullopt;
    if (entry ? !number : required) good = false;
    assign(number, x);
  };
  element("xx", true, out.xx);
  element("yy", true, out.yy);
  element("zz", true, out.zz);
  element("xy", false, out.xy);
  element("xz", false, out.xz);
  element("yz", false, out.yz);
  map.finish();
  if (good && shortfall(out) > 0) doubtful.push_back({value.model_place(), value.path().text(), 0, 1});
}

/// False when the type is not known: then the other keys cannot be checked.
bool read_type(Reading& r, MapReader& map, BodyItem& body) {
  const auto type = map.find("type");
  if (!type || type->node().text == "rigid") return true;
  body.flexible = find_type(*type, r.catalog.flexible_bodies, "body", "rigid");
  return body.flexible != nullptr;
}

}  // namespace

void read_mass_properties(MapReader& map, BodyItem& body, std::vector<DoubtfulInertia>& doubtful) {
  const bool required = body.flexible == nullptr;
  const auto mass = required ? map.require("mass", "a rigid body needs one, in kg (0 is allowed)") : map.find("mass");
  if (mass) {
    assign(read_number(*mass, "kg"), body.mass);
    if (body.mass < 0) mass->error(fmt::format("the mass is negative: {} kg", body.mass), "A mass is 0 kg or more.");
  }
  if (const auto centre = map.find("center_of_mass")) assign(read_vector3(*centre, "m"), body.center_of_mass);
  const auto inertia =
      required ? map.require("inertia", "a rigid body needs {xx, yy, zz} about its centre of mass, in kg m²")
               : map.find("inertia");
  if (inertia) read_inertia(*inertia, body.inertia, doubtful);
}

void read_velocities(MapReader& map, BodyItem& body) {
  if (const auto velocity = map.find("velocity")) body.velocity = read_vector3(*velocity, "m/s");
  if (const auto rate = map.find("angular_velocity")) body.angular_velocity = read_vector3(*rate, "rad/s");
}

void read_body_entries(Reading& r, MapReader& map, BodyItem& body, bool in_chain) {
  if (!map.is_map()) return;
  const bool known_type = read_type(r, map, body);
  if (in_chain) {
    map.forbid("name", "the chain names its bodies");
    map.forbid("position", "the chain places its bodies at start + k step");
  } else {
    map.find("name");  // read in the first pass
    if (const auto position = map.find("position")) assign(read_vector3(*position, "m"), body.pose.position);
  }
  if (const auto orientation = map.find("orientation")) assign(read_orientation(*orientation), body.pose.orientation);
  read_velocities(map, body);
  if (const auto geometry = map.find("geometry")) read_geometry(*geometry, r.model, body.geometry, body.pictures);
  if (!known_type) return;
  read_mass_properties(map, body, r.doubtful);
  if (body.flexible) body.fields = r.fields.read(map, body.flexible->fields());
  map.finish();
}

}  // namespace polyform::host::reading
