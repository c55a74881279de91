#include "cvode_types.hpp"

#include <exception>

#include "cvode.hpp"

namespace polyform::cvode {

namespace {

/// Options of both types, in this order.
enum Option : std::size_t { max_order };

constexpr std::string_view source =
    "A. C. Hindmarsh et al., SUNDIALS, ACM Trans. Math. Software 31 (2005) 363-396; CVODES of its version 6";

class CvodeType final : public IntegratorType {
 public:
  constexpr CvodeType(std::string_view name, std::string_view meaning, int method, int order, int preference,
                      std::string_view highest)
      : name_(name),
        meaning_(meaning),
        method_(method),
        order_(order),
        preference_(preference),
        fields_{{"max_order",
                 FieldType::integer,
                 "",
                 "highest order of the method",
                 false,
                 highest,
                 {},
                 1,
                 static_cast<double>(order)}} {}
  std::string_view name() const noexcept override { return name_; }
  std::string_view meaning() const noexcept override { return meaning_; }
  std::string_view source() const noexcept override { return cvode::source; }
  Strided<const FieldSpec> fields() const noexcept override { return fields_; }
  int order() const noexcept override { return order_; }
  bool fixed_step() const noexcept override { return false; }
  int preference() const noexcept override { return preference_; }
  Integrator* create(FirstOrderSystem& system, const StepSettings& settings, Strided<const FieldValue> options,
                     DiagnosticSink& sink) const noexcept override {
    try {
      return new Cvode(system, settings, method_, static_cast<int>(options[max_order].integer));
    } catch (const std::exception& why) {
      sink.report(
          {.message = Message("CVODE could not be set up ({})", why.what()), .remedy = "perhaps memory ran out"});
      return nullptr;
    }
  }

 private:
  std::string_view name_, meaning_;
  int method_, order_, preference_;
  FieldSpec fields_[1];
};

}  // namespace

const IntegratorType& adams() noexcept {
  static const CvodeType type("cvode-adams",
                              "adaptive Adams-Moulton multistep method, for smooth motion of large systems", CV_ADAMS,
                              12, 30, "12");
  return type;
}

const IntegratorType& bdf() noexcept {
  static const CvodeType type("cvode-bdf", "adaptive backward differentiation formulas, for stiff systems", CV_BDF, 5,
                              40, "5");
  return type;
}

}  // namespace polyform::cvode
