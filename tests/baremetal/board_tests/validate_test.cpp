// validate BINARY [worst]: one validation between the instruction counter's markers, of a binary for the default
// device, or for that of the worst cases. The device itself is not touched.
#include "pianola/development_config.h"
#include "tests/baremetal/board_tests/bench.h"
#include "tests/baremetal/board_tests/counted.h"
#include "tests/worst_case/worst_device.h"

namespace pianola::baremetal {
namespace {

struct Subject {
    DeviceDescription device;
    refdev::RefdevCommandSet command_set;
    PlanWorkspace workspace;
    Image image;
    Plan plan;
    Verdict verdict;
};

Subject& subject() noexcept {
    static Subject the_subject;
    return the_subject;
}

}  // namespace

std::int32_t test_validate(const Arguments& arguments) noexcept {
    if (arguments.count() < 2U) {
        return kWrongUsage;
    }
    LoadArea area;
    const ByteSpan file = area.load(arguments.at(1U));
    if (file.empty()) {
        return kNotLoaded;
    }
    Subject& made_before_counting = subject();
    refdev::describe((arguments.count() > 2U) ? test::worst_device() : refdev::DeviceSpec{},
                     made_before_counting.device);
    pianola_count_begin();
    const Status status = validate(file, made_before_counting.device, made_before_counting.command_set,
                                   kDevelopmentTrust, made_before_counting.workspace, made_before_counting.image,
                                   made_before_counting.plan, made_before_counting.verdict);
    pianola_count_end();
    report("accepted", is_ok(status) ? 1U : 0U);
    report("rule", static_cast<std::uint32_t>(made_before_counting.verdict.rule));
    report("work", made_before_counting.device.capacities->max_work(static_cast<std::uint32_t>(file.size())) -
                       made_before_counting.workspace.work_left);
    return kPassed;
}

}  // namespace pianola::baremetal
