// What `view` shows: the model file as it stands, its run, and what its viewers ask for.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "apps/view/live_process.hpp"

namespace polyform::apps {

/// Runs the model anew whenever its file or a parameter changes.
class LiveSession {
 public:
  /// send: takes each message for all pages, as live_work.hpp describes them.
  LiveSession(boost::asio::io_context&, Session&, LiveRequest, std::function<void(std::string_view)> send);

  void start();
  void stop();
  /// What a page sends, a JSON text: {"do": "restart"}, {"do": "set", "name": "k", "value": 2}, {"do": "reset"} for all
  /// parameters as the file has them, or what LiveCommands takes. False if it is none of these.
  bool take(std::string_view text);
  /// The messages that a page needs which is opened later: the model, its rows, and how they ended.
  std::vector<std::string> so_far() const;
  /// Holds the run while a viewer is behind with reading.
  void hold(bool held);

 private:
  struct Stamp {
    std::filesystem::file_time_type time{};
    std::uintmax_t size = 0;
    bool operator==(const Stamp&) const = default;
  };
  Stamp stamp() const;
  void follow_file();
  void restart();
  void hear(std::string_view message);

  boost::asio::io_context& io_;
  Session& session_;
  LiveRequest request_;
  std::function<void(std::string_view)> send_;
  boost::asio::steady_timer timer_;
  std::shared_ptr<LiveProcess> process_;
  std::map<std::string, double, std::less<>> parameters_;  ///< that a viewer has set
  std::vector<std::string> typed_;                         ///< values of the command line
  Stamp seen_;
  bool is_changing_ = false;
  std::string model_, state_;     ///< the last model, and the errors or the end that came after it
  std::deque<std::string> rows_;  ///< of the last model, as they were sent
  std::size_t kept_ = 0;          ///< their bytes
};

}  // namespace polyform::apps
