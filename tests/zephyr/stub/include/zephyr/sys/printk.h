// Stands in for Zephyr's header, on a host. Zephyr's printk() is a function of C with any number of arguments; this one
// takes the same calls, and replaces each %u and %s by the next argument.
#pragma once

#include <cstring>
#include <iostream>

inline void printk(const char* format) {
    std::cout << format;
}
template <typename First, typename... Others>
void printk(const char* format, First first, Others... others) {
    const char* const place = std::strchr(format, '%');
    if (place == nullptr) {
        std::cout << format;
        return;
    }
    std::cout.write(format, place - format);
    std::cout << first;
    printk(place + 2, others...);
}
