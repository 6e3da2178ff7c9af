#include "tests/campaign/scenario.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "pianola/development_config.h"
#include "tests/support/random.h"
#include "tests/support/workload.h"

namespace pianola::campaign {
namespace {

using test::SmallCase;

// Enough for as many under way as there may be, and some behind the step before which the parameter changes.
constexpr std::uint32_t kLeastSteps = 5U;
constexpr std::uint32_t kStepsBehind = 3U;
constexpr std::uint32_t kChangesBefore = 2U;  // at the earliest
// What the application writes over memory that it has back.
constexpr std::uint8_t kReused = 0x77U;
// More than any number of polls up to the deadline.
constexpr std::uint32_t kMaxPolls = 100'000U;
// Behind so many polls without a sign the application looks less often: it lets more time pass before each.
constexpr std::uint32_t kEagerPolls = 64U;
constexpr std::uint32_t kIdlesLater = 64U;

// A copy for each life. The release mode is not the file's.
const std::vector<std::uint8_t>& binary_of(const Mode& mode, const SmallCase& small) {
    static std::map<std::string, std::vector<std::uint8_t>> binaries;
    std::vector<std::uint8_t>& binary = binaries[name_of(mode)];
    if (binary.empty()) {
        binary = test::binary_of(small);
    }
    return binary;
}

std::vector<std::unique_ptr<HookedDevice>> devices_of(const Mode& mode) {
    sim::SimOptions options;
    options.spec = test::small_device();
    options.write_back_cache = true;
    options.time = std::make_shared<sim::SimTime>();
    std::vector<std::unique_ptr<HookedDevice>> devices;
    for (std::uint32_t i = 0U; i < mode.devices; ++i) {
        devices.push_back(std::make_unique<HookedDevice>(options));
    }
    for (std::uint32_t i = 0U; i < mode.devices; ++i) {
        devices.at(i)->set_neighbour(*devices.at((i + 1U) % mode.devices));
    }
    return devices;
}

Session session_of(const std::vector<std::unique_ptr<HookedDevice>>& devices, Platform& platform,
                   const CommandSet& command_set, const SessionConfig& config) {
    std::vector<Device*> pointers;
    for (const auto& device : devices) {
        pointers.push_back(device.get());
    }
    const auto columns = static_cast<std::uint32_t>(pointers.size());
    return Session{DeviceSet{{pointers.data(), pointers.size()}, 1U, columns}, platform, command_set, config};
}

SessionConfig config_of(const Mode& mode) {
    SessionConfig config = kDevelopmentConfig;
    config.release = mode.verified ? Release::kVerified : Release::kAtCompletion;
    return config;
}

bool holds(const std::vector<std::uint8_t>& bytes, std::uint8_t value) {
    return std::all_of(bytes.begin(), bytes.end(), [value](std::uint8_t byte) { return byte == value; });
}

template <typename Bytes, typename Tensors>
std::vector<Bytes> spans_of(Tensors& tensors) {
    std::vector<Bytes> spans;
    for (auto& tensor : tensors) {
        spans.emplace_back(tensor.data(), tensor.size());
    }
    return spans;
}

}  // namespace

void Tally::add(Outcome outcome) noexcept {
    injected += 1U;
    detected += (outcome == Outcome::kDetected) ? 1U : 0U;
    harmless += (outcome == Outcome::kHarmless) ? 1U : 0U;
    silent += (outcome == Outcome::kSilent) ? 1U : 0U;
    crashed += (outcome == Outcome::kCrashed) ? 1U : 0U;
}

void Tally::add(const Tally& other) noexcept {
    injected += other.injected;
    detected += other.detected;
    harmless += other.harmless;
    silent += other.silent;
    crashed += other.crashed;
    misnamed += other.misnamed;
}

std::ostream& operator<<(std::ostream& stream, const Tally& tally) {
    return stream << tally.injected << " injected, " << tally.detected << " detected, " << tally.harmless
                  << " harmless, " << tally.silent << " silent, " << tally.crashed << " crashed";
}

Scenario::Scenario(const Mode& mode)
    : mode_{mode},
      small_{case_of(mode)},
      file_{binary_of(mode, small_)},
      devices_{devices_of(mode)},
      platform_{device(0U).inner()},
      config_{config_of(mode)},
      session_{session_of(devices_, platform_, command_set_, config_)} {
    if (!why_not(mode).empty()) {
        throw std::invalid_argument{name_of(mode) + ": " + why_not(mode)};
    }
}

void Scenario::at_moment() {
    const std::uint32_t moment = moment_;
    moment_ += 1U;
    if (action_) {
        action_(moment);
    }
}

Scenario::Turn& Scenario::begin(const test::Commands& commands, bool takes_inputs) {
    Turn& turn = turns_.emplace_back();
    test::Random random{static_cast<std::uint32_t>(released_.size() + turns_.size())};
    for (std::uint32_t i = 0U; takes_inputs && (i < small_.inputs.size()); ++i) {
        std::vector<std::uint8_t>& input = turn.inputs.emplace_back(input_bytes(small_, i));
        std::generate(input.begin(), input.end(), [&] { return static_cast<std::uint8_t>(random.byte() | 1U); });
    }
    turn.expected = meaning_.run(commands, turn.inputs);
    for (const std::vector<std::uint8_t>& output : turn.expected) {
        turn.outputs.emplace_back(output.size());
    }
    return turn;
}

bool Scenario::start() {
    Turn& turn = begin(*small_.prologue, mode_.pipelined);
    const auto inputs = spans_of<ByteSpan>(turn.inputs);
    return is_ok(session_.start({inputs.data(), inputs.size()}));
}

bool Scenario::submit_views(const Turn& turn) {
    for (std::uint32_t i = 0U; i < turn.inputs.size(); ++i) {
        MutableByteSpan view;
        if (!is_ok(session_.input_view(i, view)) || (view.size() != turn.inputs.at(i).size())) {
            return false;
        }
        std::copy(turn.inputs.at(i).begin(), turn.inputs.at(i).end(), view.begin());
    }
    return is_ok(session_.submit());
}

bool Scenario::submit(std::uint32_t number) {
    if (!finish((number == 0U) ? 1U : mode_.in_flight)) {
        return false;
    }
    Turn& turn = begin(small_.step, true);
    if (mode_.views) {
        return submit_views(turn);
    }
    const auto inputs = spans_of<ByteSpan>(turn.inputs);
    const auto outputs = spans_of<MutableByteSpan>(turn.outputs);
    return is_ok(session_.submit({inputs.data(), inputs.size()}, {outputs.data(), outputs.size()}));
}

bool Scenario::stop() {
    if (!finish(1U)) {
        return false;
    }
    Turn& turn = begin(small_.epilogue.value_or(test::Commands{}), false);
    const auto outputs = spans_of<MutableByteSpan>(turn.outputs);
    return is_ok(session_.stop({outputs.data(), outputs.size()}));
}

// The application has its memory back, looks at the outputs, and uses it for something else.
void Scenario::release(Turn& turn) {
    for (std::uint32_t i = 0U; mode_.views && (i < turn.outputs.size()); ++i) {
        ByteSpan view;
        if (is_ok(session_.output_view(i, view))) {
            turn.outputs.at(i).assign(view.begin(), view.end());
        }
    }
    is_wrong_ = is_wrong_ || (turn.outputs != turn.expected);
    for (Tensors* const tensors : {&turn.inputs, &turn.outputs}) {
        for (std::vector<std::uint8_t>& tensor : *tensors) {
            std::fill(tensor.begin(), tensor.end(), kReused);
        }
    }
}

bool Scenario::finish(std::size_t limit) {
    while (turns_.size() >= limit) {
        at_moment();
        Status status = session_.poll();
        if (status == Status::kPending) {
            at_moment();
        }
        for (std::uint32_t i = 0U; (status == Status::kPending) && (i < kMaxPolls); ++i) {
            const std::uint32_t idles = session_.is_verifying() ? 0U : ((i < kEagerPolls) ? 1U : kIdlesLater);
            for (std::uint32_t n = 0U; n < idles; ++n) {
                platform_.idle();
            }
            status = session_.poll();
        }
        is_wrong_ = is_wrong_ || (status == Status::kPending);  // it never ends
        if (!is_ok(status)) {
            return false;
        }
        release(turns_.front());
        released_.push_back(std::move(turns_.front()));
        turns_.pop_front();
        at_moment();
    }
    return true;
}

bool Scenario::change_parameter() {
    if (!finish(1U)) {
        return false;
    }
    const std::array<Session::ParameterValue, 1> values{Session::ParameterValue{0U, change_value(small_)}};
    return is_ok(session_.set_parameters(values));
}

bool Scenario::scrub() {
    const std::uint32_t calls = session_.scrub_calls();
    bool is_good = true;
    for (std::uint32_t i = 0U; is_good && (i < calls); ++i) {
        is_good = is_ok(session_.scrub());
    }
    return is_good;
}

bool Scenario::play() {
    if (!is_ok(session_.load(file_.view(), *workspace_, verdict_))) {
        return false;
    }
    at_moment();
    if (small_.prologue.has_value() && !start()) {
        return false;
    }
    const std::uint32_t steps = std::max(kLeastSteps, mode_.in_flight + kStepsBehind);
    const std::uint32_t changes_before = std::max(kChangesBefore, mode_.in_flight);
    for (std::uint32_t number = 0U; number < steps; ++number) {
        if (mode_.parameters && (number == changes_before) && !change_parameter()) {
            return false;
        }
        if (!submit(number)) {
            return false;
        }
    }
    if (small_.prologue.has_value() && !stop()) {
        return false;
    }
    return finish(1U) && scrub();
}

// What was lent for outputs that were not released is zero; what lies in device memory is not shown.
bool Scenario::is_withheld() {
    bool is_zero = true;
    for (const Turn& turn : turns_) {
        for (const std::vector<std::uint8_t>& output : turn.outputs) {
            is_zero = is_zero && holds(output, 0U);
        }
    }
    ByteSpan view;
    return is_zero && !is_ok(session_.output_view(0U, view)) && !is_ok(session_.poll());
}

bool Scenario::is_given_back_unchanged() const {
    return std::all_of(released_.begin(), released_.end(), [](const Turn& turn) {
        const auto is_reused = [](const std::vector<std::uint8_t>& bytes) { return holds(bytes, kReused); };
        return std::all_of(turn.inputs.begin(), turn.inputs.end(), is_reused) &&
               std::all_of(turn.outputs.begin(), turn.outputs.end(), is_reused);
    });
}

bool Scenario::blames_another(std::uint32_t device) const noexcept {
    const FaultRecord& fault = session_.fault();
    return !is_ok(fault.status) && ((fault.row != 0U) || (fault.column != device));
}

Outcome Scenario::run() {
    const bool is_complete = play();
    const bool is_right = !is_wrong_ && is_given_back_unchanged() && (is_complete || is_withheld());
    return is_right ? (is_complete ? Outcome::kHarmless : Outcome::kDetected) : Outcome::kSilent;
}

}  // namespace pianola::campaign
