// HostChannel: numbers to and from a program of the host, by two named pipes.
//
// While a core waits for the host, an emulator that counts instructions lets no core go on and no time pass: the host
// may look at memory, and change it, at a moment that comes again with every run.
#pragma once

#include <array>
#include <cstdint>

namespace pianola::baremetal {

inline constexpr std::uint32_t kMessageWords = 16U;
using Message = std::array<std::uint32_t, kMessageWords>;

class HostChannel {
  public:
    // Opens both. False where one is not there.
    [[nodiscard]] bool open(const char* to_host, const char* from_host) noexcept;
    // Callable from every core, one at a time. False where the host has gone.
    [[nodiscard]] bool send(const Message& message) const noexcept;
    [[nodiscard]] bool receive(Message& message) const noexcept;

  private:
    std::intptr_t to_host_{0};
    std::intptr_t from_host_{0};
};

}  // namespace pianola::baremetal
