// Stands in for Zephyr's header: what the module and its sample call, on a host. A tick is a microsecond.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

inline std::int64_t k_uptime_ticks() {
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}
constexpr std::uint64_t k_ticks_to_us_floor64(std::uint64_t ticks) {
    return ticks;
}
inline void k_yield() {}
inline std::int32_t k_usleep(std::int32_t duration_us) {
    std::this_thread::sleep_for(std::chrono::microseconds{duration_us});
    return 0;
}
