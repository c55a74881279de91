#include "gltf_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace polyform {

namespace {

using Json = nlohmann::json;

constexpr std::size_t most_triangles = std::size_t{1} << 22;

/// Ends the reading of a file.
struct Unreadable {
  MeshFault fault;
};
[[noreturn]] void refuse(std::string what, std::size_t line = 0) { throw Unreadable{{std::move(what), line}}; }

std::size_t whole_number(const Json& value, std::string_view name) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > 0xffffffff)
    refuse(fmt::format("'{}' is no whole number from 0 to 4294967295", name));
  return value.get<std::size_t>();
}

std::size_t whole_number(const Json& object, const char* key, std::size_t otherwise) {
  const auto at = object.find(key);
  return at == object.end() ? otherwise : whole_number(*at, key);
}

std::size_t required_number(const Json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end()) refuse(fmt::format("'{}' is missing", key));
  return whole_number(*at, key);
}

std::string text_of(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

bool is_true(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && *at == true;
}

/// The list under a key; an empty one where there is none.
const Json& list_of(const Json& object, const char* key) {
  static const Json empty = Json::array();
  const auto at = object.find(key);
  return at != object.end() && at->is_array() ? *at : empty;
}

/// An entry of a list at the top of the file.
const Json& entry(const Json& file, const char* list, std::size_t index) {
  const Json& all = list_of(file, list);
  if (index >= all.size()) refuse(fmt::format("{}[{}] is named, and there are {}", list, index, all.size()));
  return all[index];
}

template <class T>
T number_at(std::string_view bytes, std::size_t offset) {
  T number{};
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

std::string decoded(std::string_view base64) {
  std::string out;
  out.reserve(base64.size() / 4 * 3);
  std::uint32_t bits = 0;
  int count = 0;
  while (base64.ends_with('=')) base64.remove_suffix(1);
  for (const char c : base64) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t digit = digits.find(c);
    if (digit == std::string_view::npos) refuse("a buffer is no base64 text");
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if ((count += 6) < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xff);
  }
  return out;
}

Json parsed(std::string_view text) {
  try {
    Json file = Json::parse(text);
    if (!file.is_object()) refuse("it is no JSON object");
    return file;
  } catch (const Json::parse_error& problem) {
    const auto until = text.substr(0, std::min(problem.byte, text.size()));
    refuse("it is no JSON text", 1 + static_cast<std::size_t>(std::ranges::count(until, '\n')));
  } catch (const Json::exception&) {
    refuse("a number of its JSON text is too large");
  }
}

/// What a .glb file consists of.
struct Chunks {
  std::string_view json, buffer;
};

Chunks chunks_of(std::string_view bytes) {
  constexpr std::size_t head = 12, chunk_head = 8;
  constexpr std::uint32_t json = 0x4e4f534a, binary = 0x004e4942;
  if (!bytes.starts_with("glTF") || bytes.size() < head) refuse("it does not begin as a .glb file does, with 'glTF'");
  if (const auto version = number_at<std::uint32_t>(bytes, 4); version != 2)
    refuse(fmt::format("its glTF version is {}, and version 2 is read", version));
  Chunks chunks;
  for (std::size_t at = head; at + chunk_head <= bytes.size();) {
    const std::size_t size = number_at<std::uint32_t>(bytes, at);
    const auto kind = number_at<std::uint32_t>(bytes, at + 4);
    at += chunk_head;
    if (size > bytes.size() - at) refuse("the file ends within a chunk");
    if (kind == json && chunks.json.empty()) chunks.json = bytes.substr(at, size);
    if (kind == binary && chunks.buffer.empty()) chunks.buffer = bytes.substr(at, size);
    at += size;
  }
  if (chunks.json.empty()) refuse("it has no chunk of JSON");
  return chunks;
}

/// Extensions without which a file cannot be read; those of materials and textures do not change the triangles.
void check_extensions(const Json& file) {
  for (const Json& item : list_of(file, "extensionsRequired")) {
    const std::string name = item.is_string() ? item.get<std::string>() : std::string();
    const bool is_known = name == "KHR_mesh_quantization" || name.starts_with("KHR_materials_") ||
                          name.starts_with("KHR_texture_") || name.starts_with("EXT_texture_");
    if (!is_known) refuse(fmt::format("it needs the extension '{}'; save it without", name.substr(0, 60)));
  }
}

/// Kinds of components, by their numbers in the file.
enum Kind : std::size_t { i8 = 5120, u8, i16, u16, u32 = 5125, f32 };

std::size_t size_of(std::size_t kind) {
  switch (kind) {
    case i8:
    case u8: return 1;
    case i16:
    case u16: return 2;
    case u32:
    case f32: return 4;
    default: refuse(fmt::format("there is no component type {}", kind));
  }
}

/// Vectors of components that lie at equal distances.
struct Elements {
  std::string_view bytes;  ///< from the first one on
  std::size_t count, stride, kind;
  bool normalized;

  double component(std::size_t element, std::size_t k) const {
    const std::size_t offset = element * stride + k * size_of(kind);
    const auto scaled = [&](double x, double most) { return normalized ? std::max(x / most, -1.0) : x; };
    switch (kind) {
      case i8: return scaled(number_at<std::int8_t>(bytes, offset), 127);
      case u8: return scaled(number_at<std::uint8_t>(bytes, offset), 255);
      case i16: return scaled(number_at<std::int16_t>(bytes, offset), 32767);
      case u16: return scaled(number_at<std::uint16_t>(bytes, offset), 65535);
      case u32: return number_at<std::uint32_t>(bytes, offset);
      default: return number_at<float>(bytes, offset);
    }
  }
};

struct Placement {
  Mat3 axes = Mat3::identity();
  Vec3 origin{};
};

/// A list of so many numbers under a key; the others where there is none.
template <std::size_t n>
std::array<double, n> numbers_of(const Json& object, const char* key, std::array<double, n> otherwise) {
  const auto at = object.find(key);
  if (at == object.end()) return otherwise;
  std::array<double, n> out{};
  if (!at->is_array() || at->size() != n) refuse(fmt::format("'{}' has not {} numbers", key, n));
  for (std::size_t k = 0; k < n; ++k) {
    if (!(*at)[k].is_number()) refuse(fmt::format("'{}' has not {} numbers", key, n));
    out[k] = (*at)[k].template get<double>();
  }
  return out;
}

Placement placement_of(const Json& node) {
  if (node.contains("matrix")) {
    const auto m = numbers_of<16>(node, "matrix", {});  // column after column
    return {{{m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10]}}, {m[12], m[13], m[14]}};
  }
  const auto t = numbers_of<3>(node, "translation", {0, 0, 0}), s = numbers_of<3>(node, "scale", {1, 1, 1});
  const auto q = numbers_of<4>(node, "rotation", {0, 0, 0, 1});
  const Quat turn{q[3], q[0], q[1], q[2]};
  if (!(dot(turn, turn) > 0)) refuse("a 'rotation' is zero");
  const Mat3 scale{{s[0], 0, 0, 0, s[1], 0, 0, 0, s[2]}};
  return {rotation_matrix(normalized(turn)) * scale, {t[0], t[1], t[2]}};
}

class Scene {
 public:
  Scene(const Json& file, std::string_view own_buffer) : file_(file) {
    for (const Json& buffer : list_of(file, "buffers")) {
      const std::string uri = text_of(buffer, "uri");
      constexpr std::string_view mark = ";base64,";
      const std::size_t at = uri.find(mark);
      if (uri.empty())
        buffers_.push_back(buffers_.empty() ? own_buffer : std::string_view());
      else if (uri.starts_with("data:") && at != std::string::npos)
        buffers_.push_back(decoded_.emplace_back(decoded(std::string_view(uri).substr(at + mark.size()))));
      else
        refuse(
            fmt::format("its numbers are in another file, '{}'; save it as .glb, which holds them", uri.substr(0, 60)));
    }
  }

  std::vector<Vec3> corners() {
    const Json& nodes = list_of(file_, "nodes");
    std::vector<std::pair<std::size_t, Placement>> waiting;
    for (const std::size_t root : roots()) waiting.emplace_back(root, Placement{});
    std::vector<bool> seen(nodes.size());
    while (!waiting.empty()) {
      const auto [index, above] = waiting.back();
      waiting.pop_back();
      const Json& node = entry(file_, "nodes", index);
      if (seen[index]) refuse(fmt::format("nodes[{}] stands in two places of the tree", index));
      seen[index] = true;
      const Placement own = placement_of(node), here{above.axes * own.axes, above.axes * own.origin + above.origin};
      for (const Json& child : list_of(node, "children")) waiting.emplace_back(whole_number(child, "children"), here);
      if (!node.contains("mesh")) continue;
      for (const Json& primitive : list_of(entry(file_, "meshes", required_number(node, "mesh")), "primitives"))
        add_primitive(primitive, here);
    }
    return std::move(corners_);
  }

 private:
  /// The nodes at the top of the scene; without scenes, those that are nobody's children.
  std::vector<std::size_t> roots() const {
    std::vector<std::size_t> out;
    if (!list_of(file_, "scenes").empty()) {
      const Json& scene = entry(file_, "scenes", whole_number(file_, "scene", 0));
      for (const Json& node : list_of(scene, "nodes")) out.push_back(whole_number(node, "nodes"));
      return out;
    }
    const Json& nodes = list_of(file_, "nodes");
    std::vector<bool> is_child(nodes.size());
    for (const Json& node : nodes)
      for (const Json& child : list_of(node, "children"))
        if (const std::size_t index = whole_number(child, "children"); index < is_child.size()) is_child[index] = true;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (!is_child[i]) out.push_back(i);
    return out;
  }

  Elements elements(std::size_t accessor_index, std::string_view type, std::size_t components) const {
    const Json& accessor = entry(file_, "accessors", accessor_index);
    if (text_of(accessor, "type") != type)
      refuse(fmt::format("accessors[{}] is not of the type {}", accessor_index, type));
    if (accessor.contains("sparse") || !accessor.contains("bufferView"))
      refuse(fmt::format("accessors[{}] is sparse, which is not read", accessor_index));
    const Json& view = entry(file_, "bufferViews", required_number(accessor, "bufferView"));
    const std::size_t buffer = required_number(view, "buffer");
    if (buffer >= buffers_.size())
      refuse(fmt::format("buffers[{}] is named, and there are {}", buffer, buffers_.size()));
    Elements out{.bytes = buffers_[buffer],
                 .count = required_number(accessor, "count"),
                 .stride = 0,
                 .kind = required_number(accessor, "componentType"),
                 .normalized = is_true(accessor, "normalized")};
    const std::size_t size = components * size_of(out.kind), first = whole_number(accessor, "byteOffset", 0),
                      begin = whole_number(view, "byteOffset", 0), length = required_number(view, "byteLength");
    out.stride = whole_number(view, "byteStride", size);
    if (begin + length > out.bytes.size() || (out.count > 0 && first + (out.count - 1) * out.stride + size > length))
      refuse(fmt::format("accessors[{}] reaches beyond the end of its buffer", accessor_index));
    out.bytes.remove_prefix(std::min(begin + first, out.bytes.size()));
    return out;
  }

  /// The numbers of the vertices that a primitive joins; nothing: all in their order.
  std::optional<Elements> indices_of(const Json& primitive) const {
    const auto given = primitive.find("indices");
    if (given == primitive.end()) return std::nullopt;
    const Elements indices = elements(whole_number(*given, "indices"), "SCALAR", 1);
    if (indices.kind != u8 && indices.kind != u16 && indices.kind != u32)
      refuse("the indices of a primitive are of another component type than 5121, 5123 and 5125");
    return indices;
  }

  void add_primitive(const Json& primitive, const Placement& place) {
    constexpr std::size_t triangles = 4, strip = 5, fan = 6;
    const std::size_t mode = whole_number(primitive, "mode", triangles);
    if (mode < triangles) return;  // points and lines
    if (mode > fan) refuse(fmt::format("there is no mode {} of a primitive", mode));
    const auto attributes = primitive.find("attributes");
    if (attributes == primitive.end()) refuse("a primitive has no 'attributes'");
    const Elements points = elements(required_number(*attributes, "POSITION"), "VEC3", 3);
    const std::optional<Elements> indices = indices_of(primitive);
    const std::size_t count = indices ? indices->count : points.count;
    const auto corner = [&](std::size_t k) {
      return vertex(points, indices ? static_cast<std::size_t>(indices->component(k, 0)) : k, place);
    };
    const bool is_mirrored = dot(column(place.axes, 0), cross(column(place.axes, 1), column(place.axes, 2))) < 0;
    for (std::size_t k = 0; k + 3 <= count; k += mode == triangles ? 3 : 1) {
      if (corners_.size() >= 3 * most_triangles) refuse(fmt::format("it has more than {} triangles", most_triangles));
      // Every second triangle of a strip is written the other way round.
      const bool is_turned = (mode == strip && k % 2 == 1) != is_mirrored;
      const Vec3 a = corner(mode == fan ? 0 : k), b = corner(k + 1), c = corner(k + 2);
      corners_.insert(corners_.end(), {a, is_turned ? c : b, is_turned ? b : c});
    }
  }

  static Vec3 column(const Mat3& m, std::size_t k) { return {m.m[k], m.m[3 + k], m.m[6 + k]}; }

  static Vec3 vertex(const Elements& points, std::size_t index, const Placement& place) {
    if (index >= points.count) refuse(fmt::format("a triangle names vertex {}, and there are {}", index, points.count));
    const Vec3 p{points.component(index, 0), points.component(index, 1), points.component(index, 2)};
    const Vec3 placed = place.axes * p + place.origin;
    if (!std::isfinite(dot(placed, placed))) refuse(fmt::format("vertex {} is not finite", index));
    return placed;
  }

  const Json& file_;
  std::vector<std::string_view> buffers_;
  std::deque<std::string> decoded_;  ///< those that the file holds as text
  std::vector<Vec3> corners_;
};

}  // namespace

std::optional<std::vector<Vec3>> gltf_corners(std::string_view bytes, bool is_binary, MeshFault& fault) {
  try {
    const Chunks chunks = is_binary ? chunks_of(bytes) : Chunks{.json = bytes, .buffer = {}};
    const Json file = parsed(chunks.json);
    check_extensions(file);
    return Scene(file, chunks.buffer).corners();
  } catch (const Unreadable& problem) {
    fault = problem.fault;
  }
  return std::nullopt;
}

}  // namespace polyform
