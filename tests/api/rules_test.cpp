// The rules of the host API: ids are unique, every rule is tested, and the manual lists them all.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "capture_host/host/device/queue_driver.h"
#include "pianola_host/workload_capture.h"
#include "tests/api/support.h"

namespace pianola::test {
namespace {

using host::HostRule;

struct RuleText {
    HostRule rule;
    const char* id;
    const char* text;  // what holds where the rule is kept
};

// All rules, in the order of their list.
const std::vector<RuleText> kRules{
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_HOST_RULE(name, id, text) {HostRule::name, id, text},
#include "pianola_host/host_rules.inc"
#undef PIANOLA_HOST_RULE
};

std::string text_of(const std::filesystem::path& path) {
    const std::ifstream file{path};
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

const std::filesystem::path kTree{PIANOLA_SOURCE_DIR};

TEST(Rules, AreDistinctAndInTheManual) {
    std::set<std::string> ids;
    const std::string manual = text_of(kTree / "docs/reference/host_rules.md");
    for (const RuleText& rule : kRules) {
        EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
        EXPECT_STREQ(host::id_of(rule.rule), rule.id);
        EXPECT_NE(manual.find("| " + std::string{rule.id} + " | " + rule.text + " |"), std::string::npos)
            << "docs/reference/host_rules.md lacks the line\n| " << rule.id << " | " << rule.text << " |";
    }
    EXPECT_STREQ(host::id_of(HostRule::kUnspecified), "API-UNSPECIFIED");
}

// A rule that no test breaks might never be checked.
TEST(Rules, EveryRuleHasATest) {
    std::string tests;
    for (const auto& entry : std::filesystem::directory_iterator{kTree / "tests" / "api"}) {
        if (entry.path().extension() == ".cpp") {
            tests += text_of(entry.path());
        }
    }
    std::istringstream rules{text_of(kTree / "capture_host/include/pianola_host/host_rules.inc")};
    std::string line;
    std::size_t count = 0U;
    const std::string mark = "PIANOLA_HOST_RULE(k";
    while (std::getline(rules, line)) {
        if (line.rfind(mark, 0U) == 0U) {
            const std::string name = line.substr(mark.size() - 1U, line.find(',') - (mark.size() - 1U));
            EXPECT_NE(tests.find("HostRule::" + name), std::string::npos) << name;
            count += 1U;
        }
    }
    EXPECT_EQ(count, kRules.size());
}

TEST(Rules, AWaitThatCannotEndIsAnError) {
    for (const bool threaded : {false, true}) {
        SimulatorOptions options;
        options.threaded = threaded;
        const Target& target = usual_target();
        const std::unique_ptr<Simulator> simulator = target.simulate(target.usual_device(), options);
        ASSERT_EQ(simulator->device().reset(), Status::kOk);
        host::QueueDriver queues{*simulator, target.command_set(), target.usual_device(),
                                 std::chrono::milliseconds{100}, kDefaultHostCost};
        QueueCommand wait;
        wait.kind = QueueCommandKind::kWaitEvent;
        wait.value = 1U;  // nobody records it
        queues.enqueue(0U, wait);
        const std::uint32_t token = queues.notify(0U);
        queues.ring(0U);
        EXPECT_FALSE(queues.is_complete(0U, token));
        expect_rule(HostRule::kDeviceStalled, "queue 0 does not get on", [&] { queues.wait(0U, token); });
        // A ring that stays full is the same.
        expect_rule(HostRule::kDeviceStalled, "room in its ring", [&] {
            for (int i = 0; i < 1000; ++i) {
                queues.enqueue(0U, wait);
            }
        });
    }
}

#if !PIANOLA_RECORDING
TEST(Rules, RecordingThatWasCompiledOutSaysSo) {
    const auto device = host::open_device(small_device());
    expect_rule(HostRule::kCaptureOff, "PIANOLA_RECORDING=OFF", [&] { const host::WorkloadCapture capture{device}; });
}
#endif

}  // namespace
}  // namespace pianola::test
