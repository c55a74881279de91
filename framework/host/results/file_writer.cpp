#include "framework/host/results/file_writer.hpp"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "framework/diagnostics.hpp"

namespace polyform::host::inline results {

namespace {

constexpr std::chrono::milliseconds between_looks{250};

class StoredInTime final : public ResultWriter {
 public:
  explicit StoredInTime(std::unique_ptr<FileWriter> writer)
      : writer_(std::move(writer)), one_at_a_time_(writer_->shared_lock() ? *writer_->shared_lock() : own_) {}
  ~StoredInTime() override {
    stop();
    const std::lock_guard lock(one_at_a_time_);
    writer_.reset();
  }

  void begin(std::span<const Channel> channels, const RecordFields& record) override {
    const std::lock_guard lock(one_at_a_time_);
    writer_->begin(channels, record);
    start();
  }

  std::size_t go_on(std::span<const Channel> channels, const RecordFields& record, double until) override {
    const std::lock_guard lock(one_at_a_time_);
    const std::size_t rows = writer_->go_on(channels, record, until);
    start();
    return rows;
  }

  void row(std::span<const double> values) override {
    const std::lock_guard lock(one_at_a_time_);
    if (failure_) std::rethrow_exception(failure_);
    writer_->row(values);
    if (!thread_.joinable()) writer_->store_due();
  }

  void store() override {
    const std::lock_guard lock(one_at_a_time_);
    if (failure_) std::rethrow_exception(failure_);
    writer_->store();
  }

  void finish(const RecordFields& record) override {
    stop();
    const std::lock_guard lock(one_at_a_time_);
    if (failure_) std::rethrow_exception(failure_);
    writer_->finish(record);
  }

 private:
  void start() {
    if (thread_.joinable()) return;
    try {
      thread_ = std::thread([this] { store_now_and_then(); });
    } catch (const std::system_error&) {
      // The system has no thread to spare: then rows are stored when the next one comes.
    }
  }

  void store_now_and_then() {
    std::unique_lock lock(one_at_a_time_);
    while (!wake_.wait_for(lock, between_looks, [this] { return over_; })) {
      try {
        writer_->store_due();
      } catch (...) {
        failure_ = std::current_exception();
        return;
      }
    }
  }

  void stop() {
    {
      const std::lock_guard lock(one_at_a_time_);
      over_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

  std::unique_ptr<FileWriter> writer_;
  std::mutex own_;
  std::mutex& one_at_a_time_;
  std::thread thread_;
  std::condition_variable wake_;
  bool over_ = false;
  std::exception_ptr failure_;  ///< of the thread
};

}  // namespace

void refuse_to_go_on(const std::string& path) {
  throw Failure(Exit::bad_input, fmt::format("{} does not hold the results of the run that is to go on", path),
                "It was changed since, or replaced by another run's: begin the run anew.");
}

std::unique_ptr<ResultWriter> stored_in_time(std::unique_ptr<FileWriter> writer) {
  return std::make_unique<StoredInTime>(std::move(writer));
}

}  // namespace polyform::host::results
