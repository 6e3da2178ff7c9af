#include "capture_host/cli/execution_log_file.h"

#include <algorithm>

namespace pianola::cli {
namespace {

// Sequence numbers of what a log holds; first > last where that is nothing.
std::uint64_t first_of(const QueueLog& log) {
    return std::uint64_t{log.written} - log.commands.size() + 1U;
}

// Two commands that the rings still hold.
bool is_same(const std::optional<LoggedCommand>& left, const std::optional<LoggedCommand>& right) {
    return left.has_value() && right.has_value() && (left->sequence == right->sequence) &&
           (left->kind == right->kind) && (left->fault == right->fault) && (left->kernel_id == right->kernel_id) &&
           (left->digest == right->digest);
}

// The command with that sequence number, if the ring still holds it.
std::optional<LoggedCommand> command_at(const QueueLog& log, std::uint64_t sequence) {
    if ((sequence < first_of(log)) || (sequence > log.written)) {
        return std::nullopt;
    }
    return log.commands.at(static_cast<std::size_t>(sequence - first_of(log)));
}

void note_difference(const QueueLog& left, const QueueLog& right, std::uint64_t sequence, QueueComparison& result) {
    result.differs = true;
    result.sequence = sequence;
    result.left = command_at(left, sequence);
    result.right = command_at(right, sequence);
}

QueueComparison compare_queue(std::uint32_t queue, const QueueLog& left, const QueueLog& right) {
    QueueComparison result;
    result.queue = queue;
    result.first = std::max(first_of(left), first_of(right));
    result.last = std::min<std::uint64_t>(left.written, right.written);
    result.is_partial = result.first > 1U;
    for (std::uint64_t sequence = result.first; sequence <= result.last; ++sequence) {
        if (!is_same(command_at(left, sequence), command_at(right, sequence))) {
            note_difference(left, right, sequence, result);
            return result;
        }
    }
    if (left.written != right.written) {  // one goes on where the other ends
        note_difference(left, right, std::max(result.first, result.last + 1U), result);
    }
    return result;
}

}  // namespace

std::vector<QueueComparison> compare_logs(const std::vector<QueueLog>& left, const std::vector<QueueLog>& right) {
    const QueueLog empty;
    std::vector<QueueComparison> comparisons;
    for (std::size_t queue = 0U; queue < std::max(left.size(), right.size()); ++queue) {
        comparisons.push_back(compare_queue(static_cast<std::uint32_t>(queue),
                                            (queue < left.size()) ? left[queue] : empty,
                                            (queue < right.size()) ? right[queue] : empty));
    }
    return comparisons;
}

}  // namespace pianola::cli
