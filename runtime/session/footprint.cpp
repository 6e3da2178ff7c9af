#include "pianola/footprint.h"

#include "pianola/session.h"
#include "runtime/session/footprint_check.h"

namespace pianola {

static_assert(footprint_agrees<sizeof(Session), session_bytes32(kCapacities)>());
static_assert(footprint_agrees<sizeof(PlanWorkspace), plan_workspace_bytes32(kCapacities)>());
static_assert(footprint_agrees<sizeof(Verdict), kVerdictBytes32>());

}  // namespace pianola
