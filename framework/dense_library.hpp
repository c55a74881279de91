// OpenBLAS, for large dense matrices, where the system has it (Debian: libopenblas0).
//
// It is opened at the first large matrix and not linked: its start takes two milliseconds of every process, and few
// need it. Reference LAPACK is not asked for, as it is no faster than Eigen.
#pragma once

namespace polyform::host {

/// Functions of BLAS and LAPACK by columns, with the names that LAPACK's guide describes.
struct DenseLibrary {
  using Size = const int*;
  using Option = const char*;
  using Matrix = double*;
  using Read = const double*;

  void (*dgemm)(Option, Option, Size, Size, Size, Read, Read, Size, Read, Size, Read, Matrix, Size);
  void (*dgetrf)(Size, Size, Matrix, Size, int* pivots, int* info);
  void (*dgetri)(Size, Matrix, Size, const int* pivots, Matrix work, Size, int* info);
  void (*dgetrs)(Option, Size, Size, Read, Size, const int* pivots, Matrix, Size, int* info);
  void (*dgeevx)(Option, Option, Option, Option, Size, Matrix, Size, Matrix real, Matrix imaginary, Matrix left, Size,
                 Matrix right, Size, int* low, int* high, Matrix scale, Matrix norm, Matrix, Matrix, Matrix work, Size,
                 int*, int* info);
};

/// Null where the system has no such library. It computes in the thread that calls it, so that results do not hang on
/// the number of processors.
const DenseLibrary* dense_library();

}  // namespace polyform::host
