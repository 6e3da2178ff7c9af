#include "tests/campaign/mode.h"

#include "pianola/config.h"

namespace pianola::campaign {

std::string name_of(const Mode& mode) {
    return std::string{mode.views ? "views" : "transfers"} + "-" + std::to_string(mode.in_flight) +
           (mode.parameters ? "-parameters-" : "-fixed-") + std::to_string(mode.queues) +
           (mode.pipelined ? "q-pipelined" : "q-plain") + (mode.verified ? "-verified" : "-completion") +
           ((mode.devices == 1U) ? "" : ("-1x" + std::to_string(mode.devices)));
}

std::string why_not(const Mode& mode) {
    if (!mode.views) {
        return {};
    }
    if (mode.devices != 1U) {
        return "several devices have no views: a tensor does not lie in one memory";
    }
    if (mode.in_flight != 1U) {
        return "several steps in flight have no views: one step would see what another one writes";
    }
    return mode.pipelined ? "a pipelined binary has no views: its inputs are the next step's" : "";
}

std::vector<Mode> all_cells() {
    std::vector<Mode> cells;
    for (const std::uint32_t devices : {1U, 2U}) {
        for (const bool views : {false, true}) {
            for (const std::uint32_t in_flight : {1U, 2U, kMaxStepsInFlight}) {
                for (const bool parameters : {false, true}) {
                    for (const std::uint32_t queues : {1U, 2U}) {
                        for (const bool pipelined : {false, true}) {
                            for (const bool verified : {true, false}) {
                                cells.push_back({views, in_flight, parameters, queues, pipelined, verified, devices});
                            }
                        }
                    }
                }
            }
        }
    }
    return cells;
}

std::vector<Mode> all_modes() {
    std::vector<Mode> modes;
    for (const Mode& cell : all_cells()) {
        if (why_not(cell).empty()) {
            modes.push_back(cell);
        }
    }
    return modes;
}

}  // namespace pianola::campaign
