#include "capture_host/timeline/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <utility>

namespace pianola::timeline {
namespace {

constexpr std::string_view kFirstWord{"pianola-measure"};
constexpr std::string_view kVersion{"1"};
constexpr std::string_view kNothing{"-"};
constexpr std::string_view kOutside{"outside"};

std::vector<std::string_view> words_of(std::string_view line) {
    constexpr std::string_view kSpace{" \t\r"};
    std::vector<std::string_view> words;
    for (std::size_t at = line.find_first_not_of(kSpace); at != std::string_view::npos;) {
        const std::size_t end = std::min(line.find_first_of(kSpace, at), line.size());
        words.push_back(line.substr(at, end - at));
        at = line.find_first_not_of(kSpace, end);
    }
    return words;
}

class LogReader {
  public:
    LogReader(std::string_view text, const std::vector<std::uint64_t>& counts) : text_{text}, counts_{counts} {}

    Measurement read() {
        while (!text_.empty() && !is_done_) {
            const std::size_t end = std::min(text_.find('\n'), text_.size());
            line_ += 1U;
            words_ = words_of(text_.substr(0U, end));
            text_.remove_prefix(std::min(end + 1U, text_.size()));
            if (!words_.empty()) {
                read_line();
            }
        }
        if (!is_open_) {
            throw NotAMeasurement{fmt::format("no line begins with {}", kFirstWord)};
        }
        if (!is_done_) {
            throw NotAMeasurement{fmt::format("ends after line {} without the line done", line_)};
        }
        if (is_outside_ && (next_ != counts_.size())) {
            throw NotAMeasurement{fmt::format("{} counts for {} intervals", counts_.size(), next_)};
        }
        return std::move(measurement_);
    }

  private:
    [[noreturn]] void fail(std::string_view what) const {
        throw NotAMeasurement{fmt::format("line {}: {}", line_, what)};
    }

    void require_words(std::size_t count) const {
        if (words_.size() != count) {
            fail(fmt::format("{} has {} words, not {}", words_.front(), words_.size(), count));
        }
    }

    [[nodiscard]] std::uint64_t number(std::size_t word) const {
        std::uint64_t value = 0U;
        const std::string_view text = words_.at(word);
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if ((error != std::errc{}) || (end != (text.data() + text.size()))) {
            fail(fmt::format("{} is no number", text));
        }
        return value;
    }

    // A count of this line, or the next one that was counted outside.
    [[nodiscard]] std::uint64_t count(std::size_t word) {
        if (!is_outside_) {
            return number(word);
        }
        if (words_.at(word) != kNothing) {
            fail("a count, although the image does not count");
        }
        next_ += 1U;
        if (next_ > counts_.size()) {
            fail(counts_.empty() ? "counted outside of the image, and the counts are not here" : "no count for it");
        }
        return counts_[next_ - 1U];
    }

    [[nodiscard]] MeasuredRelease& release() {
        if (measurement_.releases.empty()) {
            fail("before the line release");
        }
        return measurement_.releases.back();
    }

    [[nodiscard]] MeasuredPhase& phase() {
        if (release().phases.empty() || !is_in_phase_) {
            fail("in no phase");
        }
        return release().phases.back();
    }

    void read_line() {
        const std::string_view word = words_.front();
        if (!is_open_) {
            is_open_ = word == kFirstWord;
            if (is_open_ && ((words_.size() != 2U) || (words_[1] != kVersion))) {
                fail(fmt::format("only version {} of the protocol is read", kVersion));
            }
            return;
        }
        if ((word == "refused") || (word == "fault") || (word == "error") || (word == "room")) {
            give_up(word);
        }
        static const std::map<std::string_view, void (LogReader::*)()> kLines{
            {"board", &LogReader::read_board},     {"counter", &LogReader::read_counter},
            {"profile", &LogReader::read_profile}, {"binary", &LogReader::read_binary},
            {"release", &LogReader::read_release}, {"io", &LogReader::read_io},
            {"phase", &LogReader::read_phase},     {"service", &LogReader::read_service},
            {"end", &LogReader::read_end},         {"outputs", &LogReader::read_outputs},
            {"done", &LogReader::read_done},
        };
        const auto found = kLines.find(word);
        if (found != kLines.end()) {
            (this->*(found->second))();
        }
    }

    [[noreturn]] void give_up(std::string_view word) const {
        const std::vector<std::string_view> rest{std::next(words_.begin()), words_.end()};
        using Why = NotMeasured::Why;
        if ((word == "refused") && (rest.size() == 2U)) {
            throw NotMeasured{Why::kRefused, fmt::format("refused by rule {} at offset {}", rest[0], rest[1])};
        }
        if ((word == "room") && (rest.size() == 3U)) {
            throw NotMeasured{Why::kNoRoom,
                              fmt::format("{}: {} bytes are needed, {} bytes of the board's memory are left", rest[0],
                                          rest[1], rest[2])};
        }
        if ((word == "fault") && (rest.size() == 3U)) {
            throw NotMeasured{
                Why::kFault, fmt::format("fault with status {} in stage {}, at command {}", rest[0], rest[1], rest[2])};
        }
        throw NotMeasured{Why::kWrongOrder, fmt::format("{}", fmt::join(rest, " "))};
    }

    void read_board() { measurement_.board = one_word(); }
    void read_profile() { measurement_.profile = one_word(); }
    void read_counter() {
        measurement_.counter = one_word();
        is_outside_ = measurement_.counter == kOutside;
        if (is_outside_) {
            measurement_.counter = "instructions";
        }
    }
    void read_binary() {
        require_words(2U);
        measurement_.binary_bytes = number(1U);
    }
    void read_release() { measurement_.releases.push_back({one_word(), false, {}, {}}); }
    void read_io() { release().has_views = one_word() == "views"; }
    void read_outputs() { release().outputs = one_word(); }
    void read_done() { is_done_ = true; }
    void read_phase() {
        release().phases.push_back({one_word(), 0U, 0U, {}});
        is_in_phase_ = true;
    }
    void read_end() {
        require_words(2U);
        phase().session += count(1U);
        is_in_phase_ = false;
    }
    void read_service() {
        MeasuredPhase& current = phase();
        if ((words_.size() % 2U) != 0U) {
            fail("service has a name without a count");
        }
        current.session += count(1U);
        current.queues.resize(std::max(current.queues.size(), (words_.size() / 2U) - 1U));
        for (std::size_t word = 2U; word < words_.size(); word += 2U) {
            const std::uint64_t counted = count(word);
            if (words_[word + 1U] == kNothing) {
                current.polling += counted;
            } else {
                current.queues.at((word / 2U) - 1U).push_back({std::string{words_[word + 1U]}, counted});
            }
        }
    }

    [[nodiscard]] std::string one_word() const {
        require_words(2U);
        return std::string{words_[1]};
    }

    std::string_view text_;
    const std::vector<std::uint64_t>& counts_;
    std::size_t line_{0U};
    std::vector<std::string_view> words_;
    Measurement measurement_;
    std::size_t next_{0U};  // of counts_
    bool is_open_{false};
    bool is_outside_{false};
    bool is_in_phase_{false};
    bool is_done_{false};
};

const char* name_of_command(QueueCommandKind kind) {
    switch (kind) {
        case QueueCommandKind::kWrite:
            return "write";
        case QueueCommandKind::kRead:
            return "read";
        case QueueCommandKind::kReplay:
            return "replay";
        case QueueCommandKind::kRecordEvent:
            return "record";
        case QueueCommandKind::kWaitEvent:
            return "wait";
        case QueueCommandKind::kNotify:
        case QueueCommandKind::kUnspecified:
        default:
            return "notify";
    }
}

bool moves(QueueCommandKind kind) {
    return (kind == QueueCommandKind::kWrite) || (kind == QueueCommandKind::kRead);
}

// Adds up layers in the order in which they are first met.
class Layers {
  public:
    explicit Layers(bool are_bounds) : are_bounds_{are_bounds} {}

    void add(const TraceCommand& command, std::uint64_t count) {
        const bool is_end = command.kind == CommandKind::kEnd;
        MeasuredLayer& layer = is_end ? entry(step_.queue_commands, 0U, command.command)
                                      : entry(step_.layers, command.operation, command.label);
        if (!is_end && (command.kind != CommandKind::kBarrier)) {  // whose label is its own
            layer.name = command.label;
        }
        const bool launches = (command.kind == CommandKind::kLaunch) || (command.kind == CommandKind::kDispatch);
        if (launches &&
            (std::find(layer.kernels.begin(), layer.kernels.end(), command.command) == layer.kernels.end())) {
            layer.kernels.emplace_back(command.command);
        }
        layer.macs += command.macs;
        for (const Touched& touched : command.touched) {
            (touched.writes ? layer.bytes_written : layer.bytes_read) += touched.bytes;
        }
        if (are_bounds_) {
            layer.bound = layer.bound.value_or(0U) + command.cycles + command.core_cycles;
        }
        layer.commands += 1U;
        layer.count += count;
    }
    void add(const char* queue_command, std::uint32_t bytes, bool writes, std::uint64_t count) {
        MeasuredLayer& layer = entry(step_.queue_commands, 0U, queue_command);
        (writes ? layer.bytes_written : layer.bytes_read) += bytes;
        layer.commands += 1U;
        layer.count += count;
    }
    [[nodiscard]] MeasuredStep step() const { return step_; }

  private:
    static MeasuredLayer& entry(std::vector<MeasuredLayer>& layers, std::uint32_t operation, const std::string& name) {
        const auto found = std::find_if(layers.begin(), layers.end(), [&](const MeasuredLayer& each) {
            return (operation != 0U) ? (each.operation == operation) : (each.name == name);
        });
        if (found != layers.end()) {
            return *found;
        }
        MeasuredLayer layer;
        layer.name = name;
        layer.operation = operation;
        return layers.emplace_back(layer);
    }

    bool are_bounds_;
    MeasuredStep step_;
};

// What one queue has executed, taken one by one.
class Executed {
  public:
    Executed(const MeasuredPhase& step, std::uint32_t queue) : queue_{queue} {
        if (queue < step.queues.size()) {
            commands_ = &step.queues[queue];
        }
    }

    [[nodiscard]] std::uint64_t take(std::string_view name) {
        if ((commands_ == nullptr) || (next_ == commands_->size())) {
            throw NotAMeasurement{
                fmt::format("queue {} has executed {} commands of a step, and the binary has more", queue_, next_)};
        }
        const MeasuredCommand& command = (*commands_)[next_];
        if (command.name != name) {
            throw NotAMeasurement{fmt::format("command {} of queue {} is {}; the binary has {} there", next_, queue_,
                                              command.name, name)};
        }
        next_ += 1U;
        return command.count;
    }
    void require_end() const {
        if ((commands_ != nullptr) && (next_ != commands_->size())) {
            throw NotAMeasurement{fmt::format("queue {} has executed {} commands of a step, and the binary has {}",
                                              queue_, commands_->size(), next_)};
        }
    }

  private:
    std::uint32_t queue_;
    const std::vector<MeasuredCommand>* commands_{nullptr};
    std::size_t next_{0U};
};

}  // namespace

std::uint64_t MeasuredPhase::device() const {
    std::uint64_t sum = polling;
    for (const std::vector<MeasuredCommand>& queue : queues) {
        for (const MeasuredCommand& command : queue) {
            sum += command.count;
        }
    }
    return sum;
}

std::vector<const MeasuredPhase*> MeasuredRelease::all(std::string_view phase) const {
    std::vector<const MeasuredPhase*> found;
    for (const MeasuredPhase& each : phases) {
        if (each.name == phase) {
            found.push_back(&each);
        }
    }
    return found;
}

const MeasuredRelease& Measurement::release(std::string_view name) const {
    for (const MeasuredRelease& each : releases) {
        if ((each.name == name) && !each.all("load").empty() && !each.all("step").empty()) {
            return each;
        }
    }
    throw NotAMeasurement{fmt::format("no load and step with release {}", name)};
}

Measurement read_measurement(std::string_view text, const std::vector<std::uint64_t>& counts) {
    return LogReader{text, counts}.read();
}

MeasuredStep layers_of(const MeasuredPhase& step, bool has_views, const Workload& workload, bool are_bounds) {
    Layers layers{are_bounds};
    for (std::uint32_t queue = 0U; queue < workload.queue_count; ++queue) {
        Executed executed{step, queue};
        bool is_used = false;
        for (const ScriptCommand& command : workload.step) {
            if ((command.queue != queue) || (has_views && moves(command.kind))) {
                is_used = is_used || (command.queue == queue);
                continue;
            }
            is_used = true;
            const char* const name = name_of_command(command.kind);
            layers.add(name, moves(command.kind) ? command.bytes : 0U, command.kind == QueueCommandKind::kWrite,
                       executed.take(name));
            if (command.kind == QueueCommandKind::kReplay) {
                for (const TraceCommand& each : workload.traces.at(command.trace)) {
                    layers.add(each, executed.take(each.command));
                }
            }
        }
        if (is_used) {
            layers.add("notify", 0U, false, executed.take("notify"));
        }
        executed.require_end();
    }
    return layers.step();
}

}  // namespace pianola::timeline
