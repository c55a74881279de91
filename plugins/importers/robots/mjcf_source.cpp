#include "mjcf_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "named_files.hpp"
#include "solids.hpp"

namespace polyform::importers {

namespace {

constexpr const char* outermost_class = "main";

/// What one model may include.
constexpr std::size_t most_files = 1000, most_bytes = std::size_t{256} << 20;

}  // namespace

MjcfSource::MjcfSource(const ForeignFile& given, DiagnosticSink& sink, Ledger& ledger)
    : name_(given.name), sink_(sink), ledger_(ledger) {
  files_.emplace_back(std::string(given.bytes), given.name, sink);
}

std::string MjcfSource::folder() const { return std::filesystem::path(name_).parent_path().string(); }

bool MjcfSource::open() {
  root_ = files_.front().root();
  if (!root_) return false;
  if (root_.tag() != "mujoco") {
    report().error(
        root_.place(), fmt::format("the outermost element is <{}>, expected <mujoco>", root_.tag()),
        root_.tag() == "mujocoinclude" ? "Give the file that includes this one." : "Check that this is an MJCF file.");
    return false;
  }
  read_compiler();
  classes_[outermost_class];
  for (const Element& section : sections("default")) read_defaults(section, "");
  return errors() == 0;
}

bool MjcfSource::include(const Element& element, std::vector<Element>& into) {
  const std::string key = fmt::format("{}:{}:{}", element.file().name(), element.place().line, element.place().column);
  if (const auto found = included_.find(key); found != included_.end()) {
    into.insert(into.end(), found->second.begin(), found->second.end());
    return true;
  }
  included_[key];  // what is refused is told once
  element.mark(Treatment::honoured);
  const std::string file = element.text("file").value_or("");
  std::filesystem::path path(file);
  if (path.is_relative()) path = std::filesystem::path(folder()) / path;
  const std::optional<std::string> bytes = read_file(path.string());
  if (!bytes) {
    element.report().error(element.place(),
                           fmt::format("the included file {} cannot be read", in_quotes(path.string())),
                           "It is looked for from the folder of the model.");
    return false;
  }
  if (const std::string circle = circle_through(element.file(), path.string()); !circle.empty()) {
    element.report().error(element.place(), fmt::format("files include each other in a circle: {}", circle),
                           "Remove one of these <include> elements.");
    return false;
  }
  bytes_ += bytes->size();
  if (files_.size() >= most_files || bytes_ > most_bytes) {
    element.report().error(element.place(),
                           fmt::format("the model includes more than {} files or {} MiB", most_files, most_bytes >> 20),
                           "Put several files into one, or remove what is included many times.");
    return false;
  }
  XmlFile& parsed = files_.emplace_back(*bytes, path.string(), sink_);
  included_by_[&parsed] = &element.file();
  const Element root = parsed.root();
  if (!root) return false;
  std::vector<Element> all;
  for (const Element& child : root.all()) {
    if (child.tag() == "include")
      include(child, all);
    else
      all.push_back(child);
  }
  into.insert(into.end(), all.begin(), all.end());
  included_[key] = std::move(all);
  return true;
}

std::string MjcfSource::circle_through(const XmlFile& from, const std::string& path) const {
  const auto same = [](const std::string& a, const std::string& b) {
    std::error_code trouble;
    return std::filesystem::equivalent(a, b, trouble);
  };
  std::string chain = path;
  for (const XmlFile* file = &from;;) {
    chain = fmt::format("{} includes {}", file->name(), chain);
    if (same(file->name(), path)) return chain;
    const auto outer = included_by_.find(file);
    if (outer == included_by_.end()) return {};
    file = outer->second;
  }
}

std::vector<Element> MjcfSource::children(const Element& element) {
  std::vector<Element> out;
  for (const Element& child : element.all()) {
    if (child.tag() == "include")
      include(child, out);
    else
      out.push_back(child);
  }
  return out;
}

std::vector<Element> MjcfSource::sections(const char* tag) {
  std::vector<Element> found;
  for (const Element& child : children(root_))
    if (child.tag() == tag) {
      child.mark(Treatment::honoured);
      found.push_back(child);
    }
  return found;
}

std::size_t MjcfSource::errors() {
  std::size_t sum = 0;
  for (XmlFile& file : files_) sum += file.report().errors();
  return sum;
}

void MjcfSource::settle() {
  for (const XmlFile& file : files_)
    file.settle(ledger_, &file == &files_.front() ? std::string_view() : "in an included file");
}

void MjcfSource::tell_named(ConversionSink& sink) const {
  const std::filesystem::path here = folder();
  std::vector<std::filesystem::path> folders{here};
  for (const std::string& name : asset_folders_) folders.push_back(here / name);
  for (const XmlFile& file : files_) tell_named_files(file, folders, {}, sink);
}

void MjcfSource::read_compiler() {
  for (const Element& e : sections("compiler")) {
    for (const char* name : {"meshdir", "texturedir", "assetdir"})
      if (e.has(name)) asset_folders_.insert(e.node().attribute(name).value());
    if (const auto angle = e.word("angle", {"degree", "radian"})) compiler_.degrees = *angle == "degree";
    if (const auto coordinate = e.word("coordinate", {"local", "global"})) compiler_.global = *coordinate == "global";
    if (const auto sequence = e.text("eulerseq")) {
      compiler_.euler_sequence = *sequence;
      if (sequence->size() != 3 || sequence->find_first_not_of("xyzXYZ") != std::string::npos) {
        e.report().error(e.place_of("eulerseq"), fmt::format("{} is no sequence of axes", in_quotes(*sequence)),
                         "Give three of x, y, z, X, Y and Z.");
        compiler_.euler_sequence = "xyz";
      }
    }
    if (const auto from = e.word("inertiafromgeom", {"true", "false", "auto"}))
      compiler_.from_geoms = *from == "true"    ? MjcfCompiler::FromGeoms::always
                             : *from == "false" ? MjcfCompiler::FromGeoms::no
                                                : MjcfCompiler::FromGeoms::where_missing;
    compiler_.bound_mass = e.number("boundmass", compiler_.bound_mass);
    compiler_.bound_inertia = e.number("boundinertia", compiler_.bound_inertia);
    compiler_.total_mass = e.number("settotalmass", compiler_.total_mass);
    compiler_.balance = e.truth("balanceinertia", compiler_.balance);
    compiler_.strip_path = e.truth("strippath", compiler_.strip_path);
    compiler_.discard_visual = e.truth("discardvisual", compiler_.discard_visual);
    compiler_.exact_meshes = e.truth("exactmeshinertia", compiler_.exact_meshes);
    compiler_.auto_limits = e.truth("autolimits", compiler_.auto_limits);
    if (const auto meshes = e.text("meshdir")) compiler_.mesh_folder = *meshes;
    if (const auto meshes = e.text("assetdir"); meshes && compiler_.mesh_folder.empty())
      compiler_.mesh_folder = *meshes;
    if (const auto groups = e.numbers("inertiagrouprange", 2)) {
      compiler_.first_group = (*groups)[0];
      compiler_.last_group = (*groups)[1];
    }
    if (e.truth("fitaabb", false))
      e.mark("fitaabb", Treatment::not_honoured, "shapes that stand for meshes are fitted by their inertia");
    if (e.truth("fusestatic", false))
      e.mark("fusestatic", Treatment::converted,
             "welded bodies move as one anyway; merge_fixed makes one body of them");
    for (const char* name : {"convexhull", "usethread", "texturedir"})
      e.mark(name, Treatment::not_honoured, "changes nothing here");
  }
}

void MjcfSource::read_defaults(const Element& element, const std::string& outer) {
  const std::string name = element.text("class").value_or(outer.empty() ? outermost_class : "");
  if (name.empty()) {
    element.report().error(element.place(), "a class within another has no name", "Add class=\"...\".");
    return;
  }
  const std::string known = outer.empty() ? outermost_class : name;
  Class& of = classes_[known];
  if (known != outermost_class) of.outer = outer;
  if (outer.empty() && name != outermost_class) classes_[name].outer = outermost_class;
  for (const Element& child : children(element)) {
    child.mark(Treatment::honoured);
    if (child.tag() == "default")
      read_defaults(child, known);
    else
      of.elements.push_back(child);
  }
}

std::vector<Element> MjcfSource::levels(const Element& element, std::span<const std::string_view> tags,
                                        const std::string& childclass) {
  std::vector<Element> all{element};
  std::string name = element.text("class").value_or(childclass.empty() ? outermost_class : childclass);
  if (!classes_.contains(name)) {
    const void* const whose = element.has("class") ? element.node().internal_object() : nullptr;
    if (unknown_classes_.insert({whose, name}).second)
      element.report().error(element.place_of("class"), fmt::format("there is no class {}", in_quotes(name)),
                             "Name a class of <default>, or leave it out.");
    name = outermost_class;
  }
  for (std::size_t steps = 0; !name.empty() && steps <= classes_.size(); ++steps) {
    const Class& of = classes_.at(name);
    for (auto e = of.elements.rbegin(); e != of.elements.rend(); ++e)
      if (std::ranges::find(tags, e->tag()) != tags.end()) all.push_back(*e);
    name = name == outermost_class ? "" : of.outer.empty() ? outermost_class : of.outer;
  }
  return all;
}

Element MjcfSource::who_says(const Element& element, const char* tag, const char* attribute,
                             const std::string& childclass) {
  if (element.has(attribute)) return element;
  const std::string_view of_tag = tag;
  for (const Element& level : levels(element, {&of_tag, 1}, childclass))
    if (level.has(attribute)) return level;
  return {};
}

std::vector<Element> MjcfSource::defaults_of(const Element& element, std::span<const std::string_view> tags) {
  std::vector<Element> all = levels(element, tags, "");
  all.erase(all.begin());
  std::ranges::reverse(all);
  return all;
}

double MjcfSource::angle(double x) const { return compiler_.degrees ? x * std::numbers::pi / 180 : x; }

std::optional<Mat3> MjcfSource::orientation_at(const Element& e) {
  const auto refuse = [&](const char* attribute) {
    e.report().error(e.place_of(attribute), fmt::format("`{}` gives no orientation", attribute),
                     "Axes need a length, and two of them different directions.");
    return Mat3::identity();
  };
  if (e.has("axisangle")) {
    const auto a = e.numbers("axisangle", 4);
    if (!a) return Mat3::identity();
    const Vec3 axis{(*a)[0], (*a)[1], (*a)[2]};
    if (!(norm(axis) > 0)) return refuse("axisangle");
    return rotation_matrix(axis_angle((1 / norm(axis)) * axis, angle((*a)[3])));
  }
  if (e.has("xyaxes")) {
    const auto a = e.numbers("xyaxes", 6);
    if (!a) return Mat3::identity();
    Vec3 x{(*a)[0], (*a)[1], (*a)[2]}, y{(*a)[3], (*a)[4], (*a)[5]};
    if (!(norm(x) > 0)) return refuse("xyaxes");
    x = (1 / norm(x)) * x;
    y = y - dot(x, y) * x;
    if (!(norm(y) > 0)) return refuse("xyaxes");
    y = (1 / norm(y)) * y;
    const Vec3 z = cross(x, y);
    return Mat3{{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
  }
  if (e.has("zaxis")) {
    const auto a = e.vector("zaxis");
    if (!a) return Mat3::identity();
    if (!(norm(*a) > 0)) return refuse("zaxis");
    const Vec3 z = (1 / norm(*a)) * *a, across = cross(Vec3{0, 0, 1}, z);
    const double sine = norm(across);
    if (sine < 1e-10) return z.z > 0 ? Mat3::identity() : Mat3{{1, 0, 0, 0, -1, 0, 0, 0, -1}};
    return rotation_matrix(axis_angle((1 / sine) * across, std::atan2(sine, z.z)));
  }
  if (e.has("euler")) {
    const auto a = e.vector("euler");
    if (!a) return Mat3::identity();
    Mat3 whole = Mat3::identity();
    for (std::size_t i = 0; i < 3; ++i) {
      const char letter = compiler_.euler_sequence[i];
      const bool fixed = letter < 'a';
      Vec3 axis;
      axis[static_cast<std::size_t>((fixed ? letter - 'X' : letter - 'x'))] = 1;
      const Mat3 turn = rotation_matrix(axis_angle(axis, angle((*a)[i])));
      whole = fixed ? turn * whole : whole * turn;
    }
    return whole;
  }
  if (e.has("quat")) {
    const auto q = e.numbers("quat", 4);
    if (!q) return Mat3::identity();
    const Quat quat{(*q)[0], (*q)[1], (*q)[2], (*q)[3]};
    return norm(quat) > 0 ? rotation_matrix(quat) : Mat3::identity();  // as MuJoCo takes it
  }
  return std::nullopt;
}

Mat3 MjcfSource::orientation(const Element& element, const char* tag, const std::string& childclass) {
  if (const auto own = orientation_at(element)) return *own;
  const std::string_view of_tag = tag;
  for (const Element& level : levels(element, {&of_tag, 1}, childclass))
    if (const auto axes = orientation_at(level)) return *axes;
  return Mat3::identity();
}

}  // namespace polyform::importers
