// Diff: what changes for a target if one binary replaces another.
//
// `pianola diff` shows it to reviewers of a release. Both files are whole and well-formed; they may be for different
// devices, or refused by the validator. Every difference has a class, so that a review can be limited to some classes.
// Files that differ in a byte have at least one difference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hal/host/target.h"
#include "pianola/image.h"

namespace pianola::diff {

enum class Class : std::uint8_t {
    kTarget,           // the device that the binary is for
    kMemory,           // regions, and buffers in them
    kTensors,          // inputs and outputs
    kOperators,        // which ones, and their order
    kCommands,         // of traces, operator by operator; and of scripts
    kTiming,           // cycles, deadlines, steps in flight
    kWeights,          // constants, by operator and operand
    kParameters,       // declared ones, and the words that they set
    kSelfTests,        // vectors
    kSecurityVersion,  // prevents loading of older files
    kSignature,        // whether there is one, and of which key
    kProvenance,       // source and tool
    kOther,            // bytes that belong to no other class
};
inline constexpr std::size_t kClassCount = static_cast<std::size_t>(Class::kOther) + 1U;
[[nodiscard]] const char* class_name(Class kind) noexcept;  // "self-tests"

struct Difference {
    Class kind{Class::kOther};
    std::string where;   // "inputs[0].shape", "3 CONV_2D: filter"
    std::string before;  // "-" if there was nothing
    std::string after;
};

struct Side {
    ByteSpan file;
    const Image& image;
    const Target* target{nullptr};  // of the file's family; nullptr: its commands are not decoded
};

// Sorted by class.
[[nodiscard]] std::vector<Difference> differences(const Side& before, const Side& after);

}  // namespace pianola::diff
