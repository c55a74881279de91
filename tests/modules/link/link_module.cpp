#include "link_module.hpp"

#include <array>
#include <vector>

#include "polyform/helpers/element_helpers.hpp"

namespace links {
namespace {

using namespace polyform;

enum Field : std::size_t { a, b, length, stretch };
constexpr std::array specs{
    FieldSpec{
        .name = "a", .type = FieldType::marker, .unit = "", .meaning = "one end: a point of a body", .required = true},
    FieldSpec{.name = "b",
              .type = FieldType::marker,
              .unit = "",
              .meaning = "the other end: a point of another body",
              .required = true},
    FieldSpec{.name = "length",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "of the rod",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "stretch",
              .type = FieldType::time_function,
              .unit = "m",
              .meaning = "what the rod is longer by, as a function of time",
              .default_text = "0"}};

constexpr std::array<Variable, 1> row_names{{{.name = "tension", .unit = "N", .holonomic = true}}};

/// One row and no variable: the multiplier is the force in the rod, positive in compression. With r from a to b, its
/// length |r|, its direction n and the wanted length l(t):
///
///   position      |r| − l = 0
///   velocity      n · (v_b − v_a) = l̇
///   acceleration  n · (a_b − a_a) = l̈ − (ṙ·ṙ − (n·ṙ)²) / |r|
class Links final : public ModuleBatch {
 public:
  explicit Links(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances) {
      links_.push_back({i.fields[length].number, {}, i.fields[stretch].given});
      if (i.fields[stretch].given) links_.back().stretch = i.fields[stretch].functions[0];
    }
  }
  void evaluate(const ModuleInput& in, ModuleOutput& out) noexcept override {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const MarkerMotion &from = in.attachments->markers[2 * i], &to = in.attachments->markers[2 * i + 1];
      const Vec3 r = to.position - from.position, rate = to.velocity - from.velocity;
      const double distance = norm(r);
      // If the ends coincide, the rod has no direction: any will do to draw them apart.
      const Vec3 n = distance > 0 ? (1 / distance) * r : Vec3{1, 0, 0};
      const TimeFunction::Value more =
          links_[i].stretches ? links_[i].stretch(in.attachments->time) : TimeFunction::Value{};
      const double along = dot(n, rate), turning = dot(rate, rate) - along * along;
      out.C[2 * i] = {{}, -n};
      out.C[2 * i + 1] = {{}, n};
      out.residual[i] = distance - links_[i].length - more.value;
      out.velocity_right[i] = more.rate;
      out.acceleration_right[i] = more.acceleration - (distance > 0 ? turning / distance : 0);
    }
  }
  void initial_state(std::span<double>, std::span<double>) const noexcept override {}
  void destroy() noexcept override { delete this; }

 private:
  struct Link {
    double length;
    TimeFunction stretch;
    bool stretches;
  };
  std::vector<Link> links_;
};

class LinkModule final : public ModuleType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{.name = "link",
                                               .meaning = "a massless rod that keeps two points at a distance",
                                               .fields = specs,
                                               .rows = row_names};
    return descriptor;
  }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    if (instance.markers[0].body != instance.markers[1].body) return true;
    sink.report(Severity::error, number, b, "both ends are fixed in the same body: nothing is left to constrain",
                "Attach one of them to another body.");
    return false;
  }
  ModuleBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<Links>(instances);
  }
};

}  // namespace

const ModuleType& link_module() noexcept {
  static constexpr LinkModule type;
  return type;
}

}  // namespace links
