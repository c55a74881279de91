// The library: read a model, run it with any solver, and take what comes out.
//
//   #include <polyform/polyform.hpp>
//   namespace pf = polyform::library;
//
//   const pf::Model model = pf::Model::read("rod.yaml");
//   const pf::Result result = model.run({.duration = 5});
//   for (const double z : result.column("rod.z")) ...
//
// A program finds it by find_package(polyform) and links polyform::polyform. What is behind these headers is hidden:
// they use the standard library alone. Plugins are found as the command finds them: in the folders given, in those of
// POLYFORM_PLUGIN_PATH, in the installation that the library belongs to.
//
// Everything that goes wrong is one exception, Error, with what, where, why and what to do. Models and results may be
// used by several threads at once; a solver by one at a time.
//
// The command guards a run against plugins that crash, hang or take all memory, by signals and processes of its own.
// The library leaves signals, limits and streams of its program alone: a plugin that crashes ends the program. Only
// Model::compare and Model::study run solvers in processes of their own, which are copies of the program (fork): a
// crash there costs one row.
#pragma once

#include "polyform/library/error.hpp"
#include "polyform/library/function_force.hpp"
#include "polyform/library/model.hpp"
#include "polyform/library/requests.hpp"
#include "polyform/library/result.hpp"
#include "polyform/library/solver.hpp"
#include "polyform/library/value.hpp"
