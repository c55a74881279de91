// Settings of runs that are compared with closed forms.
#pragma once

#include "tests/support/integrators.hpp"

namespace polyform::test {

/// dop853 with a relative tolerance of 1e-10, and ten rows. duration: s.
inline host::RunSettings exact_run(double duration) {
  host::RunSettings s = run_settings("dop853");
  s.duration = duration;
  s.output_interval = duration / 10;
  s.step = duration / 100;
  s.relative_tolerance = 1e-10;
  s.absolute_tolerance = 1e-12;
  return s;
}

}  // namespace polyform::test
