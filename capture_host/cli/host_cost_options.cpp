#include "capture_host/cli/host_cost_options.h"

#include <cstdint>

#include "capture_host/cli/options.h"

namespace pianola::cli {
namespace {

constexpr std::uint64_t kMaxHostNs = 1'000'000'000U;

}  // namespace

void add_host_cost_options(CLI::App& command, HostCost& cost) {
    add_number(command, "--dispatch-ns", cost.dispatch_ns, std::uint64_t{0U}, kMaxHostNs,
               "Host time for one operation without trace");
    add_number(command, "--replay-ns", cost.replay_ns, std::uint64_t{0U}, kMaxHostNs,
               "Host time for one queue command");
}

}  // namespace pianola::cli
