// Devices and command sets that pass every call on: a test overrides the calls that it changes.
#pragma once

#include "hal/devices/refdev/refdev_command_set.h"
#include "pianola/device.h"

namespace pianola::test {

// Passes every call on to another device, which must outlive it.
class ForwardingDevice : public Device {
  public:
    explicit ForwardingDevice(Device& inner) : inner_{inner} {}

    Status describe(DeviceDescription& description) const noexcept override { return inner_.describe(description); }
    Status reset() noexcept override { return inner_.reset(); }
    Status program_region(const RegionConfig& region) noexcept override { return inner_.program_region(region); }
    Status programmed_region(std::uint32_t index, RegionConfig& region) const noexcept override {
        return inner_.programmed_region(index, region);
    }
    Status read_back(std::uint32_t address, MutableByteSpan out) noexcept override {
        return inner_.read_back(address, out);
    }
    Status patch_word(std::uint32_t address, std::uint32_t word) noexcept override {
        return inner_.patch_word(address, word);
    }
    Status bind_source(std::uint32_t slot, ByteSpan memory) noexcept override {
        return inner_.bind_source(slot, memory);
    }
    Status bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept override {
        return inner_.bind_destination(slot, memory);
    }
    [[nodiscard]] ByteSpan bound_source(std::uint32_t slot) const noexcept override {
        return inner_.bound_source(slot);
    }
    [[nodiscard]] ByteSpan bound_destination(std::uint32_t slot) const noexcept override {
        return inner_.bound_destination(slot);
    }
    [[nodiscard]] MutableByteSpan host_view(std::uint32_t address, std::uint32_t size_bytes) noexcept override {
        return inner_.host_view(address, size_bytes);
    }
    void give_to_device(ByteSpan view) noexcept override { inner_.give_to_device(view); }
    void take_from_device(MutableByteSpan view) noexcept override { inner_.take_from_device(view); }
    Status enqueue(std::uint32_t queue, const QueueCommand& command) noexcept override {
        return inner_.enqueue(queue, command);
    }
    Status ring_doorbell(std::uint32_t queue) noexcept override { return inner_.ring_doorbell(queue); }
    Status service() noexcept override { return inner_.service(); }
    Status completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept override {
        return inner_.completion(queue, token, completion);
    }

  protected:
    ~ForwardingDevice() = default;
    [[nodiscard]] Device& inner() const noexcept { return inner_; }

  private:
    Device& inner_;
};

// The reference device's command set.
class ForwardingCommandSet : public CommandSet {
  public:
    Status decode(WordSpan words, DecodeState& state, DecodedCommand& command,
                  DecodeError& error) const noexcept override {
        return inner_.decode(words, state, command, error);
    }
    [[nodiscard]] KernelIdentity kernel(std::uint32_t id) const noexcept override { return inner_.kernel(id); }
    [[nodiscard]] PatchKind patch_kind(WordSpan words, std::uint32_t word) const noexcept override {
        return inner_.patch_kind(words, word);
    }
    [[nodiscard]] std::uint32_t queue_words(const QueueCommand& command) const noexcept override {
        return inner_.queue_words(command);
    }
    [[nodiscard]] std::uint64_t queue_cycles(const QueueCommand& command) const noexcept override {
        return inner_.queue_cycles(command);
    }
    [[nodiscard]] std::uint64_t seal(std::uint64_t digest, std::uint32_t number, std::uint64_t trace_digest,
                                     QueueCommand& command) const noexcept override {
        return inner_.seal(digest, number, trace_digest, command);
    }
    [[nodiscard]] std::uint64_t trace_digest(std::uint64_t digest, WordSpan words) const noexcept override {
        return inner_.trace_digest(digest, words);
    }

  protected:
    ForwardingCommandSet() = default;
    ~ForwardingCommandSet() = default;

  private:
    refdev::RefdevCommandSet inner_;
};

}  // namespace pianola::test
