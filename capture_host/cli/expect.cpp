#include "capture_host/cli/expect.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture_host/cli/cli.h"
#include "capture_host/cli/options.h"
#include "pianola/config.h"
#include "pianola_host/files.h"

namespace pianola::cli {
namespace {

using replay::Tensors;
using Bytes = std::vector<std::uint8_t>;

// One inference's bytes of one direction: all its tensors, one after another.
class Record {
  public:
    Record(const capture::Recorder& recorder, capture::BufferRole role, const char* what) : what_{what} {
        for (const capture::Buffer& buffer : recorder.buffers()) {
            if (buffer.role == role) {
                sizes_.push_back(buffer.size_bytes);
                bytes_ += buffer.size_bytes;
            }
        }
    }

    // The whole file. Throws CliError if it does not hold whole records, or more than a binary can have.
    [[nodiscard]] Bytes load(const std::string& name) const {
        const std::uint64_t limit = std::min<std::uint64_t>(kMaxSelfTests * bytes_, kMaxFileBytes);
        Bytes contents;
        try {
            contents = files::load_file(name, limit);
        } catch (const files::FileTooLong&) {
            fail(name, fmt::format("has more than {} bytes; {}", limit, remedy()));
        }
        if ((bytes_ == 0U) ? !contents.empty() : (contents.empty() || ((contents.size() % bytes_) != 0U))) {
            fail(name, fmt::format("has {} bytes", contents.size()));
        }
        return contents;
    }

    // Records in the result of load(); 0 if a record has no bytes: then the other file has the number.
    [[nodiscard]] std::size_t count(const Bytes& contents) const {
        return (bytes_ == 0U) ? 0U : static_cast<std::size_t>(contents.size() / bytes_);
    }
    [[nodiscard]] bool is_empty() const noexcept { return bytes_ == 0U; }

    [[nodiscard]] Tensors tensors(const Bytes& contents, std::size_t index) const {
        Tensors tensors;
        auto next = contents.begin() + static_cast<std::ptrdiff_t>(index * bytes_);
        for (const std::uint32_t size : sizes_) {
            tensors.emplace_back(next, next + size);
            next += size;
        }
        return tensors;
    }

    [[nodiscard]] static std::string remedy() {
        return fmt::format(
            "a binary holds at most {} vectors, and {} bytes in all: give fewer records, and compare the others with "
            "`pianola run --batch`",
            kMaxSelfTests, kMaxFileBytes);
    }

  private:
    [[noreturn]] void fail(const std::string& name, const std::string& wrong) const {
        throw CliError{kUsage, fmt::format("--expect: {} {}; one record is all {} of one inference, one after another: "
                                           "{} bytes, or a multiple",
                                           name, wrong, what_, bytes_)};
    }

    const char* what_;
    std::vector<std::uint32_t> sizes_;
    std::uint64_t bytes_{0U};
};

// The pair of files that an inference is from, and its number there.
struct Origin {
    std::size_t pair{0U};
    std::size_t record{0U};
};
Origin origin_of(std::size_t inference, const ExpectedRecords& records) {
    Origin origin;
    origin.record = inference;
    while (inference >= records.ends.at(origin.pair)) {
        origin.record = inference - records.ends.at(origin.pair);
        origin.pair += 1U;
    }
    return origin;
}

}  // namespace

void add_expect_option(CLI::App& command, std::vector<ExpectedFiles>& files) {
    command
        .add_option("--expect", files,
                    "Two files, IN and OUT: inputs, and the outputs that another implementation computed of them. The "
                    "binary is made only where it computes the same, to the byte; they become its first self-test "
                    "vectors. A file holds one record for each inference: all inputs, or all outputs, one after "
                    "another. May be given several times; records are consecutive steps from a reset")
        ->type_name(kReads)
        ->allow_extra_args(false);
}

ExpectedRecords load_expected(const std::vector<ExpectedFiles>& files, const capture::Recorder& recorder,
                              std::uint32_t others) {
    const Record inputs{recorder, capture::BufferRole::kInput, "inputs"};
    const Record outputs{recorder, capture::BufferRole::kOutput, "outputs"};
    ExpectedRecords records;
    for (const auto& [input_name, output_name] : files) {
        const Bytes given = inputs.load(input_name);
        const Bytes wanted = outputs.load(output_name);
        const std::size_t count = outputs.count(wanted);
        if (!inputs.is_empty() && (inputs.count(given) != count)) {
            throw CliError{kUsage, fmt::format("--expect: {} holds inputs of {} inferences, {} outputs of {}",
                                               input_name, inputs.count(given), output_name, count)};
        }
        for (std::size_t i = 0U; i < count; ++i) {
            records.inferences.push_back({inputs.tensors(given, i), outputs.tensors(wanted, i)});
        }
        records.ends.push_back(records.inferences.size());
    }
    const std::size_t vectors = records.inferences.size() + others;
    if (!files.empty() && (vectors > kMaxSelfTests)) {
        throw CliError{kUsage, fmt::format("--expect: {} records, and {} of --self-test, are {} vectors; {}",
                                           records.inferences.size(), others, vectors, Record::remedy())};
    }
    return records;
}

std::string describe_difference(const capture::OutputDifference& difference, const std::vector<ExpectedFiles>& files,
                                const ExpectedRecords& records) {
    const Origin origin = origin_of(difference.inference, records);
    const auto& [input_name, output_name] = files.at(origin.pair);
    std::string text = fmt::format(
        "--expect {} {}: record {}, output {} '{}' ({}), element {}: {} was expected, the binary gives {}; {} of {} "
        "elements of this output differ, {} in all, in {} of {} records",
        files::readable(input_name), files::readable(output_name), origin.record, difference.output, difference.tensor,
        name_of(difference.type), difference.element, difference.expected, difference.got, difference.differing,
        difference.elements, difference.differing_in_all, difference.differing_inferences, difference.inferences);
    if (difference.has_state && (difference.inferences > 1U)) {
        text += "; the model keeps state: records are consecutive steps from a reset";
    }
    return text;
}

nlohmann::json difference_to_json(const capture::OutputDifference& difference, const std::vector<ExpectedFiles>& files,
                                  const ExpectedRecords& records) {
    const Origin origin = origin_of(difference.inference, records);
    return {{"expected_inputs", files.at(origin.pair).first},
            {"expected_outputs", files.at(origin.pair).second},
            {"record", origin.record},
            {"output", difference.output},
            {"tensor", difference.tensor},
            {"type", name_of(difference.type)},
            {"element", difference.element},
            {"expected", difference.expected},
            {"got", difference.got},
            {"differing", difference.differing},
            {"elements", difference.elements},
            {"differing_in_all", difference.differing_in_all},
            {"differing_records", difference.differing_inferences},
            {"records", difference.inferences}};
}

}  // namespace pianola::cli
