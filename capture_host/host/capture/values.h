// Values: the contents of bytes, as expressions over the host's writes.
//
// A capture proves with them that its binary computes what the program computed, whatever the data. Equal expressions
// have one number, also across sequences of calls. A copy of bytes has their value.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "capture_host/host/capture/call_log.h"
#include "capture_host/host/capture/origins.h"

namespace pianola::host {

// A write that gives a record one of its inputs.
struct Given {
    std::int64_t record{0};
    std::uint32_t input{0U};
};
using GivenByCall = std::map<std::uint64_t, Given>;  // by the call's number

class Values {
  public:
    Values(const CommandSet& command_set, GivenByCall given) : command_set_{command_set}, given_{std::move(given)} {}

    static constexpr std::int64_t kNoRecord = -1;

    struct Value {
        std::vector<std::uint64_t> head;  // the computation, without its operands
        std::vector<Origin> operands;     // writers are values
        std::int64_t oldest{kNoRecord};   // records that it depends on
        std::int64_t newest{kNoRecord};
        std::uint64_t like{0U};  // equal for values that differ only in the numbers of records
    };

    // A sequence of calls. Its memory is empty at first.
    class Sequence {
      public:
        explicit Sequence(Values& values) : values_{values} {}
        // Returns what the call reads, if it is a read.
        std::vector<Origin> add(const Call& call);

      private:
        [[nodiscard]] std::vector<Origin> read(const std::vector<AddressRange>& runs) const;
        void command(WordSpan words, const DecodedCommand& command);

        Values& values_;
        Origins memory_;
    };

    // Without a writer: an empty value, which depends on nothing.
    [[nodiscard]] const Value& at(std::uint64_t value) const { return values_.at(value); }
    // The numbers of read data without those of records.
    [[nodiscard]] std::vector<Origin> like(std::vector<Origin> origins) const;

  private:
    // The value's number.
    std::uint64_t number_of(const std::vector<std::uint64_t>& head, std::vector<Origin> operands, const Given* given);

    const CommandSet& command_set_;
    GivenByCall given_;
    std::vector<Value> values_{Value{}};
    std::map<std::vector<std::uint64_t>, std::uint64_t> known_;
    std::map<std::vector<std::uint64_t>, std::uint64_t> likes_;
};

}  // namespace pianola::host
