#include "apps/formulas/formulas.hpp"

#include <fmt/format.h>

#include <tuple>

#include "apps/formulas/writing.hpp"

namespace polyform::apps::formulas {
namespace {

/// Why a system has no formulas, and what to do; both empty if it has formulas.
std::pair<std::string, std::string> refusal_of(const SystemView& view) {
  const std::string other = "Without --formulas the equations are shown in numbers.";
  if (!view.cut_joints().empty())
    return {fmt::format("joint `{}` closes a loop, and the null space of a loop has no formula in general",
                        view.cut_joints()[0].name),
            other};
  if (!view.constraints.empty() || !view.modules.empty())
    return {"constraint elements and modules are code, which has no formula", other};
  if (!view.flexible.empty()) return {"flexible bodies are code, which has no formula", other};
  for (const JointData& joint : view.joints) {
    if (joint.kernel != nullptr)
      return {fmt::format("the law of joint `{}` is code, which has no formula", joint.name), other};
    if (joint.reversed)
      for (const Primitive& p : joint.primitives)
        if (p.kind == Primitive::Kind::ball)
          return {fmt::format("joint `{}` leads from its moving body to its base", joint.name),
                  "Exchange base and moving of this joint."};
  }
  return {};
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void polyform_make_formulas(const Request& request, Formulas& out) {
  std::tie(out.refusal, out.remedy) = refusal_of(*request.view);
  if (!out.refusal.empty()) return;
  const auto make = [&](bool intermediates) {
    const Expansion expansion(request, intermediates);
    out.text = write(expansion, request.language);
    out.accelerations = expansion.accelerations();
  };
  try {
    make(false);
  } catch (const Symbols::TooLarge&) {
    make(true);
  }
}

}  // namespace polyform::apps::formulas
