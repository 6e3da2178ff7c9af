// The structure check is FlatBuffers' verifier, led by tables that schemac makes instead of by the functions that flatc
// makes: both must accept the same buffers, whatever is damaged. There is one exception: what flatc makes follows the
// offsets in lists without a look at them, and so accepts an element whose offset is 0 and leads to itself.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "pianola_host/manifest.h"
#include "runtime/image/schema_check.h"
#include "runtime/image/schema_rules.h"
#include "tests/runtime/probe_file.h"
#include "tests/runtime/probe_rules.h"
#include "tests/runtime/probe_schema/probe_generated.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"
#include "tests/support/workload.h"
#include "trace_binary_generated.h"

namespace pianola::test {
namespace {

using Bytes = std::vector<std::uint8_t>;
using flatbuffers::Verifier;

constexpr flatbuffers::uoffset_t kAnyDepth = 64U;
constexpr flatbuffers::uoffset_t kAnyTables = 1000000U;

// Whether an element of the list leads to itself.
template <typename Item>
bool has_zero(const flatbuffers::Vector<flatbuffers::Offset<Item>>* list) {
    bool found = false;
    for (flatbuffers::uoffset_t i = 0U; (list != nullptr) && (i < list->size()); ++i) {
        found = found || (static_cast<const void*>(list->Get(i)) == list->GetStructFromOffset(i * sizeof(i)));
    }
    return found;
}

// The two checks of one schema, what only one of them refuses, and a good buffer.
struct Subject {
    bool (*by_flatc)(Verifier&);
    bool (*by_rules)(Verifier&, ByteSpan);
    bool (*has_zeros)(const std::uint8_t*);  // of a buffer that flatc's accepts
    Bytes good;
};

Subject manifest() {
    return {[](Verifier& verifier) { return schema::VerifyTraceBinaryBuffer(verifier); },
            [](Verifier& verifier, ByteSpan buffer) {
                std::uint32_t tables = 0U;
                return check_structure(schema::kTraceBinaryRules, buffer, schema::TraceBinaryIdentifier(), verifier,
                                       tables);
            },
            // Tables of its other lists have required fields.
            [](const std::uint8_t* buffer) { return has_zero(schema::GetTraceBinary(buffer)->target()->kernels()); },
            capture::encode_manifest(make_workload(2U).manifest)};
}

Subject probe_of(const ProbeValues& values) {
    return {[](Verifier& verifier) { return probe::VerifyProbeBuffer(verifier); },
            [](Verifier& verifier, ByteSpan buffer) {
                std::uint32_t tables = 0U;
                return check_structure(probe::kProbeRules, buffer, probe::ProbeIdentifier(), verifier, tables);
            },
            [](const std::uint8_t* buffer) {
                const probe::Probe& root = *probe::GetProbe(buffer);
                bool found = has_zero(root.names()) || has_zero(root.twigs()) || has_zero(root.twig()->leaves());
                for (flatbuffers::uoffset_t i = 0U; (root.twigs() != nullptr) && (i < root.twigs()->size()); ++i) {
                    found = found || has_zero(root.twigs()->Get(i)->leaves());
                }
                return found;
            },
            encode(values)};
}

// How often both said yes, and how often no.
struct Verdicts {
    std::size_t accepted{0U};
    std::size_t refused{0U};
    std::size_t refused_zeros{0U};
};

void compare(const Subject& subject, const Bytes& bytes, Verdicts& verdicts, flatbuffers::uoffset_t depth = kAnyDepth,
             flatbuffers::uoffset_t tables = kAnyTables) {
    const files::AlignedBytes aligned{bytes};
    Verifier flatc{aligned.view().data(), bytes.size(), depth, tables};
    Verifier rules{aligned.view().data(), bytes.size(), depth, tables};
    const bool sound = subject.by_flatc(flatc);
    const bool accepted = sound && !subject.has_zeros(aligned.view().data());
    ASSERT_EQ(subject.by_rules(rules, aligned.view()), accepted);
    verdicts.refused_zeros += (sound && !accepted) ? 1U : 0U;
    if (accepted) {
        ASSERT_EQ(rules.GetComputedSize(), flatc.GetComputedSize());
    }
    (accepted ? verdicts.accepted : verdicts.refused) += 1U;
}

class Structure : public testing::TestWithParam<const char*> {
  protected:
    const Subject subject_{(std::string{GetParam()} == "manifest") ? manifest() : probe_of({})};
    const Bytes& good_{subject_.good};
    Verdicts verdicts_;
};

INSTANTIATE_TEST_SUITE_P(Schemas, Structure, testing::Values("manifest", "probe"));

TEST_P(Structure, EveryByteCanBeAnything) {
    verifies({"swr~hostile-bytes~1"});
    for (std::size_t place = 0U; place < good_.size(); ++place) {
        for (unsigned value = 0U; value <= UINT8_MAX; ++value) {
            Bytes bytes = good_;
            bytes[place] = static_cast<std::uint8_t>(value);
            compare(subject_, bytes, verdicts_);
        }
    }
    EXPECT_GT(verdicts_.accepted, good_.size());
    EXPECT_GT(verdicts_.refused, good_.size());
}

// Offsets and sizes that lead elsewhere: to other objects, to the edges of the buffer, beyond.
TEST_P(Structure, EveryWordCanLeadElsewhere) {
    verifies({"swr~strict-manifest~1"});
    const auto size = static_cast<std::uint32_t>(good_.size());
    for (std::uint32_t place = 0U; (place + 4U) <= size; place += 2U) {
        const std::array<std::uint32_t, 14> values{0U,
                                                   2U,
                                                   4U,
                                                   8U,
                                                   size,
                                                   size - place,
                                                   size - place - 1U,
                                                   size - place - 4U,
                                                   0U - place,
                                                   0x7FFF'FFFFU,
                                                   0x8000'0000U,
                                                   0xFFFF'FFFCU,
                                                   0xFFFF'FFFFU,
                                                   0x4000'0000U};
        for (const std::uint32_t value : values) {
            Bytes bytes = good_;
            store32(bytes, place, value);
            compare(subject_, bytes, verdicts_);
        }
        for (std::uint32_t from = 0U; (from + 4U) <= size; from += 4U) {
            Bytes bytes = good_;
            store32(bytes, place, load32(good_, from));
            compare(subject_, bytes, verdicts_);
        }
    }
    EXPECT_GT(verdicts_.accepted, 0U);
    EXPECT_GT(verdicts_.refused, 0U);
    EXPECT_GT(verdicts_.refused_zeros, 0U);
}

TEST_P(Structure, EveryLengthAndLimit) {
    verifies({"swr~strict-manifest~1"});
    for (std::size_t size = 0U; size <= (good_.size() + 8U); ++size) {
        Bytes bytes = good_;
        bytes.resize(size);
        compare(subject_, bytes, verdicts_);
    }
    for (flatbuffers::uoffset_t limit = 0U; limit <= 100U; ++limit) {
        compare(subject_, good_, verdicts_, limit, kAnyTables);
        compare(subject_, good_, verdicts_, kAnyDepth, limit);
    }
    EXPECT_GT(verdicts_.accepted, 0U);
    EXPECT_GT(verdicts_.refused, good_.size() / 2U);
}

// All combinations of what may be absent, or empty.
TEST(StructureOfOptionals, MayBeAbsent) {
    Verdicts verdicts;
    for (unsigned choice = 0U; choice < 64U; ++choice) {
        ProbeValues values;
        const auto has = [choice](unsigned bit) { return ((choice >> bit) & 1U) != 0U; };
        values.has_spare = has(0U);
        values.thing_is_there = has(1U);
        values.thing_type = has(2U) ? 1U : 2U;
        values.twigs = has(3U) ? 2U : 0U;
        values.points = has(4U) ? 2U : 0U;
        values.names = has(5U) ? std::vector<std::string>{"one", "two"} : std::vector<std::string>{};
        const Subject subject = probe_of(values);
        compare(subject, subject.good, verdicts);
    }
    EXPECT_GT(verdicts.accepted, 0U);
    EXPECT_GT(verdicts.refused, 0U);
}

}  // namespace
}  // namespace pianola::test
