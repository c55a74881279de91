// Results as an HDF5 file, readable by every HDF5 library since 1.8. One layout for systems of every size:
//
//   /time                 N             attribute `unit`
//   /<group>/values       N x k         a row per time
//   /<group>/channels     k texts       the columns' names, as in CSV: rod.x, pin.q[0], energy.total ...
//   /<group>/units        k texts
//
// The groups are joints (q, v), bodies (x y z qw qx qy qz vx vy vz wx wy wz, eta[k], etadot[k]), energy, constraint,
// correction and reactions (fx fy fz mx my mz), those that were asked for. N rows of 64-bit numbers. With h5py:
//
//   names = [n.decode() for n in f["bodies/channels"]];  x = f["bodies/values"][:, names.index("rod.x")]
//
// Datasets are chunked, shuffled, deflated and checked by Fletcher-32; a chunk has few columns, so that one column is
// read without the others. The run record stands at the root: each field as an attribute, and all as JSON in `record`.
//
// A dataset per group, not per body or column: a row costs what its numbers cost, for 10^5 bodies too. Rows are
// gathered in blocks of a chunk, of bounded size; the file is flushed after each block, and every few seconds, and
// untouched in between, so that what was flushed can be read even when the process is killed.
#pragma once

#include <memory>

#include "framework/host/results/output_file.hpp"
#include "framework/host/results/result_writer.hpp"

namespace polyform::host::inline results {

std::unique_ptr<ResultWriter> make_hdf5_writer(std::unique_ptr<OutputFile>);

}  // namespace polyform::host::results
