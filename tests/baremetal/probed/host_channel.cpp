#include "tests/baremetal/probed/host_channel.h"

#include <cstring>

#include "hal/arch/semihosting_call.h"

namespace pianola::baremetal {
namespace {

// Operations and modes: see hal/boards/common/semihosting.h.
constexpr std::uint32_t kOpen = 0x01U;
constexpr std::uint32_t kWrite = 0x05U;
constexpr std::uint32_t kRead = 0x06U;
constexpr std::uintptr_t kModeReadBinary = 1U;
constexpr std::uintptr_t kModeWriteBinary = 5U;
constexpr std::intptr_t kNoFile = -1;

struct OpenBlock {
    const char* name;
    std::uintptr_t mode;
    std::uintptr_t name_bytes;
};
struct SendBlock {
    std::intptr_t handle;
    const std::uint32_t* words;
    std::uintptr_t bytes;
};
struct ReceiveBlock {
    std::intptr_t handle;
    std::uint32_t* words;
    std::uintptr_t bytes;
};

bool open_pipe(const char* name, std::uintptr_t mode, std::intptr_t& handle) noexcept {
    const OpenBlock block{name, mode, std::strlen(name)};
    handle = semihosting::call(kOpen, &block);
    return handle != kNoFile;
}

}  // namespace

bool HostChannel::open(const char* to_host, const char* from_host) noexcept {
    return open_pipe(to_host, kModeWriteBinary, to_host_) && open_pipe(from_host, kModeReadBinary, from_host_);
}

// Both answer with the bytes that are missing. A message is shorter than what a pipe moves in one piece.
bool HostChannel::send(const Message& message) const noexcept {
    const SendBlock block{to_host_, message.data(), sizeof(message)};
    return semihosting::call(kWrite, &block) == 0;
}

bool HostChannel::receive(Message& message) const noexcept {
    const ReceiveBlock block{from_host_, message.data(), sizeof(message)};
    return semihosting::call(kRead, &block) == 0;
}

}  // namespace pianola::baremetal
