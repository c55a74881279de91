#include "apps/view/live_server.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <cstring>
#include <deque>

#include "framework/diagnostics.hpp"

namespace polyform::apps {

namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using boost::asio::ip::tcp;

namespace {

constexpr std::size_t longest_request = 16u << 10;  // bytes: header of a request
constexpr std::size_t longest_message = 64u << 10;  // bytes: of a page
constexpr std::size_t behind = 4u << 20;            // bytes that wait for a page, before the run waits for it
constexpr std::size_t most_pages = 16;
constexpr std::chrono::seconds patience{10};  // for a request

std::string_view text_of(beast::string_view text) { return {text.data(), text.size()}; }

/// In a time that does not tell how much of it is right.
bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned different = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    different |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  return different == 0;
}

}  // namespace

std::string make_token() {
  unsigned char bytes[16];
  if (::getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes))
    throw host::Failure(host::Exit::simulation_failed, "the system has no random numbers for a token");
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

/// One connection: a request, its answer, and where it asks for that the stream of messages.
class LiveServer::Connection : public std::enable_shared_from_this<LiveServer::Connection> {
 public:
  Connection(LiveServer& server, tcp::socket socket) : server_(&server), stream_(std::move(socket)) {}

  void begin() {
    beast::get_lowest_layer(stream_).expires_after(patience);
    parser_.header_limit(longest_request);
    parser_.body_limit(longest_request);
    http::async_read(stream_.next_layer(), buffer_, parser_,
                     [self = shared_from_this()](beast::error_code problem, std::size_t) {
                       if (!problem && self->server_ != nullptr) self->answer();
                     });
  }

  void send(std::string message) {
    waiting_ += message.size();
    queue_.push_back(std::move(message));
    if (queue_.size() == 1) write();
  }
  std::size_t waiting() const { return waiting_; }

  /// The server is going.
  void forget() {
    server_ = nullptr;
    beast::error_code ignored;
    beast::get_lowest_layer(stream_).socket().shutdown(tcp::socket::shutdown_both, ignored);
    beast::get_lowest_layer(stream_).close();
  }

 private:
  void answer() {
    const auto& request = parser_.get();
    const bool upgrade = websocket::is_upgrade(request);
    const int refused =
        server_->refusal(text_of(request.method_string()), text_of(request.target()),
                         text_of(request[http::field::host]), text_of(request[http::field::origin]), upgrade);
    if (refused != 0) return reply(static_cast<http::status>(refused), "text/plain; charset=utf-8", reason(refused));
    if (upgrade) return open();
    reply(http::status::ok, "text/html; charset=utf-8", server_->content_.page);
  }

  static std::string reason(int status) {
    return status == 403   ? "This address needs the token that polyform view has printed.\n"
           : status == 405 ? "Only GET and HEAD are understood here.\n"
           : status == 503 ? "Too many pages are open.\n"
                           : "There is nothing here.\n";
  }

  void reply(http::status status, const char* type, std::string body) {
    const auto& request = parser_.get();
    response_.version(request.version());
    response_.result(status);
    response_.keep_alive(false);
    response_.set(http::field::content_type, type);
    response_.set(http::field::cache_control, "no-store");
    response_.set("X-Content-Type-Options", "nosniff");
    response_.set("X-Frame-Options", "DENY");
    response_.set("Referrer-Policy", "no-referrer");
    response_.set("Cross-Origin-Resource-Policy", "same-origin");
    response_.set("Content-Security-Policy",
                  fmt::format("default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                              "img-src data: blob:; media-src blob:; connect-src 'self' data: blob: ws://{0}; "
                              "base-uri 'none'; "
                              "form-action 'none'; frame-ancestors 'none'",
                              text_of(request[http::field::host])));
    if (status == http::status::method_not_allowed) response_.set(http::field::allow, "GET, HEAD");
    response_.content_length(body.size());
    if (request.method() != http::verb::head) response_.body() = std::move(body);
    http::async_write(stream_.next_layer(), response_, [self = shared_from_this()](beast::error_code, std::size_t) {
      beast::error_code ignored;
      beast::get_lowest_layer(self->stream_).socket().shutdown(tcp::socket::shutdown_send, ignored);
    });
  }

  void open() {
    beast::get_lowest_layer(stream_).expires_never();
    stream_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    stream_.read_message_max(longest_message);
    stream_.async_accept(parser_.get(), [self = shared_from_this()](beast::error_code problem) {
      if (problem || self->server_ == nullptr) return;
      self->server_->listeners_.insert(self);
      for (std::string& message : self->server_->content_.so_far()) self->send(std::move(message));
      self->listen();
    });
  }

  void listen() {
    stream_.async_read(incoming_, [self = shared_from_this()](beast::error_code problem, std::size_t) {
      if (self->server_ == nullptr) return;
      if (problem) return self->leave();
      const std::string message = beast::buffers_to_string(self->incoming_.data());
      self->incoming_.clear();
      self->server_->content_.take(message);
      self->listen();
    });
  }

  void write() {
    stream_.binary(queue_.front().front() == 'R');
    stream_.async_write(boost::asio::buffer(queue_.front().data() + 1, queue_.front().size() - 1),
                        [self = shared_from_this()](beast::error_code problem, std::size_t) {
                          if (self->server_ == nullptr) return;
                          if (problem) return self->leave();
                          self->waiting_ -= self->queue_.front().size();
                          self->queue_.pop_front();
                          self->server_->weigh();
                          if (!self->queue_.empty()) self->write();
                        });
  }

  void leave() {
    LiveServer* const server = server_;
    server_ = nullptr;
    server->listeners_.erase(shared_from_this());
    server->weigh();
  }

  LiveServer* server_;
  websocket::stream<beast::tcp_stream> stream_;
  beast::flat_buffer buffer_, incoming_;
  http::request_parser<http::string_body> parser_;
  http::response<http::string_body> response_;
  std::deque<std::string> queue_;
  std::size_t waiting_ = 0;
};

LiveServer::LiveServer(boost::asio::io_context& io, unsigned short port, std::string token, Content content)
    : acceptor_(io), token_(std::move(token)), content_(std::move(content)) {
  const tcp::endpoint here(boost::asio::ip::address_v4::loopback(), port);
  beast::error_code problem;
  acceptor_.open(here.protocol(), problem);
  if (!problem) acceptor_.set_option(boost::asio::socket_base::reuse_address(true), problem);
  if (!problem) acceptor_.bind(here, problem);
  if (!problem) acceptor_.listen(boost::asio::socket_base::max_listen_connections, problem);
  if (problem)
    throw host::Failure(host::Exit::bad_input,
                        fmt::format("--port: port {} cannot be had: {}", port, problem.message()),
                        "Another program may have it: give another one, or none for one that is free.");
  accept();
}

LiveServer::~LiveServer() { stop(); }

std::string LiveServer::address() const { return fmt::format("http://127.0.0.1:{}/?token={}", port(), token_); }

void LiveServer::accept() {
  acceptor_.async_accept([this](beast::error_code problem, tcp::socket socket) {
    if (problem == boost::asio::error::operation_aborted || !acceptor_.is_open()) return;
    if (!problem) std::make_shared<Connection>(*this, std::move(socket))->begin();
    accept();
  });
}

int LiveServer::refusal(std::string_view method, std::string_view target, std::string_view host,
                        std::string_view origin, bool upgrade) const {
  constexpr int ok = 0, forbidden = 403, not_found = 404, bad_method = 405, too_many = 503;
  const std::string here = fmt::format("127.0.0.1:{}", port()), named = fmt::format("localhost:{}", port());
  if (host != here && host != named) return forbidden;
  if (!origin.empty() && origin != "http://" + here && origin != "http://" + named) return forbidden;
  if (method != "GET" && method != "HEAD") return bad_method;
  const std::size_t end = std::min(target.find('?'), target.size());
  const std::string_view path = target.substr(0, end), query = target.substr(std::min(end + 1, target.size()));
  constexpr std::string_view key = "token=";
  if (!query.starts_with(key) || !same(query.substr(key.size()), token_)) return forbidden;
  if (path != (upgrade ? "/live" : "/")) return not_found;
  return upgrade && listeners_.size() >= most_pages ? too_many : ok;
}

void LiveServer::send(std::string_view message) {
  for (const auto& listener : listeners_) listener->send(std::string(message));
  weigh();
}

void LiveServer::weigh() {
  bool full = false;
  for (const auto& listener : listeners_) full = full || listener->waiting() > behind;
  content_.hold(full);
}

void LiveServer::stop() {
  beast::error_code ignored;
  acceptor_.close(ignored);
  for (const auto& listener : listeners_) listener->forget();
  listeners_.clear();
}

}  // namespace polyform::apps
