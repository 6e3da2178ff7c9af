#include "capture_host/capture/recorder.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace pianola::capture {
namespace {

constexpr std::uint32_t kCopyDestinationWord = 0U;
constexpr std::uint32_t kCopySourceWord = 1U;

}  // namespace

BufferId Recorder::add(Buffer buffer) {
    if (buffer.size_bytes == 0U) {
        throw std::invalid_argument("buffer '" + buffer.name + "' is empty");
    }
    if (buffers_.size() >= std::numeric_limits<std::uint32_t>::max()) {
        throw std::length_error("too many buffers");
    }
    const BufferId id{static_cast<std::uint32_t>(buffers_.size())};
    buffers_.push_back(std::move(buffer));
    return id;
}

BufferId Recorder::add_constant(std::string name, std::vector<std::uint8_t> contents) {
    if (contents.size() > std::numeric_limits<std::uint32_t>::max()) {
        throw std::length_error("constant '" + name + "' is larger than 4 GiB");
    }
    const auto known = constants_.find(contents);
    if (known != constants_.end()) {
        return known->second;
    }
    const auto size_bytes = static_cast<std::uint32_t>(contents.size());
    const BufferId id = add({std::move(name), BufferRole::kConstant, size_bytes, contents, {}});
    constants_.emplace(std::move(contents), id);
    return id;
}

BufferId Recorder::add_activation(std::string name, std::uint32_t size_bytes) {
    return add({std::move(name), BufferRole::kActivation, size_bytes, {}, {}});
}

BufferId Recorder::add_input(TensorInfo tensor, std::uint32_t size_bytes) {
    return add({tensor.name, BufferRole::kInput, size_bytes, {}, std::move(tensor)});
}

BufferId Recorder::add_output(TensorInfo tensor, std::uint32_t size_bytes) {
    return add({tensor.name, BufferRole::kOutput, size_bytes, {}, std::move(tensor)});
}

// Contents of one repeated byte need no constant if the kernel that fills by words accepts them.
BufferId Recorder::add_state(std::string name, const std::vector<std::uint8_t>& contents) {
    const std::string label = "reset " + name;
    const auto size_bytes = static_cast<std::uint32_t>(contents.size());
    const BufferId id = add({std::move(name), BufferRole::kState, size_bytes, {}, {}});
    const bool is_mixed =
        std::any_of(contents.begin(), contents.end(), [&](std::uint8_t byte) { return byte != contents.front(); });
    if (is_mixed || ((size_bytes % sizeof(std::uint32_t)) != 0U)) {
        resets_.push_back(make_copy(label, id, add_constant(label, contents), size_bytes));
        return id;
    }
    constexpr std::uint32_t kEachByte = 0x0101'0101U;
    Launch fill;
    fill.label = label;
    fill.kernel = refdev::KernelId::kFill;
    fill.arguments = {0U, size_bytes, contents.front() * kEachByte};
    fill.operands = {Operand{0U, id, 0U, Access::kWrite}};
    check(fill);
    resets_.push_back(std::move(fill));
    return id;
}

void Recorder::launch(Launch launch) {
    check(launch);
    launches_.push_back(std::move(launch));
}

void Recorder::check(const Launch& launch) const {
    for (const Operand& operand : launch.operands) {
        if (static_cast<std::size_t>(operand.buffer) >= buffers_.size()) {
            throw std::invalid_argument(launch.label + ": operand names a buffer that does not exist");
        }
        const Buffer& target = buffer(operand.buffer);
        if (operand.word >= launch.arguments.size()) {
            throw std::invalid_argument(launch.label + ": operand '" + target.name + "' names no argument word");
        }
        if (operand.offset_bytes >= target.size_bytes) {
            throw std::invalid_argument(launch.label + ": operand starts behind the end of '" + target.name + "'");
        }
        const bool written_by_device = (target.role == BufferRole::kActivation) ||
                                       (target.role == BufferRole::kOutput) || (target.role == BufferRole::kState);
        if ((operand.access != Access::kRead) && ((operand.access != Access::kWrite) || !written_by_device)) {
            throw std::invalid_argument(launch.label + ": access to '" + target.name + "' is not permitted");
        }
    }
}

void Recorder::copy(std::string label, BufferId destination, BufferId source, std::uint32_t size_bytes) {
    launches_.push_back(make_copy(std::move(label), destination, source, size_bytes));
}

Launch Recorder::make_copy(std::string label, BufferId destination, BufferId source, std::uint32_t size_bytes) const {
    if ((size_bytes == 0U) || (size_bytes > buffer(destination).size_bytes) ||
        (size_bytes > buffer(source).size_bytes)) {
        throw std::invalid_argument(label + ": copy of " + std::to_string(size_bytes) + " bytes does not fit");
    }
    Launch command;
    command.label = std::move(label);
    command.kind = CommandKind::kCopy;
    command.arguments = {0U, 0U, size_bytes};
    command.operands = {Operand{kCopyDestinationWord, destination, 0U, Access::kWrite},
                        Operand{kCopySourceWord, source, 0U, Access::kRead}};
    check(command);
    return command;
}

StagedCopies Recorder::stage_transfers() {
    StagedCopies copies;
    std::vector<Launch> computing = std::move(launches_);
    std::vector<Launch> storing;
    launches_.clear();
    const std::size_t count = buffers_.size();
    for (std::size_t i = 0U; i < count; ++i) {
        const BufferId id{static_cast<std::uint32_t>(i)};
        const BufferRole role = buffers_[i].role;
        if ((role != BufferRole::kInput) && (role != BufferRole::kOutput)) {
            continue;
        }
        const std::string name = buffers_[i].name;
        const std::uint32_t size_bytes = buffers_[i].size_bytes;
        const BufferId staged = add_activation(name + " (staged)", size_bytes);
        for (Launch& launch : computing) {
            for (Operand& operand : launch.operands) {
                operand.buffer = (operand.buffer == id) ? staged : operand.buffer;
            }
        }
        if (role == BufferRole::kInput) {
            copy("load " + name, staged, id, size_bytes);
            copies.inputs += 1U;
        } else {
            copy("store " + name, id, staged, size_bytes);
            storing.push_back(std::move(launches_.back()));
            launches_.pop_back();
            copies.outputs += 1U;
        }
    }
    launches_.insert(launches_.end(), computing.begin(), computing.end());
    launches_.insert(launches_.end(), storing.begin(), storing.end());
    return copies;
}

void Recorder::rewrite_launches(const std::function<void(Launch&)>& change) {
    std::vector<Launch> launches = std::move(launches_);
    launches_.clear();
    for (Launch& each : launches) {
        change(each);
        launch(std::move(each));
    }
}

void Recorder::empty_unused_constants() {
    std::vector<bool> is_used(buffers_.size());
    for (const std::vector<Launch>* const list : {&launches_, &resets_}) {
        for (const Launch& launch : *list) {
            for (const Operand& operand : launch.operands) {
                is_used.at(static_cast<std::size_t>(operand.buffer)) = true;
            }
        }
    }
    for (std::size_t id = 0U; id < buffers_.size(); ++id) {
        Buffer& buffer = buffers_[id];
        if (!is_used[id] && (buffer.role == BufferRole::kConstant)) {
            constants_.erase(buffer.contents);
            buffer.contents.clear();
            buffer.size_bytes = 0U;
        }
    }
}

void Recorder::set_source(std::string name, std::array<std::uint8_t, 32> sha256) {
    source_name_ = std::move(name);
    source_sha256_ = sha256;
}

}  // namespace pianola::capture
