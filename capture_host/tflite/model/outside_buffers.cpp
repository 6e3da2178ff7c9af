#include "capture_host/tflite/model/outside_buffers.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "capture_host/tflite/model/import_error.h"
#include "capture_host/tflite/model/printable.h"
#include "capture_host/tflite/model/verifier.h"
#include "tflite_subset_generated.h"

namespace pianola::tflite {
namespace {

using Bytes = Span<const std::uint8_t>;

constexpr const char* kOutsideOfFile = "constants outside of the file are not supported: ";

struct Range {
    std::uint64_t offset{0U};
    std::uint64_t size{0U};
    std::uint32_t buffer{0U};
};

std::string range_text(Bytes file, std::uint64_t offset, std::uint64_t size) {
    return " (offset " + std::to_string(offset) + ", size " + std::to_string(size) + ", in a file of " +
           std::to_string(file.size()) + " bytes)";
}

bool has_data(const format::Buffer& buffer) {
    return (buffer.data() != nullptr) && (buffer.data()->size() > 0U);
}

// Also true if it only claims to hold data.
bool holds_anything(const format::Buffer& buffer) {
    return has_data(buffer) || is_offset_set(buffer.offset()) || (buffer.size() > 1U);
}

[[noreturn]] void refuse(Bytes file, const Range& range, const std::string& reason) {
    throw ImportError("buffer " + std::to_string(range.buffer) + range_text(file, range.offset, range.size) + ": " +
                      reason);
}

// nullopt: nothing is outside the FlatBuffer.
std::optional<Range> checked_range(Bytes file, std::uint32_t index, const format::Buffer& buffer) {
    const Range range{buffer.offset(), buffer.size(), index};
    if (!is_offset_set(range.offset)) {
        if (range.size > 1U) {
            refuse(file, range, "it has a size and no offset");
        }
        return std::nullopt;
    }
    if (has_data(buffer)) {
        refuse(file, range, "it has data in the FlatBuffer and an offset");
    }
    if ((range.offset > file.size()) || (range.size > (file.size() - range.offset))) {
        refuse(file, range, "it reaches past the end of the file");
    }
    return (range.size == 0U) ? std::nullopt : std::optional<Range>{range};
}

}  // namespace

void check_outside_buffers(Bytes file, const format::Model& model) {
    std::vector<Range> ranges;
    const std::uint32_t count = (model.buffers() == nullptr) ? 0U : model.buffers()->size();
    if ((count > 0U) && holds_anything(*model.buffers()->Get(0U))) {
        throw ImportError("buffer 0 must be empty: tensors without contents name it");
    }
    for (std::uint32_t i = 0U; i < count; ++i) {
        const std::optional<Range> range = checked_range(file, i, *model.buffers()->Get(i));
        if (range.has_value()) {
            ranges.push_back(*range);
        }
    }
    if (ranges.empty()) {
        return;
    }
    std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
        return (a.offset != b.offset) ? (a.offset < b.offset) : (a.size < b.size);
    });
    // Everything that the verifier follows is before the first one.
    if (!is_model({file.data(), static_cast<std::size_t>(ranges.front().offset)})) {
        refuse(file, ranges.front(), "it overlaps the FlatBuffer");
    }
    // Equal constants may be stored once.
    for (std::size_t i = 1U; i < ranges.size(); ++i) {
        const Range& before = ranges[i - 1U];
        const bool is_equal = (before.offset == ranges[i].offset) && (before.size == ranges[i].size);
        if (!is_equal && ((before.offset + before.size) > ranges[i].offset)) {
            refuse(file, ranges[i], "it overlaps buffer " + std::to_string(before.buffer) + " in part");
        }
    }
}

Bytes contents_of(Bytes file, const format::Buffer& buffer) {
    if (has_data(buffer)) {
        return {buffer.data()->data(), buffer.data()->size()};
    }
    return is_offset_set(buffer.offset())
               ? Bytes{file.data() + buffer.offset(), static_cast<std::size_t>(buffer.size())}
               : Bytes{};
}

std::string buffer_name(Bytes file, std::uint32_t index, const format::Buffer& buffer) {
    return "buffer " + std::to_string(index) +
           (is_offset_set(buffer.offset()) ? range_text(file, buffer.offset(), buffer.size()) : std::string{});
}

std::string name_of(const format::Tensor& tensor, std::size_t index) {
    const std::string name = printable(tensor.name());
    return name.empty() ? ("tensor " + std::to_string(index)) : name;
}

std::string external_defect(const format::Model& model, const format::Tensor& tensor) {
    if (tensor.external_buffer() == 0U) {
        return {};
    }
    std::string text = kOutsideOfFile + std::string{"external buffer "} + std::to_string(tensor.external_buffer());
    const auto* const buffers = model.external_buffers();
    const auto* const groups = model.external_buffer_groups();
    for (std::uint32_t i = 0U; (buffers != nullptr) && (i < buffers->size()); ++i) {
        const format::ExternalBuffer& buffer = *buffers->Get(i);
        if (buffer.id() != tensor.external_buffer()) {
            continue;
        }
        const bool has_group = (groups != nullptr) && (buffer.group() < groups->size());
        const std::string group = has_group ? printable(groups->Get(buffer.group())->name()) : std::string{};
        text += " (group '";
        text += group;
        text += "', offset " + std::to_string(buffer.offset()) + ", length " + std::to_string(buffer.length()) + ")";
        return text;
    }
    return text;
}

void refuse_other_files(const format::Model& model, const std::vector<bool>& is_used) {
    bool is_named = false;
    const std::uint32_t graphs = (model.subgraphs() == nullptr) ? 0U : model.subgraphs()->size();
    for (std::uint32_t graph = 0U; graph < graphs; ++graph) {
        const auto* const tensors = model.subgraphs()->Get(graph)->tensors();
        for (std::uint32_t i = 0U; (tensors != nullptr) && (i < tensors->size()); ++i) {
            const std::string defect = external_defect(model, *tensors->Get(i));
            if (defect.empty()) {
                continue;
            }
            if ((graph != 0U) || !is_used.at(i)) {
                throw ImportError("'" + name_of(*tensors->Get(i), i) + "': " + defect);
            }
            is_named = true;
        }
    }
    const std::size_t buffers = (model.external_buffers() == nullptr) ? 0U : model.external_buffers()->size();
    const std::size_t groups =
        (model.external_buffer_groups() == nullptr) ? 0U : model.external_buffer_groups()->size();
    if (!is_named && ((buffers + groups) > 0U)) {
        throw ImportError(kOutsideOfFile + std::string{"the model lists "} + std::to_string(buffers) +
                          " external buffers in " + std::to_string(groups) + " groups");
    }
}

std::string outside_options_defect(const format::Operator& op) {
    const std::uint64_t offset = op.large_custom_options_offset();
    const std::uint64_t size = op.large_custom_options_size();
    if (!is_offset_set(offset) && (size <= 1U)) {
        return {};
    }
    return "large_custom_options_offset " + std::to_string(offset) + " and large_custom_options_size " +
           std::to_string(size) + " are not supported: options outside of the FlatBuffer";
}

}  // namespace pianola::tflite
