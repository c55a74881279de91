// The commands of a person to a live run, and the pace of the run.
#pragma once

#include <chrono>
#include <string>

#include "apps/view/push_force.hpp"

namespace polyform::apps {

class LiveCommands {
 public:
  /// `commands` is a socket with one JSON text a line: {"do": "pause", "value": true}, {"do": "speed", "value": 0.5}
  /// (null: as fast as it goes), {"do": "push", "body": 0, "point": [x, y, z], "force": [x, y, z]}, {"do": "release"}.
  LiveCommands(int commands, double speed, bool paused) : socket_(commands), speed_(speed), paused_(paused) {}

  /// Waits until the wall clock has come to this time of the run, and takes the commands that come meanwhile. False if
  /// nobody listens any more.
  bool keep_pace(double time);
  const Push& push() const { return push_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool take(int milliseconds);
  void obey(const std::string& line);
  void begin_pace(double time);

  int socket_;
  double speed_;
  bool paused_, is_begun_ = false;
  Push push_;
  double reached_ = 0, base_time_ = 0;
  Clock::time_point base_;
  std::string text_;
};

}  // namespace polyform::apps
