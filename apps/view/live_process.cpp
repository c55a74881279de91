#include "apps/view/live_process.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "framework/host/process/worker.hpp"

namespace polyform::apps {

namespace {

/// The server's sockets must not stay open in the process, or nobody would see their end.
void close_sockets_but(int kept) {
  const long most = std::min(::sysconf(_SC_OPEN_MAX), 4096L);
  for (int descriptor = 3; descriptor < most; ++descriptor) {
    struct stat about {};
    if (descriptor != kept && ::fstat(descriptor, &about) == 0 && S_ISSOCK(about.st_mode)) ::close(descriptor);
  }
}

}  // namespace

std::shared_ptr<LiveProcess> LiveProcess::start(boost::asio::io_context& io, const LiveRequest& request,
                                                Session& session, Listener listener) {
  int ends[2];
  const auto fail = [] {
    throw host::Failure(host::Exit::simulation_failed,
                        std::string("no process could be made for the run: ") + std::strerror(errno));
  };
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail();
  std::fflush(nullptr);  // or the copy would print it again
  const std::shared_ptr<LiveProcess> process(new LiveProcess(io, std::move(listener)));
  process->id_ = ::fork();
  if (process->id_ == 0) {
    const host::ProcessJob job{
        [&](const host::Messenger& out) { do_live_work(request, session, out, ends[1]); }, {}, {}};
    close_sockets_but(ends[1]);
    host::work_and_exit(job, {0, host::default_memory_limit(1), false}, ends[1]);
  }
  ::close(ends[1]);
  process->socket_.assign(boost::asio::local::stream_protocol(), ends[0]);
  if (process->id_ < 0) {
    process->id_ = 0;
    fail();
  }
  process->socket_.non_blocking(true);
  process->read();
  return process;
}

LiveProcess::~LiveProcess() { stop(); }

void LiveProcess::command(const std::string& line) {
  // A process that does not read for long would get a storm of them afterwards.
  constexpr std::size_t most_waiting = 1000;
  if (!socket_.is_open() || commands_.size() >= most_waiting) return;
  commands_.push_back(line + "\n");
  if (commands_.size() == 1) write();
}

void LiveProcess::write() {
  boost::asio::async_write(socket_, boost::asio::buffer(commands_.front()),
                           [self = shared_from_this()](boost::system::error_code problem, std::size_t) {
                             if (!self->socket_.is_open() || problem) return;
                             self->commands_.pop_front();
                             if (!self->commands_.empty()) self->write();
                           });
}

void LiveProcess::stop() {
  listener_ = {};
  boost::system::error_code ignored;
  socket_.close(ignored);
  if (id_ <= 0) return;
  ::kill(id_, SIGKILL);
  ::waitpid(id_, nullptr, 0);
  id_ = 0;
}

void LiveProcess::hold(bool held) {
  is_held_ = held;
  if (!is_held_ && !is_reading_) read();
}

void LiveProcess::read() {
  if (!socket_.is_open()) return;
  is_reading_ = true;
  socket_.async_read_some(boost::asio::buffer(block_),
                          [self = shared_from_this()](boost::system::error_code problem, std::size_t size) {
                            if (!self->socket_.is_open()) return;
                            if (problem) return self->end();
                            self->received_.append(self->block_.data(), size);
                            // What is delivered may hold this and let it go again. Only then is nothing being read: two
                            // reads at once would take the place of one another.
                            self->deliver();
                            self->is_reading_ = false;
                            if (!self->is_held_) self->read();
                          });
}

/// Hands on the messages that are whole, as Messenger writes them.
void LiveProcess::deliver() {
  constexpr std::size_t head = 1 + sizeof(std::uint64_t);
  std::size_t done = 0;
  while (received_.size() - done >= head) {
    std::uint64_t size = 0;
    std::memcpy(&size, received_.data() + done + 1, sizeof size);
    if (received_.size() - done - head < size) break;
    const char kind = received_[done];
    const std::string_view text = std::string_view(received_).substr(done + head, size);
    done += head + size;
    if (kind == host::Messenger::ours) {
      if (const auto tell = listener_.message) tell(text);  // a copy, as the listener may stop the process
      continue;
    }
    said_end_ = true;
    if (kind == host::Messenger::finished) continue;
    if (kind == host::Messenger::out_of_memory) {
      problem_ = "memory ran out";
    } else if (kind == host::Messenger::uncaught) {
      problem_ = "the run threw an exception: " + std::string(text);
    } else {
      host::ProcessEnd failed;
      host::unpack(text, failed);
      problem_ = failed.message;
    }
  }
  received_.erase(0, done);
}

void LiveProcess::end() {
  int status = 0;
  const pid_t gone = id_ > 0 ? ::waitpid(id_, &status, 0) : 0;
  if (gone == id_ && !said_end_) {
    host::ProcessEnd how;
    how.how = WIFSIGNALED(status) ? host::ProcessEnd::How::signal : host::ProcessEnd::How::exit;
    how.number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    problem_ = "the process of the run " + host::describe(how, {});
  }
  id_ = 0;
  boost::system::error_code ignored;
  socket_.close(ignored);
  if (const auto tell = listener_.ended) tell(problem_);
}

}  // namespace polyform::apps
