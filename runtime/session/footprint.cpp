#include "runtime/session/footprint.h"

#include "runtime/core/footprint_check.h"
#include "runtime/session/session.h"

namespace pianola {

static_assert(footprint_agrees<sizeof(Session), kSessionBytes32>());
static_assert(footprint_agrees<sizeof(PlanWorkspace), kPlanWorkspaceBytes32>());
static_assert(footprint_agrees<sizeof(Verdict), kVerdictBytes32>());

}  // namespace pianola
