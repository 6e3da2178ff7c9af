#include "capture_host/host/capture/origins.h"

#include <algorithm>

namespace pianola::host {

void append(std::vector<Origin>& origins, const Origin& origin) {
    if (!origins.empty() && (origins.back().writer == origin.writer) &&
        ((origins.back().offset + origins.back().bytes) == origin.offset)) {
        origins.back().bytes += origin.bytes;
    } else {
        origins.push_back(origin);
    }
}

void Origins::write(std::uint64_t begin, std::uint64_t end, std::uint64_t writer, std::uint64_t offset) {
    auto at = written_.lower_bound(begin);
    if ((at != written_.begin()) && (std::prev(at)->second.end > begin)) {
        Written& before = std::prev(at)->second;
        const std::uint64_t start = std::prev(at)->first;
        if (before.end > end) {
            written_.emplace(end, Written{before.end, before.writer, before.offset + (end - start)});
        }
        before.end = begin;
        at = written_.lower_bound(begin);
    }
    while ((at != written_.end()) && (at->first < end)) {
        if (at->second.end > end) {
            const Written rest{at->second.end, at->second.writer, at->second.offset + (end - at->first)};
            written_.emplace(end, rest);
        }
        at = written_.erase(at);
    }
    written_[begin] = Written{end, writer, offset};
}

std::vector<Origin> Origins::of(std::uint64_t begin, std::uint64_t end) const {
    std::vector<Origin> found;
    std::uint64_t at = begin;
    auto next = written_.upper_bound(begin);
    if ((next != written_.begin()) && (std::prev(next)->second.end > begin)) {
        --next;
    }
    while (at < end) {
        const bool is_written = (next != written_.end()) && (next->first <= at);
        const std::uint64_t until =
            std::min(end, is_written ? next->second.end : ((next != written_.end()) ? std::max(next->first, at) : end));
        append(found, {is_written ? next->second.writer : 0U,
                       is_written ? (next->second.offset + (at - next->first)) : at, until - at});
        at = until;
        if (is_written) {
            ++next;
        }
    }
    return found;
}

}  // namespace pianola::host
