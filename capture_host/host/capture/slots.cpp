#include "capture_host/host/capture/slots.h"

#include <map>
#include <set>

namespace pianola::host {
namespace {

// Above all ids that devices give.
constexpr std::uint64_t kSlots = 1ULL << 63U;
constexpr unsigned kDeviceShift = 40U;
constexpr unsigned kQueueShift = 32U;

struct Use {
    std::uint32_t records{0U};
    bool is_awaited_first{false};
    std::uint64_t last_wait{0U};  // its call's number
};

std::map<std::uint64_t, Use> uses_of(const std::vector<Section>& sections) {
    std::map<std::uint64_t, Use> uses;
    for (const Section& section : sections) {
        for (const Call& call : section.calls) {
            if (call.kind == CallKind::kRecordEvent) {
                uses[call.object].records += 1U;
            } else if (call.kind == CallKind::kWaitEvent) {
                Use& use = uses[call.object];
                use.is_awaited_first = use.is_awaited_first || (use.records == 0U);
                use.last_wait = call.number;
            } else {
                // Neither.
            }
        }
    }
    return uses;
}

class Slots {
  public:
    explicit Slots(const std::vector<Section>& sections) : uses_{uses_of(sections)} {}

    void rename(Call& call) {
        const bool is_record = call.kind == CallKind::kRecordEvent;
        if (!is_record && (call.kind != CallKind::kWaitEvent)) {
            return;
        }
        const Use& use = uses_.at(call.object);
        if ((use.records != 1U) || use.is_awaited_first) {
            return;
        }
        call.event = call.object;
        if (is_record) {
            std::set<std::uint64_t>& taken = taken_[{call.device, call.queue}];
            std::uint64_t slot = first_of(call);
            while (taken.count(slot) != 0U) {
                slot += 1U;
            }
            slots_[call.event] = {slot, &taken};
            if (use.last_wait != 0U) {
                taken.insert(slot);
            }
        }
        const auto& [slot, taken] = slots_.at(call.event);
        call.object = slot;
        if (call.number == use.last_wait) {
            taken->erase(slot);
        }
    }

  private:
    static std::uint64_t first_of(const Call& record) {
        return kSlots | (std::uint64_t{record.device} << kDeviceShift) | (std::uint64_t{record.queue} << kQueueShift);
    }

    std::map<std::uint64_t, Use> uses_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::uint64_t>> taken_;   // by device and queue
    std::map<std::uint64_t, std::pair<std::uint64_t, std::set<std::uint64_t>*>> slots_;  // by event
};

}  // namespace

std::vector<Section> with_event_slots(const std::vector<Section>& sections) {
    Slots slots{sections};
    std::vector<Section> renamed = sections;
    for (Section& section : renamed) {
        for (Call& call : section.calls) {
            slots.rename(call);
        }
    }
    return renamed;
}

}  // namespace pianola::host
