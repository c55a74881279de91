// The process of a live run, seen from the server: it is made by fork, like those of process.hpp, and takes commands. A
// model that crashes, hangs or takes all memory ends this process alone.
#pragma once

#include <sys/types.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "apps/view/live_work.hpp"

namespace polyform::apps {

class LiveProcess : public std::enable_shared_from_this<LiveProcess> {
 public:
  /// message: called with each message of the work; ended: when the process is gone, with the reason where it did not
  /// end by itself. None is called after stop().
  struct Listener {
    std::function<void(std::string_view)> message;
    std::function<void(const std::string& problem)> ended;
  };

  /// Failure (simulation_failed) when no process can be made.
  static std::shared_ptr<LiveProcess> start(boost::asio::io_context&, const LiveRequest&, Session&, Listener);
  ~LiveProcess();
  LiveProcess(const LiveProcess&) = delete;
  LiveProcess& operator=(const LiveProcess&) = delete;

  /// A JSON text without a line break. It waits until the process reads; of very many that wait the last are lost.
  void command(const std::string& line);
  /// Ends the process at once.
  void stop();
  /// While it is held nothing more is read, so that the run waits for those who look at it.
  void hold(bool held);

 private:
  LiveProcess(boost::asio::io_context& io, Listener listener) : socket_(io), listener_(std::move(listener)) {}
  void read();
  void write();
  void deliver();
  void end();

  boost::asio::local::stream_protocol::socket socket_;
  Listener listener_;
  pid_t id_ = 0;
  bool said_end_ = false, is_held_ = false, is_reading_ = false;
  std::string problem_, received_;
  std::deque<std::string> commands_;  ///< lines that have not been written whole
  std::array<char, 1u << 16> block_{};
};

}  // namespace polyform::apps
