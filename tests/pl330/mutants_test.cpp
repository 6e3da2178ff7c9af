// Each mutant of the exchange is refused by its rule; no flipped bit is accepted.
#include "tests/pl330/mutants.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "capture_host/binary/verify.h"
#include "hal/devices/pl330/command_set.h"
#include "pianola/development_config.h"
#include "pianola_host/files.h"
#include "tests/pl330/exchange.h"
#include "tests/pl330/workloads.h"

namespace pianola::test {
namespace {

using pl330::Lowered;

using pl330::Lowered;

std::string rule_of(const std::vector<std::uint8_t>& bytes) {
    const files::AlignedBytes file{bytes};
    DeviceDescription device;
    pl330::describe(board::kEngineSpec, device);
    const pl330::Pl330CommandSet command_set;
    capture::Verification proofs;
    const Status status = proofs.verify(file.view(), device, command_set, kDevelopmentTrust);
    return is_ok(status) ? "accepted" : rule_id(proofs.verdict.rule);
}

TEST(Pl330Mutants, EachIsRefusedByItsRule) {
    const Lowered whole = exchange();
    ASSERT_EQ(rule_of(whole.file()), "accepted");
    std::map<std::string, std::uint32_t> by_rule;
    std::set<std::vector<std::uint8_t>> files;
    for (const Mutant& mutant : all_mutants()) {
        SCOPED_TRACE(std::string{mutant.rule} + ": " + mutant.what);
        Lowered changed = whole;
        mutant.edit(changed);
        const std::vector<std::uint8_t> file = changed.file();
        EXPECT_NE(file, whole.file());
        EXPECT_TRUE(files.insert(file).second) << "made twice";
        EXPECT_EQ(rule_of(file), mutant.rule);
        by_rule[mutant.rule] += 1U;
    }
    EXPECT_GE(files.size(), 60U);
    std::cout << files.size() << " mutants, " << by_rule.size() << " rules:";
    for (const auto& [rule, count] : by_rule) {
        std::cout << ' ' << rule << ' ' << count;
    }
    std::cout << '\n';
}

// Bits of the whole file, the digest left as it was.
TEST(Pl330Mutants, NoFlipIsAccepted) {
    const std::vector<std::uint8_t> whole = exchange().file();
    for (std::size_t bit = 0U; bit < (whole.size() * 8U); bit += 977U) {
        std::vector<std::uint8_t> file = whole;
        file[bit / 8U] ^= static_cast<std::uint8_t>(1U << (bit % 8U));
        EXPECT_NE(rule_of(file), "accepted") << bit;
    }
}

}  // namespace
}  // namespace pianola::test
