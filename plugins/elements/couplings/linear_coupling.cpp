#include "linear_coupling.hpp"

#include "polyform/helpers/element_helpers.hpp"

namespace polyform::couplings {

AttachedJoint attached_joint(Strided<const FieldSpec> specs, const ElementInstance& instance, std::size_t k) noexcept {
  for (std::size_t f = 0; f < specs.size(); ++f) {
    const FieldValue& value = instance.fields[f];
    if (specs[f].type == FieldType::joint && k-- == 0) return {value.joint, f};
    if (specs[f].type != FieldType::joints) continue;
    if (k < value.joints.size()) return {value.joints[k], f};
    k -= value.joints.size();
  }
  return {};
}

namespace {

///   position      Σ f q = 0
///   velocity      Σ f v = 0
///   acceleration  Σ f v̇ = 0
class LinearCouplings final : public ConstraintBatch {
 public:
  LinearCouplings(const LinearCoupling& type, Strided<const ElementInstance> instances) {
    std::size_t q = 0, v = 0;
    for (const ElementInstance& i : instances) {
      std::size_t nq = 0, nv = 0;
      for (const JointShape& joint : i.joints) {
        nq += joint.nq;
        nv += joint.nv;
      }
      const auto joint_of = [&](std::size_t k) { return attached_joint(type.fields(), i, k).joint; };
      const std::size_t rows = type.rows(i);
      for (std::size_t row = 0; row < rows; ++row) {
        firsts_.push_back(terms_.size());
        for (std::size_t k = 0; k < i.joints.size(); ++k) {
          const double f = type.factor(i, row, k);
          const Place at = place_among(i, k, type.motion(k), joint_of);
          if (f != 0) terms_.push_back({q + at.q, v + row * nv + at.v, f});
        }
      }
      q += nq;
      v += rows * nv;
    }
    firsts_.push_back(terms_.size());
  }
  void evaluate(const ForceInput& in, ConstraintOutput& out) noexcept override {
    for (std::size_t row = 0; row + 1 < firsts_.size(); ++row)
      for (std::size_t k = firsts_[row]; k < firsts_[row + 1]; ++k) {
        const Term& term = terms_[k];
        out.residual[row] += term.factor * in.q[term.q];
        out.B[term.in_B] += term.factor;
      }
  }
  void destroy() noexcept override { delete this; }

 private:
  struct Term {
    std::size_t q, in_B;
    double factor;
  };
  std::vector<Term> terms_;
  std::vector<std::size_t> firsts_;  ///< for each row, the number of its first term
};

}  // namespace

bool LinearCoupling::check(const ElementInstance&, std::size_t, FieldSink&) const noexcept { return true; }

bool LinearCoupling::define(ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept {
  for (std::size_t k = 0; k < i.joints.size(); ++k) {
    const AttachedJoint attached = attached_joint(fields(), i, k);
    const bool turns = motion(k) == Primitive::Kind::rotation;
    if (!place_of(i.joints[k], motion(k))) {
      sink.report(Severity::error, number, attached.field,
                  turns ? "the joint has no angle whose rate is a velocity of the joint"
                        : "the joint has no displacement whose rate is a velocity of the joint",
                  turns ? "Name a revolute or cylindrical joint." : "Name a prismatic or cylindrical joint.");
      return false;
    }
    for (std::size_t other = 0; other < k; ++other)
      if (attached_joint(fields(), i, other).joint == attached.joint && motion(other) == motion(k)) {
        sink.report(Severity::error, number, attached.field, "the joint is coupled to itself", "Name another joint.");
        return false;
      }
  }
  const std::size_t wrong = needs_same_base() ? first_on_other_base(i.joints) : first_without_common_body(i.joints);
  if (wrong < i.joints.size()) {
    sink.report(Severity::error, number, attached_joint(fields(), i, wrong).field,
                needs_same_base() ? "the joint is based on another body than the first one, so their motions cannot "
                                    "be added"
                                  : "no body takes part in this joint and in all before it, so their motions are not "
                                    "relative to one housing",
                "Name joints of one housing, or couple the rates relative to one body with a formula-constraint: "
                "velocity: {expression: \"...\"}.");
    return false;
  }
  return check(i, number, sink);
}

ConstraintBatch* LinearCoupling::create(Strided<const ElementInstance> instances) const noexcept {
  return make_batch<LinearCouplings>(*this, instances);
}

}  // namespace polyform::couplings
