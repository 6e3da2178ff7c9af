#include "capture_host/decompile/symbolic_memory.h"

#include <algorithm>
#include <stdexcept>

#include "capture_host/binary/trace_walk.h"

namespace pianola::decompile {

void SymbolicMemory::add_region(std::uint32_t base, std::uint32_t size_bytes) {
    regions_.emplace(base, Tokens(size_bytes, kUndefined));
}

const Tokens& SymbolicMemory::region(std::uint32_t address, std::size_t size_bytes, std::size_t& offset) const {
    auto next = regions_.upper_bound(address);
    if (next == regions_.begin()) {
        throw std::out_of_range{"an address in front of the regions"};
    }
    --next;
    offset = address - next->first;
    if ((offset > next->second.size()) || (size_bytes > (next->second.size() - offset))) {
        throw std::out_of_range{"an address outside the regions"};
    }
    return next->second;
}

Tokens SymbolicMemory::read(std::uint32_t address, std::size_t size_bytes) const {
    std::size_t offset = 0U;
    const Tokens& tokens = region(address, size_bytes, offset);
    const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(offset);
    return {first, first + static_cast<std::ptrdiff_t>(size_bytes)};
}

Tokens SymbolicMemory::read(const Extent& extent) const {
    Tokens all;
    targets::for_each_run(extent, [&](std::uint64_t begin, std::uint64_t end) {
        const Tokens run = read(static_cast<std::uint32_t>(begin), static_cast<std::size_t>(end - begin));
        all.insert(all.end(), run.begin(), run.end());
    });
    return all;
}

void SymbolicMemory::write(std::uint32_t address, const Tokens& tokens) {
    std::size_t offset = 0U;
    (void)region(address, tokens.size(), offset);
    auto& home = std::prev(regions_.upper_bound(address))->second;
    std::copy(tokens.begin(), tokens.end(), home.begin() + static_cast<std::ptrdiff_t>(offset));
}

void SymbolicMemory::write(std::uint32_t address, ByteSpan bytes) {
    write(address, Tokens(bytes.begin(), bytes.end()));
}

bool SymbolicMemory::keep_invariant(const SymbolicMemory& before, const Successors& successors) {
    bool has_lost = false;
    for (auto& [base, tokens] : regions_) {
        const Tokens& old = before.regions_.at(base);
        for (std::size_t i = 0U; i < tokens.size(); ++i) {
            const bool is_kept = (tokens[i] == old[i]) || (successors.count({old[i], tokens[i]}) != 0U);
            has_lost = has_lost || (!is_kept && (old[i] != kUndefined));
            tokens[i] = is_kept ? tokens[i] : kUndefined;
        }
    }
    return has_lost;
}

}  // namespace pianola::decompile
