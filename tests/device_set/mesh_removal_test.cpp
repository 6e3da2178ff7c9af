// Every record and every wait of every device of a mesh is needed: without it the binary is refused by a rule of order.
#include <gtest/gtest.h>

#include "tests/support/mesh_workload.h"
#include "tests/support/trace_file.h"

namespace pianola::test {
namespace {

using Kind = ScriptCommandKind;

bool is_event(const capture::ManifestCommand& command) {
    return (command.kind == Kind::kRecordEvent) || (command.kind == Kind::kWaitEvent);
}

std::string judge(const Workload& workload) {
    DeviceDescription device;
    refdev::describe(small_device(), device);
    Validator validator{device};
    return is_ok(validator.validate(workload.file())) ? "accepted" : rule_id(validator.verdict().rule);
}

// The command is left to every device but one.
void take_away(std::vector<capture::ManifestCommand>& commands, std::size_t index, const MeshShape& shape,
               std::uint32_t without) {
    capture::ManifestCommand command = commands.at(index);
    const auto place = commands.erase(commands.begin() + static_cast<std::ptrdiff_t>(index));
    std::vector<capture::ManifestCommand> left;
    for (std::uint32_t device = 0U; device < shape.count(); ++device) {
        command.devices = device_range(shape, device);
        if (device != without) {
            left.push_back(command);
        }
    }
    commands.insert(place, left.begin(), left.end());
}

class MeshRemoval : public testing::TestWithParam<MeshShape> {};

INSTANTIATE_TEST_SUITE_P(Shapes, MeshRemoval, testing::Values(MeshShape{1U, 2U}, MeshShape{2U, 2U}, MeshShape{1U, 8U}),
                         [](const auto& param) {
                             return std::to_string(param.param.rows) + "x" + std::to_string(param.param.columns);
                         });

TEST_P(MeshRemoval, OfOneDevicesRecordOrWaitIsRefused) {
    const Workload whole = make_mesh_workload(GetParam(), 2U);
    ASSERT_EQ(judge(whole), "accepted");
    std::uint32_t removed = 0U;
    for (std::size_t script = 0U; script < whole.manifest.scripts.size(); ++script) {
        const std::size_t count = whole.manifest.scripts.at(script).commands.size();
        for (std::size_t command = 0U; command < count; ++command) {
            if (!is_event(whole.manifest.scripts.at(script).commands.at(command))) {
                continue;
            }
            for (std::uint32_t device = 0U; device < GetParam().count(); ++device) {
                Workload less = whole;
                take_away(less.manifest.scripts.at(script).commands, command, GetParam(), device);
                EXPECT_EQ(judge(less).substr(0U, 10U), "ORD-EVENT-") << script << " " << command << " " << device;
                removed += 1U;
            }
        }
    }
    EXPECT_GE(removed, 4U * GetParam().count());
    // Split up and whole, it is the same.
    Workload split = whole;
    take_away(split.manifest.scripts.at(1U).commands, 0U, GetParam(), UINT32_MAX);
    EXPECT_EQ(judge(split), "accepted");
}

// An event's records and waits of one device, all of them: what they are for can race on that device.
TEST_P(MeshRemoval, OfOneDevicesEventIsARace) {
    const Workload whole = make_mesh_workload(GetParam(), 2U);
    for (std::uint32_t device = 0U; device < GetParam().count(); ++device) {
        Workload less = whole;
        for (capture::ManifestScript& script : less.manifest.scripts) {
            for (std::size_t i = script.commands.size(); i-- > 0U;) {
                if (is_event(script.commands.at(i))) {
                    take_away(script.commands, i, GetParam(), device);
                }
            }
        }
        EXPECT_EQ(judge(less), "ORD-RACE") << device;
    }
}

}  // namespace
}  // namespace pianola::test
