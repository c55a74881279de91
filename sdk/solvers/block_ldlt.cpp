#include "block_ldlt_detail.hpp"

namespace polyform {

template class BasicBlockLdlt<double>;

}  // namespace polyform
