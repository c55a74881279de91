// The rows of a run on their way to a result file.
#pragma once

#include <memory>

#include "framework/host/columns/row_maker.hpp"
#include "framework/host/results/result_writer.hpp"
#include "framework/host/simulation/row_sink.hpp"

namespace polyform::host::inline simulation {

/// What a result file says of a run that has ended.
RecordFields fields_of(const RunRecord&);

class ResultSink final : public RowSink {
 public:
  /// Begins the file. `known`: entries of the record that are known beforehand. Throws what ResultWriter::begin does.
  ResultSink(const System&, const Columns&, std::unique_ptr<ResultWriter>, const RecordFields& known);

  /// Goes on with the file of an earlier run, whose rows up to the time `until` stay. Throws what ResultWriter::go_on
  /// does.
  ResultSink(const System&, const Columns&, std::unique_ptr<ResultWriter>, const RecordFields& known, double until);

  /// How many rows of an earlier run stay.
  std::size_t earlier_rows() const { return earlier_rows_; }
  void store() override { writer_->store(); }
  /// The sign of each quaternion is settled there.
  void see_start(const Observation& start) override { rows_.make(0, start); }
  void work(double work) override { work_ = work; }
  void row(double time, const Observation& now) override { writer_->row(rows_.make(time, now, work_)); }
  void finish(const RunRecord&) override;

 private:
  RowMaker rows_;
  std::unique_ptr<ResultWriter> writer_;
  double work_ = 0;
  std::size_t earlier_rows_ = 0;
};

}  // namespace polyform::host::simulation
