// device_set BINARY: sessions over sets of devices that there can not be, in a runtime for one device. They refuse
// every call, and touch none; a set of the one device works.
#include <array>

#include "pianola/development_config.h"
#include "tests/baremetal/board_tests/bench.h"

namespace pianola::baremetal {
namespace {

Bench& bench() noexcept {
    static Bench the_bench{refdev::FaultScript{}};
    return the_bench;
}

// True where all calls of a session without devices answer what they must.
[[nodiscard]] bool refuses(Session& session, ByteSpan file) noexcept {
    const Status loaded = session.load(file, bench().workspace, bench().verdict);
    const std::array<Status, 7> said{session.submit(),       session.submit({}, {}), session.poll(),
                                     session.run({}, {}),    session.self_test({}),  session.scrub(),
                                     session.confirm_start()};
    bool is_right = (loaded == Status::kRefused) && (bench().verdict.rule == Rule::kTgtMesh);
    for (const Status status : said) {
        is_right = is_right && (status == Status::kInvalidState);
    }
    return is_right && (session.unload() == Status::kOk) && (session.fault().status == Status::kOk);
}

}  // namespace

std::int32_t test_device_set(const Arguments& arguments) noexcept {
    LoadArea area;
    const ByteSpan file = area.load(arguments.at(1U));
    if (file.empty()) {
        return kNotLoaded;
    }
    static std::array<Device*, 2> devices{&bench().device, nullptr};
    static std::array<Device*, 1> nobody{nullptr};
    const auto over = [](Span<Device* const> set, std::uint32_t columns) noexcept {
        return DeviceSet{set, 1U, columns};
    };
    static Session empty{over({}, 0U), bench().platform, bench().command_set, kDevelopmentConfig};
    static Session without{over({nobody.data(), 1U}, 1U), bench().platform, bench().command_set, kDevelopmentConfig};
    static Session half{over({devices.data(), 2U}, 2U), bench().platform, bench().command_set, kDevelopmentConfig};
    static Session misshapen{over({devices.data(), 1U}, 2U), bench().platform, bench().command_set, kDevelopmentConfig};
    static Session one{over({devices.data(), 1U}, 1U), bench().platform, bench().command_set, kDevelopmentConfig};
    std::uint32_t refused = 0U;
    for (Session* const session : {&empty, &without, &half, &misshapen}) {
        refused += refuses(*session, file) ? 1U : 0U;
    }
    report("refused", refused);
    report("safe_state_entries", bench().platform.safe_state_entries());
    report("one_works", load_binary(one, bench().workspace, bench().verdict, file) ? 1U : 0U);
    return kPassed;
}

}  // namespace pianola::baremetal
