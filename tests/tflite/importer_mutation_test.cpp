// Damaged models: each of 50,000 mutants imports or is refused with an ImportError, and nothing else happens. Under
// sanitizers "nothing else" includes reads outside the file, overflow and leaks. What imports is linked: it does not
// fit the device, or it makes a binary that the runtime accepts; a binary that it refuses would be a defect of ours.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "capture_host/capture/link.h"
#include "capture_host/tflite/import.h"
#include "tests/support/trace_file.h"
#include "tests/tflite/shared_models.h"

namespace pianola::tflite {
namespace {

constexpr std::uint32_t kMutants = 50'000U;
constexpr std::size_t kReportEvery = 10'000U;
constexpr std::array<const char*, 3> kModels{"hello_world_int8", "kws_ref_model", "fingerprint_signature_generator"};
constexpr std::array<std::uint32_t, 16> kInterestingWords{
    0U,      1U,      2U,          3U,          4U,          0x7FU,       0x80U,       0xFFU,
    0x7FFFU, 0xFFFFU, 0x00010000U, 0x04000000U, 0x7FFFFFFFU, 0x80000000U, 0xFFFFFFFEU, 0xFFFFFFFFU};

using Bytes = std::vector<std::uint8_t>;

void flip_bytes(Bytes& file, std::mt19937& random) {
    const std::size_t count = 1U + (random() % 4U);
    for (std::size_t i = 0U; i < count; ++i) {
        file[random() % file.size()] ^= static_cast<std::uint8_t>(1U + (random() % 255U));
    }
}

// Most fields are small and aligned; a small change of one makes a neighbour, which is worth more than noise.
void overwrite_word(Bytes& file, std::mt19937& random) {
    const std::size_t offset = (random() % (file.size() / 4U)) * 4U;
    std::uint32_t word = kInterestingWords[random() % kInterestingWords.size()];
    if ((random() % 3U) == 0U) {
        word = file[offset] + static_cast<std::uint32_t>(random() % 9U) - 4U;
    }
    for (std::size_t i = 0U; i < 4U; ++i) {
        file[offset + i] = static_cast<std::uint8_t>((word >> (8U * i)) & 0xFFU);
    }
}

void splice(Bytes& file, std::mt19937& random) {
    const std::size_t length = 1U + (random() % std::min<std::size_t>(64U, file.size() - 1U));
    const std::size_t from = random() % (file.size() - length + 1U);
    const std::size_t to = random() % (file.size() - length + 1U);
    const Bytes piece(file.begin() + static_cast<std::ptrdiff_t>(from),
                      file.begin() + static_cast<std::ptrdiff_t>(from + length));
    std::copy(piece.begin(), piece.end(), file.begin() + static_cast<std::ptrdiff_t>(to));
}

// One to three changes of a sound file.
Bytes mutant_of(const Bytes& original, std::mt19937& random) {
    Bytes file = original;
    const std::size_t rounds = 1U + (random() % 3U);
    for (std::size_t round = 0U; round < rounds; ++round) {
        switch (random() % 8U) {
            case 0U:
                file.resize(std::max<std::size_t>(8U, random() % file.size()));
                break;
            case 1U:
                splice(file, random);
                break;
            case 2U:
            case 3U:
                flip_bytes(file, random);
                break;
            default:
                overwrite_word(file, random);
                break;
        }
    }
    return file;
}

// False where the workload does not fit the device.
bool links_and_validates(const capture::Recorder& recorder, test::Validator& validator) {
    try {
        const capture::LinkedWorkload linked = capture::link(recorder, {});
        EXPECT_EQ(validator.validate(capture::write_trace_binary(linked.manifest, linked.segments)), Status::kOk)
            << rule_id(validator.verdict().rule) << " " << test::path_text(validator.verdict());
        return true;
    } catch (const capture::LinkError& error) {
        EXPECT_FALSE(std::string{error.what()}.empty());
        return false;
    }
}

TEST(ImporterMutation, MutantsImportOrAreRefused) {
    if (models_dir().empty()) {
        GTEST_SKIP() << "no models: set PIANOLA_SHARED";
    }
    std::mt19937 random{20'240'601U};
    std::uint32_t imported = 0U;
    std::uint32_t refused = 0U;
    std::uint32_t linked = 0U;
    test::Validator validator;
    std::set<std::string> reasons;
    std::vector<Bytes> models;
    for (const char* const name : kModels) {
        models.push_back(read_bytes(models_dir() / name / "model.tflite"));
        ASSERT_GE(models.back().size(), 256U) << name;
    }
    for (std::uint32_t i = 0U; i < kMutants; ++i) {
        const Bytes file = mutant_of(models[i % models.size()], random);
        capture::Recorder recorder;
        try {
            import_model(Span<const std::uint8_t>{file.data(), file.size()}, "mutant", {}, recorder);
            imported += 1U;
            linked += links_and_validates(recorder, validator) ? 1U : 0U;
            ASSERT_FALSE(HasFailure()) << "mutant " << i;
        } catch (const ImportError& error) {
            refused += 1U;
            ASSERT_FALSE(std::string{error.what()}.empty());
            reasons.insert(error.missing());
        } catch (const std::exception& error) {
            FAIL() << "mutant " << i << ": " << error.what();
        }
        if (((i + 1U) % kReportEvery) == 0U) {
            std::cout << (i + 1U) << " mutants: " << imported << " imported, " << linked << " of them linked, "
                      << refused << " refused for " << reasons.size() << " reasons" << std::endl;
        }
    }
    // Both happen often, for many reasons; otherwise the mutants would not test much.
    EXPECT_GE(imported, kMutants / 100U);
    EXPECT_GE(linked, kMutants / 100U);
    EXPECT_GE(refused, kMutants / 100U);
    EXPECT_GE(reasons.size(), 50U);
}

}  // namespace
}  // namespace pianola::tflite
