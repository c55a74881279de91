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
  void (*dgeqp3)(Size, Size, Matrix, Size, int* pivots, Matrix factors, Matrix work, Size, int* info);
  void (*dorgqr)(Size, Size, Size, Matrix, Size, Read factors, Matrix work, Size, int* info);
  void (*dgeevx)(Option, Option, Option, Option, Size, Matrix, Size, Matrix real, Matrix imaginary, Matrix left, Size,
                 Matrix right, Size, int* low, int* high, Matrix scale, Matrix norm, Matrix, Matrix, Matrix work, Size,
                 int*, int* info);
  int (*threads)();  ///< in how many it computes
  void (*use_threads)(int);
};

/// Null where the system has no such library.
const DenseLibrary* dense_library();

/// While it lives the library computes in one thread, so that results do not depend on the number of processors. A
/// program that has polyform as a library, such as Python with NumPy, may use the same OpenBLAS: its setting comes
/// back.
class OneThread {
 public:
  explicit OneThread(const DenseLibrary& library) : library_(library), before_(library.threads()) {
    library_.use_threads(1);
  }
  ~OneThread() { library_.use_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  const DenseLibrary& library_;
  int before_;
};

}  // namespace polyform::host
