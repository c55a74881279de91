// Results as an HDF5 file, readable by every HDF5 library since 1.8. One layout for systems of every size:
//
//   /time                 N             attribute `unit`
//   /joints/<joint>       N × k         q and v, e.g. q, v or q[0] … v[2]
//   /bodies/<body>        N × 13 …      x y z qw qx qy qz vx vy vz wx wy wz, then eta[k], etadot[k]
//   /energy               N × 3         kinetic, potential, total
//   /constraint           N × 2         position, velocity
//   /reactions/<joint>    N × 6         fx fy fz mx my mz
//
// N rows of 64-bit numbers. Each N × k dataset has the attributes `channels` and `units`, a text for each column; the
// channel's name in CSV is <object>.<channel>. In links, a / in a name is %2F and a % is %25. Datasets are chunked,
// shuffled and deflated. The run record stands at the root: each field as an attribute, and all as JSON in `record`.
//
// A dataset per body, not per column: 50 000 bodies make 10⁵ datasets, not 10⁶. Rows are gathered in blocks of a chunk;
// the file is flushed after each block, and every few seconds (in very large systems, every few minutes), and untouched
// in between, so that what was flushed can be read even when the process is killed.
#pragma once

#include <memory>

#include "framework/results/output_file.hpp"
#include "framework/results/result_writer.hpp"

namespace polyform::host {

std::unique_ptr<ResultWriter> make_hdf5_writer(std::unique_ptr<OutputFile>);

}  // namespace polyform::host
