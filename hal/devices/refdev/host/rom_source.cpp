#include "hal/devices/refdev/host/rom_source.h"

#include <fmt/format.h>

#include <array>

#include "hal/devices/refdev/kernels/kernel.h"

namespace pianola::refdev {
namespace {

// What the source names of a kernel.
struct Names {
    const char* enumerator;
    const char* describe;
    const char* work;
    const char* compute;
};
constexpr std::array kNames{
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_KERNEL(id, enumerator, name, version, arguments, describe, work, compute) \
    Names{#enumerator, #describe, #work, #compute},
#include "hal/devices/refdev/kernels/kernels.inc"
#undef PIANOLA_KERNEL
};

}  // namespace

std::string rom_source(Span<const std::uint32_t> ids) {
    std::string kernels;
    std::string checks;
    std::string places;
    std::uint32_t next = 0U;  // id of the next place
    for (std::uint32_t i = 0U; i < ids.size(); ++i) {
        const Kernel* const kernel = find_kernel(ids[i]);
        if ((kernel == nullptr) || (ids[i] < next)) {
            return {};
        }
        const Names& names = kNames.at(ids[i] - 1U);
        kernels += fmt::format("    {{KernelId::{}, {}U, \"{}\", {}U, 0x{:X}ULL, 0x{:X}ULL, {}, {}, {}}},\n",
                               names.enumerator, kernel->version, kernel->name, kernel->argument_words,
                               kernel->address_words, kernel->value_words, names.describe, names.work, names.compute);
        checks += fmt::format("static_assert(version_of(KernelId::{}) == {}U, \"{} is of another version\");\n",
                              names.enumerator, kernel->version, kernel->name);
        for (; next < ids[i]; ++next) {
            places += "0U, ";
        }
        places += fmt::format("{}U, ", i + 1U);
        next += 1U;
    }
    if (places.empty()) {
        return {};
    }
    places.resize(places.size() - 2U);
    return fmt::format(
        "#include \"hal/devices/refdev/kernels/kernel.h\"\n"
        "#include \"hal/devices/refdev/kernels/kernels.h\"\n\n"
        "namespace pianola::refdev {{\n"
        "namespace {{\n\n"
        "constexpr std::array<Kernel, {0}> kRom{{{{\n{1}}}}};\n"
        "{2}\n"
        "// The place in the ROM of each id, from 1; 0 for a kernel that is not in it.\n"
        "constexpr std::array<std::uint8_t, {3}> kPlaces{{{{{4}}}}};\n\n"
        "}}  // namespace\n\n"
        "Span<const Kernel> kernel_rom() noexcept {{\n"
        "    return kRom;\n"
        "}}\n\n"
        "const Kernel* find_kernel(std::uint32_t id) noexcept {{\n"
        "    const std::uint32_t place = (id < kPlaces.size()) ? kPlaces[id] : 0U;\n"
        "    return (place != 0U) ? &kRom[place - 1U] : nullptr;\n"
        "}}\n\n"
        "}}  // namespace pianola::refdev\n",
        ids.size(), kernels, checks, next, places);
}

}  // namespace pianola::refdev
