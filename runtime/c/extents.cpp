// For command sets in C. A separate file, so that an image with a command set in C++ does not contain it.
#include "runtime/c/twins.h"

bool pnl_extents_add(pnl_extents_t* extents, const pnl_extent_t* extent) {
    if ((extents == nullptr) || (extent == nullptr) || (extent->field == nullptr)) {
        return false;
    }
    const bool is_known = (extent->access == PNL_ACCESS_READ) || (extent->access == PNL_ACCESS_WRITE);
    return is_known && pianola::c_api::twin(extents)->add(*pianola::c_api::twin(extent));
}
