// The cost model of the virtual device, for what only points to it.
#pragma once

namespace pianola::refdev {

struct CostModel;
extern const CostModel kVirtualCosts;

}  // namespace pianola::refdev
