// The server of `view`: one page and its stream of messages, for programs of this machine that know the token.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace polyform::apps {

/// A number that nobody guesses, 32 hexadecimal digits. Failure (simulation_failed) if the system has none.
std::string make_token();

/// Listens on 127.0.0.1 alone. It reads no file: it has the page, and nothing else has an address. A request needs the
/// token, the name of this machine as its host, and a page of this server as its origin, so that neither other users
/// nor pages of other sites reach the run.
class LiveServer {
 public:
  struct Content {
    std::string page;                                    ///< HTML
    std::function<std::vector<std::string>()> so_far;    ///< messages for a page that begins to listen
    std::function<bool(std::string_view message)> take;  ///< of a page; false: no such message
    std::function<void(bool)> hold;                      ///< whether some page is behind with reading
  };

  /// port 0: one that is free. Failure (bad_input) when the port cannot be had.
  LiveServer(boost::asio::io_context&, unsigned short port, std::string token, Content);
  ~LiveServer();

  unsigned short port() const { return acceptor_.local_endpoint().port(); }
  std::string address() const;
  /// To all pages: texts after a letter J, numbers after a letter R.
  void send(std::string_view message);
  /// Ends all connections.
  void stop();

 private:
  class Connection;
  friend class Connection;
  void accept();
  /// Why a request is refused, with its status; 0 if it is not.
  int refusal(std::string_view method, std::string_view target, std::string_view host, std::string_view origin,
              bool upgrade) const;
  void weigh();

  boost::asio::ip::tcp::acceptor acceptor_;
  std::string token_;
  Content content_;
  std::set<std::shared_ptr<Connection>> listeners_;
};

}  // namespace polyform::apps
