// Results kept in memory, for a report of the run that makes them.
#pragma once

#include "framework/results/result_reader.hpp"
#include "framework/results/result_writer.hpp"

namespace polyform::apps {

/// A writer into Results, which outlive it.
class ResultKeeper final : public host::ResultWriter {
 public:
  explicit ResultKeeper(host::Results& kept) : kept_(kept) {}
  void begin(std::span<const host::Channel>, const host::RecordFields&) override;
  void row(std::span<const double>) override;
  void finish(const host::RecordFields&) override;

 private:
  host::Results& kept_;
};

}  // namespace polyform::apps
