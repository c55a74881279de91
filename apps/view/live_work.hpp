// What the process of a live run does: it reads the model, tells what is wrong with it or what it looks like, and runs
// it in step with the clock on the wall.
//
// Messages to the page are JSON texts after a letter `J`, and rows of results (64-bit numbers, least byte first) after
// a letter `R`. Messages from the page are JSON texts, one a line.
#pragma once

#include <string>
#include <vector>

#include "apps/session/session.hpp"
#include "framework/host/process/process.hpp"

namespace polyform::apps {

struct LiveRequest {
  ModelArguments model;
  RunArguments run;
  std::string solver;
  std::vector<std::string> options;
  double speed = 0;     ///< seconds of the run in one of the wall clock; infinity: as fast as it goes; 0: fitted
  bool paused = false;  ///< from the start
};

/// The whole work. `commands` is a socket that the lines come from; its end ends the work.
void do_live_work(const LiveRequest&, Session&, const host::Messenger&, int commands);

}  // namespace polyform::apps
