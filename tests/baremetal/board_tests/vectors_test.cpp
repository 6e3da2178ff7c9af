// vectors PACK RESULTS: validates every file of a pack of test vectors, each for the device and with the trust that the
// pack says.
#include <algorithm>
#include <array>
#include <cstring>

#include "hal/boards/common/semihosting.h"
#include "hal/crypto/bearssl_verifier.h"
#include "tests/baremetal/board_tests/bench.h"
#include "tests/runtime/vectors/vector_pack.h"
#include "tests/support/core_model.h"

namespace pianola::baremetal {
namespace {

using test::PackHeader;
using test::PackRecord;
using test::PackResult;
using test::PackTrust;

struct Validation {
    refdev::RefdevCommandSet command_set;
    refdev::RefdevCommandSet of_core{test::kCoreModel};
    PlanWorkspace workspace;
    Image image;
    Plan plan;
    Verdict verdict;
};

Validation& validation() noexcept {
    static Validation the_validation;
    return the_validation;
}

// What the pack's trusts say, for as long as the test runs.
struct Trusts {
    BearSslVerifier verifier;
    std::array<std::array<TrustedKey, test::kPackKeys>, test::kPackTrusts> keys;
    std::array<Trust, test::kPackTrusts> trusts;
};

Trusts& trusts() noexcept {
    static Trusts the_trusts;
    return the_trusts;
}

DeviceDescription device_of(const PackRecord& record) noexcept {
    DeviceDescription device;
    device.family = record.family.data();
    device.command_set_id = record.command_set_id;
    device.command_set_version = record.command_set_version;
    test::copy_device(record, device);
    return device;
}

template <std::size_t kBytes>
void copy_text(const char* text, std::array<char, kBytes>& target) noexcept {
    const std::size_t length = std::min(std::strlen(text), kBytes - 1U);
    std::copy_n(text, length, target.begin());
}

PackResult result_of(Status status, const Verdict& verdict) noexcept {
    constexpr std::uint32_t kHalf = 32U;
    PackResult result;
    // Both say it; where they disagree, neither is reported.
    result.status = (status == verdict.status) ? static_cast<std::uint32_t>(status) : 0U;
    result.file_offset = verdict.file_offset;
    result.actual_low = static_cast<std::uint32_t>(verdict.actual);
    result.actual_high = static_cast<std::uint32_t>(verdict.actual >> kHalf);
    result.limit_low = static_cast<std::uint32_t>(verdict.limit);
    result.limit_high = static_cast<std::uint32_t>(verdict.limit >> kHalf);
    copy_text(rule_id(verdict.rule), result.rule);
    static_cast<void>(format_path(verdict.path, Span<char>{result.path}));
    return result;
}

// Takes the trusts off the pack. False where it ends too early, or has more keys than there may be.
[[nodiscard]] bool take_trusts(ByteSpan& pack) noexcept {
    Trusts& all = trusts();
    for (std::uint32_t i = 0U; i < test::kPackTrusts; ++i) {
        PackTrust described;
        if (pack.size() < sizeof(described)) {
            return false;
        }
        std::memcpy(&described, pack.data(), sizeof(described));
        if (described.key_count > test::kPackKeys) {
            return false;
        }
        for (std::uint32_t k = 0U; k < described.key_count; ++k) {
            const test::PackKey& key = described.keys[k];
            all.keys[i][k] = TrustedKey{key.id, key.point, static_cast<KeyState>(key.state)};
        }
        all.trusts[i] = Trust{static_cast<SignaturePolicy>(described.policy),
                              Span<const TrustedKey>{all.keys[i].data(), described.key_count}, &all.verifier,
                              described.lowest_security_version};
        pack = pack.subspan(sizeof(described), pack.size() - sizeof(described));
    }
    return true;
}

PackResult validate_one(const PackRecord& record, ByteSpan file) noexcept {
    Validation& all = validation();
    const DeviceDescription device = device_of(record);
    all.verdict = Verdict{};
    const bool has_core = device.cost_model == test::kCoreModel.number;
    const Status status = validate(file, device, has_core ? all.of_core : all.command_set,
                                   trusts().trusts[record.trust], all.workspace, all.image, all.plan, all.verdict);
    return result_of(status, all.verdict);
}

// Takes the next record off the pack and validates the file behind it. False where the pack ends too early.
[[nodiscard]] bool validate_next(ByteSpan& pack, PackResult& result) noexcept {
    PackRecord record;
    if (pack.size() < sizeof(record)) {
        return false;
    }
    std::memcpy(&record, pack.data(), sizeof(record));
    const std::size_t behind = test::pack_aligned(std::size_t{record.shift_bytes} + record.stored_bytes);
    const ByteSpan rest = pack.subspan(sizeof(record), pack.size() - sizeof(record));
    if ((behind > rest.size()) || (record.trust >= test::kPackTrusts)) {
        return false;
    }
    const ByteSpan stored = rest.subspan(record.shift_bytes, record.stored_bytes);
    result = validate_one(record, ByteSpan{stored.data(), record.length_bytes});
    pack = rest.subspan(behind, rest.size() - behind);
    return true;
}

}  // namespace

std::int32_t test_vectors(const Arguments& arguments) noexcept {
    LoadArea area;
    ByteSpan pack = area.load(arguments.at(1U));
    PackHeader header;
    if (pack.size() < sizeof(header)) {
        return kNotLoaded;
    }
    std::memcpy(&header, pack.data(), sizeof(header));
    pack = pack.subspan(sizeof(header), pack.size() - sizeof(header));
    if ((header.magic != test::kPackMagic) || (header.version != test::kPackVersion) || !take_trusts(pack)) {
        return kNotLoaded;
    }
    const MutableByteSpan results = area.allocate(header.vector_count * static_cast<std::uint32_t>(sizeof(PackResult)));
    if (results.empty()) {
        return kNotLoaded;
    }
    for (std::uint32_t i = 0U; i < header.vector_count; ++i) {
        PackResult result;
        if (!validate_next(pack, result)) {
            return kFailed;
        }
        std::memcpy(&results[i * sizeof(result)], &result, sizeof(result));
    }
    report("vectors", header.vector_count);
    return semihosting::store_file(arguments.at(2U), results) ? kPassed : kFailed;
}

}  // namespace pianola::baremetal
