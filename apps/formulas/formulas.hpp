// The equations of a small system as formulas (Thompson 2011, conclusions: "a starting point ... for symbolic
// expansion"): H2, the reduced mass, force and gyroscopic term, in the model's own parameters as symbols.
//
// This folder is the only one that sees the computer algebra library (GiNaC). It is a library of its own, which the
// command opens when formulas are asked for, so that no other run waits for it. This header shows nothing of GiNaC.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "polyform/contract/system_view.hpp"
#include "polyform/mechanics/body_angles.hpp"

namespace polyform::apps::formulas {

enum class Language { text, latex, c };

struct Request {
  const SystemView* view = nullptr;
  std::vector<BodyAngles> angles;  ///< per body: of the ball in its joint, if it has one
  ConstStateView state;            ///< at which the formulas are evaluated
  Language language = Language::text;
};

/// The values of the formulas at the state: q̈2 in the velocity coordinates of the view's joints, by which they are
/// checked. refusal: why this system has no formulas, or empty.
struct Formulas {
  std::string text, refusal, remedy;
  std::vector<double> accelerations;
};

using Make = void (*)(const Request&, Formulas&);
inline constexpr const char* make_name = "polyform_make_formulas";

/// Trees of rigid bodies with joints of rotations, translations and balls. Bodies carry out their motions in their own
/// axes,
///
///   ω_i = Eᵀ ω_k + S_ω u      v_i = Eᵀ (v_k + ω_k × r) + S_v u      E: rotation from body i to its inboard body k
///
/// so that M̂22 = Σ m V_cᵀ V_c + Ω ᵀ J Ω never holds the orientation over ground, and the sines and cosines of each
/// angle are symbols with s² = 1 − c². A ball is turned by Euler angles; its velocity is ω in the axes after it, and
/// that of a free joint [v_b; ω_b], as in the paper. Weight is part of the formulas, and so is what forces do in joints
/// without balls if they tell a law that is a polynomial (contract/force_law.hpp), such as a spring and damper. All
/// other forces are symbols: a force and a moment on each loaded body, efforts in loaded joints.
extern "C" void polyform_make_formulas(const Request&, Formulas&);

}  // namespace polyform::apps::formulas
