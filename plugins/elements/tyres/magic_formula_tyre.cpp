// A tyre whose forces along the road are those of Pacejka's magic formula.
#include <array>
#include <cmath>
#include <new>

#include "magic_formula.hpp"
#include "tyre_types.hpp"

namespace polyform::tyres {
namespace {

enum Field : std::size_t { tir = first_own_field, friction_scale, pressure, mounted };
constexpr std::array<std::string_view, 2> sides{"left", "right"};
constexpr auto specs = tyre_fields(std::array{
    FieldSpec{.name = "tir",
              .type = FieldType::text,
              .unit = "file",
              .meaning = "a .tir file of version 5 or 6.1 of the formula, from the folder of the model; default: a "
                         "made-up symmetric tyre of a car, 4000 N of nominal load"},
    FieldSpec{.name = "friction_scale",
              .type = FieldType::number,
              .unit = "1",
              .meaning = "of this road, as a share of that on which the tyre was measured",
              .default_text = "1",
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "pressure",
              .type = FieldType::number,
              .unit = "Pa",
              .meaning = "of the tyre, over what the file says (INFLPRES, else NOMPRES); for files of version 6.1",
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "side",
              .type = FieldType::choice,
              .unit = "",
              .meaning = "of the vehicle, on which the wheel is: the tyre of a file whose TYRESIDE is the other one is "
                         "mirrored; default: as measured",
              .choices = sides}});

class Magic {
 public:
  explicit Magic(const ElementInstance& i) {
    if (i.fields[tir].given) formula_.read(i.fields[tir].text);
    if (i.fields[pressure].given) formula_.fill(i.fields[pressure].number);
    if (i.fields[mounted].given)
      formula_.mount(i.fields[mounted].integer == 0 ? MagicFormula::Side::left : MagicFormula::Side::right);
    formula_.LMUX *= i.fields[friction_scale].number;
    formula_.LMUY *= i.fields[friction_scale].number;
  }
  RoadForces forces(const RollingState& s) const noexcept {
    const MagicForces f = formula_.forces(s.load, s.kappa, -std::atan(s.tan_alpha), s.camber, s.speed);
    return {f.fx, f.fy, f.mz, f.my * std::tanh(s.speed / creeping), f.mx};
  }
  double length_x(double load, double camber) const noexcept { return formula_.length_x(load, camber); }
  double length_y(double load, double camber) const noexcept { return formula_.length_y(load, camber); }

 private:
  MagicFormula formula_;
};

class MagicFormulaTyre final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "magic-formula-tyre",
        .meaning =
            "a tyre that drives, brakes and steers by Pacejka's magic formula, 5.2 or 6.1, on a level or an uneven "
            "road",
        .fields = specs,
        .states = rolling_states,
        .outputs = rolling_outputs};
    return descriptor;
  }
  bool define(ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept override {
    if (!check_wheel(i, number, sink)) return false;
    const auto refuse_pressure = [&] {
      sink.report(Severity::error, number, pressure, "the formula of this tyre knows no pressure",
                  "Give a .tir file of version 6.1 (FITTYP = 61), or leave the pressure out.");
      return false;
    };
    const auto refuse_side = [&] {
      sink.report(Severity::error, number, mounted, "nothing tells on which side this tyre was measured",
                  "Give a .tir file with TYRESIDE = 'LEFT', 'RIGHT' or 'SYMMETRIC', or leave the side out.");
      return false;
    };
    if (!i.fields[tir].given) return !i.fields[pressure].given || refuse_pressure();
    try {
      MagicFormula formula;
      const auto mistake = formula.read(i.fields[tir].text);
      if (!mistake && i.fields[mounted].given && formula.side() == MagicFormula::Side::unsaid) return refuse_side();
      if (!mistake && !formula.has_nominal_load()) {
        sink.report(Severity::error, number, tir,
                    "the file gives no FNOMIN, the load that all its coefficients refer to",
                    "Add it to the file, or check how it is spelt there.");
        return false;
      }
      if (!mistake && !formula.missing().empty())
        sink.report(Severity::warning, number, tir,
                    Message("the file does not give {}: the values of a made-up tyre stand for them, and the forces "
                            "are those of neither",
                            formula.missing()),
                    "Add them to the file.");
      if (!mistake && !formula.unknown().empty())
        sink.report(Severity::warning, number, tir,
                    Message("the formula has no coefficients {}: the file gives them in vain", formula.unknown()),
                    "Check their names against the version of the file (FITTYP).");
      if (const std::string missing = formula.left_out(); !mistake && !missing.empty())
        sink.report(Severity::note, number, tir,
                    Message("the file gives no coefficients of {}: those of a made-up tyre stand for them", missing),
                    "Add them to the file, or see whether the motion asks for them.");
      if (!mistake) return !i.fields[pressure].given || formula.knows_pressure() || refuse_pressure();
      sink.report(Severity::error, number, tir, Message("line {}: {}", mistake->line, mistake->what),
                  "Give a .tir file of the magic formula 5.0 to 5.2 or 6.1, with lines NAME = number and known units.");
    } catch (const std::bad_alloc&) {
      sink.report(Severity::error, number, tir, "no memory is left for the file", "Give a smaller one.");
    }
    return false;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<RollingTyres<Magic>>(instances);
  }
};

}  // namespace

const ForceType& magic_formula_tyre() noexcept {
  static constexpr MagicFormulaTyre type;
  return type;
}

}  // namespace polyform::tyres
