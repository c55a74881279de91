#include "hanging_importer.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <exception>
#include <string>

namespace example {
namespace {

using namespace polyform;

constexpr std::string_view first_line = "hanging 1";

enum Field : std::size_t { plane };
constexpr std::array<std::string_view, 2> planes{"xz", "yz"};
constexpr std::array specs{FieldSpec{.name = "plane",
                                     .type = FieldType::choice,
                                     .unit = "",
                                     .meaning = "the plane in which the rods are drawn",
                                     .default_text = "xz",
                                     .choices = planes}};

/// A rod of the file.
struct Rod {
  double length = 0, mass = 0, angle = 0;  // m, kg, rad from the vertical
};

/// The numbers of a line, all of them; false if it holds something else.
bool read_rod(std::string_view line, Rod& rod) {
  for (double* number : {&rod.length, &rod.mass, &rod.angle}) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    const auto [end, problem] = std::from_chars(line.data(), line.data() + line.size(), *number);
    if (problem != std::errc() || !std::isfinite(*number)) return false;
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  }
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

/// Writes the model on its way down the chain.
class Chain {
 public:
  explicit Chain(bool in_xz) : in_xz_(in_xz) {}

  void add(const Rod& rod) {
    const std::string name = fmt::format("rod_{}", ++count_);
    const double inertia = rod.mass * rod.length * rod.length / 12;
    bodies_ += fmt::format(
        "  - {{name: {}, position: {}, orientation: {{axis: {}, angle: {}}}, mass: {}, center_of_mass: [0, 0, {}],\n"
        "     inertia: {{xx: {}, yy: {}, zz: 0}}}}\n",
        name, point(), axis(), in_xz_ ? -rod.angle : rod.angle, rod.mass, -rod.length / 2, inertia, inertia);
    joints_ += fmt::format("  - {{name: hinge_{}, type: revolute, base: {}, moving: {}, position: {}, axis: {}}}\n",
                           count_, count_ == 1 ? "ground" : fmt::format("rod_{}", count_ - 1), name, point(), axis());
    along_ += rod.length * std::sin(rod.angle);
    down_ += rod.length * std::cos(rod.angle);
  }
  std::size_t count() const { return count_; }
  std::string text() const { return "polyform: 1\nbodies:\n" + bodies_ + "joints:\n" + joints_; }

 private:
  std::string point() const {
    return in_xz_ ? fmt::format("[{}, 0, {}]", along_, -down_) : fmt::format("[0, {}, {}]", along_, -down_);
  }
  const char* axis() const { return in_xz_ ? "[0, 1, 0]" : "[1, 0, 0]"; }

  bool in_xz_;
  std::size_t count_ = 0;
  double along_ = 0, down_ = 0;
  std::string bodies_, joints_;
};

bool convert(const ForeignFile& file, bool in_xz, ConversionSink& sink) {
  Chain chain(in_xz);
  std::size_t comments = 0, number = 0;
  bool good = true;
  for (std::string_view rest = file.bytes; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (++number == 1) continue;
    if (line.starts_with('#')) {
      ++comments;
    } else if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
      Rod rod;
      if (read_rod(line, rod) && rod.length > 0 && rod.mass > 0) {
        chain.add(rod);
        continue;
      }
      sink.diagnostics().report(
          {.message = "a rod is a length in m and a mass in kg, both above 0, and an angle in rad",
           .remedy = "Write three numbers, such as: 1.5 2 0.3",
           .file = file.name,
           .line = static_cast<std::int32_t>(number),
           .column = 1});
      good = false;
    }
  }
  if (good && chain.count() == 0)
    sink.diagnostics().report(
        {.message = "the file has no rods", .remedy = "Write a line for each.", .file = file.name});
  if (!good || chain.count() == 0) return false;
  sink.text(chain.text());
  sink.finding({.treatment = Treatment::honoured, .what = "rod", .count = chain.count()});
  if (comments > 0)
    sink.finding({.treatment = Treatment::not_honoured, .what = "comment", .remark = "", .count = comments});
  return true;
}

class HangingImporter final : public ImporterType {
 public:
  std::string_view name() const noexcept override { return "hanging"; }
  std::string_view meaning() const noexcept override { return "a chain of rods, a line for each"; }
  std::string_view source() const noexcept override { return "the guide of Polyform's SDK"; }
  std::string_view extensions() const noexcept override { return ".hanging"; }
  Strided<const FieldSpec> fields() const noexcept override { return specs; }
  bool recognises(std::string_view bytes) const noexcept override { return bytes.starts_with(first_line); }
  std::string_view example() const noexcept override {
    return "hanging 1\n# length mass angle\n1.5 2 0.3\n0.5 1 -0.2\n";
  }
  Status import_model(const ForeignFile& file, Strided<const FieldValue> values,
                      ConversionSink& sink) const noexcept override {
    try {
      return convert(file, values[plane].integer == 0, sink) ? Status::ok : Status::failed;
    } catch (const std::exception& problem) {
      sink.diagnostics().report({.message = problem.what(), .file = file.name});
      return Status::failed;
    }
  }
};

}  // namespace

const ImporterType& hanging_importer() noexcept {
  static constexpr HangingImporter type;
  return type;
}

}  // namespace example
