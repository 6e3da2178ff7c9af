#include "tests/random/maker.h"

#include <algorithm>

#include "tests/random/trace_maker.h"

namespace pianola::programs {
namespace {

using test::Random;

constexpr std::uint32_t kAlignment = 64U;

bool overlaps_any(const Range& range, const std::vector<Pieces>& tensors) {
    return std::any_of(tensors.begin(), tensors.end(), [&](const Pieces& pieces) {
        return std::any_of(pieces.begin(), pieces.end(), [&](const Range& piece) {
            return (range.address < (piece.address + piece.bytes)) && (piece.address < (range.address + range.bytes));
        });
    });
}

// Regions by use, or shared ones in both memories; constants among what is shared, now and then.
void lay_out(Random& random, Program& program) {
    const bool shared = !random.one_in(3U);
    program.regions = {{{kDramBase, kAlignment}, Role::kWeights}};
    if (shared) {
        program.regions.push_back({{kDramBase + kAlignment, kAlignment}, Role::kShared});
        program.regions.push_back({{kL1Base, kAlignment * (1U + random.below(2U))}, Role::kShared});
    } else {
        program.regions.push_back({{kDramBase + kAlignment, kAlignment}, Role::kInput});
        program.regions.push_back({{kDramBase + (2U * kAlignment), kAlignment}, Role::kOutput});
        program.regions.push_back({{kL1Base, kAlignment}, Role::kActivation});
    }
    program.constants = {{kDramBase + random.below(kAlignment / 2U), 4U + random.below(28U)}};
    if (shared && random.one_in(2U)) {
        program.constants.push_back({kDramBase + kAlignment + random.below(kAlignment / 2U), 1U + random.below(16U)});
    }
    for (const Range& constant : program.constants) {
        for (std::uint32_t i = 0U; i < constant.bytes; ++i) {
            program.weights.push_back(random.byte());
        }
    }
}

// A place for a piece of a tensor that shares nothing with its like.
Range place(Random& random, const Program& program, bool is_input, std::uint32_t bytes) {
    const Role role = is_input ? Role::kInput : Role::kOutput;
    const std::vector<Pieces>& own = is_input ? program.inputs : program.outputs;
    const std::vector<Pieces>& other = is_input ? program.outputs : program.inputs;
    const std::vector<Pieces> constants{program.constants};
    Range range;
    for (int tries = 0; tries < 100; ++tries) {
        const Region& region = program.regions.at(random.below(static_cast<std::uint32_t>(program.regions.size())));
        if ((region.role != role) && (region.role != Role::kShared)) {
            continue;
        }
        range = {region.range.address + random.below(region.range.bytes - bytes + 1U), bytes};
        if (!overlaps_any(range, own) && !overlaps_any(range, constants) &&
            (!overlaps_any(range, other) || random.one_in(30U))) {
            return range;
        }
    }
    return range;
}

void place_tensors(Random& random, Program& program, bool is_input) {
    std::vector<Pieces>& tensors = is_input ? program.inputs : program.outputs;
    for (std::uint32_t count = 1U + random.below(2U); count > 0U; --count) {
        const std::size_t pieces = random.one_in(12U) ? 2U : 1U;
        tensors.emplace_back();
        for (std::size_t i = 0U; i < pieces; ++i) {
            const Range range = place(random, program, is_input, 1U + random.below(12U));
            tensors.back().push_back(range);
        }
    }
}

std::vector<Command> all_of(Act act, std::size_t count) {
    std::vector<Command> commands;
    for (std::uint32_t i = 0U; i < count; ++i) {
        commands.push_back({act, 0U, i});
    }
    return commands;
}

void append(Script& script, const std::vector<Command>& commands) {
    script.insert(script.end(), commands.begin(), commands.end());
}

Script some_replays(Random& random, std::uint32_t traces, std::uint32_t one_in) {
    Script script;
    for (std::uint32_t i = 0U; i < traces; ++i) {
        if (random.one_in(one_in)) {
            script.push_back({Act::kReplay, 0U, i});
        }
    }
    return script;
}

// Swaps neighbours, so that transfers end up between replays.
void disturb(Random& random, Script& script) {
    for (std::size_t i = 0U; (i + 1U) < script.size(); ++i) {
        if (random.one_in(5U)) {
            std::swap(script.at(i), script.at(i + 1U));
        }
    }
}

void write_scripts(Random& random, Program& program) {
    const auto traces = static_cast<std::uint32_t>(program.traces.size());
    const Script writes = all_of(Act::kWriteInput, program.inputs.size());
    const Script reads = all_of(Act::kReadOutput, program.outputs.size());
    program.is_pipelined = random.one_in(8U);
    if (program.is_pipelined) {
        // The first trace takes the inputs, all others follow.
        program.prologue = writes;
        const Script replays = all_of(Act::kReplay, traces);
        const Script others(replays.begin() + 1, replays.end());
        const bool early = random.one_in(2U);
        program.step = {replays.front()};
        append(program.step, early ? writes : others);
        append(program.step, early ? others : writes);
        append(program.step, reads);
        program.epilogue = replays;
        append(program.epilogue, reads);
    } else {
        program.step = writes;
        append(program.step, all_of(Act::kReplay, traces));
        const auto behind = random.one_in(3U) ? static_cast<std::ptrdiff_t>(random.below(traces)) : 0;
        program.step.insert(program.step.end() - behind, reads.begin(), reads.end());
        if (random.one_in(3U)) {
            program.prologue = some_replays(random, traces, 2U);
        }
        if (random.one_in(4U)) {
            program.epilogue = some_replays(random, traces, 2U);
        }
    }
    if (random.one_in(2U)) {
        disturb(random, program.step);
    }
}

// Commands in the order in which they have to be, on two queues: an event at each change, most of the time.
void use_two_queues(Random& random, Program& program) {
    const bool by_kind = random.one_in(2U);
    std::uint32_t last_queue = 0U;
    const auto spread = [&](Script& script) {
        Script ordered;
        bool first = true;
        for (Command command : script) {
            command.queue = by_kind ? ((command.act == Act::kReplay) ? 0U : 1U) : random.below(2U);
            if (!first && (command.queue != last_queue) && !random.one_in(12U)) {
                const std::uint32_t event = last_queue + (2U * random.below(2U));  // each has one direction
                ordered.push_back({Act::kRecord, last_queue, event});
                ordered.push_back({Act::kWait, command.queue, event});
            }
            first = false;
            last_queue = command.queue;
            ordered.push_back(command);
        }
        script = ordered;
    };
    spread(program.prologue);
    spread(program.step);
    const std::uint32_t end_queue = last_queue;
    spread(program.epilogue);
    const std::uint32_t begin_queue = program.step.front().queue;
    if ((program.in_flight > 1U) && (begin_queue != end_queue) && !random.one_in(8U)) {
        // Each step begins when the one before it has ended.
        constexpr std::uint32_t kTurn = 4U;
        program.step.insert(program.step.begin(), {Act::kWait, begin_queue, kTurn});
        program.step.push_back({Act::kRecord, end_queue, kTurn});
        program.prologue.push_back({Act::kRecord, end_queue, kTurn});
        if (!program.epilogue.empty()) {
            program.epilogue.insert(program.epilogue.begin(), {Act::kWait, begin_queue, kTurn});
        }
    }
}

// Each trace in the state that its first replay finds.
void make_traces(Random& random, Program& program, TraceMaker& maker) {
    std::vector<bool> made(program.traces.size());
    for (const Script* const script : {&program.prologue, &program.step, &program.epilogue}) {
        for (std::size_t i = 0U; i < script->size(); ++i) {
            const Command& command = script->at(i);
            if (command.act == Act::kWriteInput) {
                maker.note_written(program.inputs.at(command.object));
            }
            if ((command.act != Act::kReplay) || made.at(command.object)) {
                continue;
            }
            made.at(command.object) = true;
            // The last new trace in front of a read gives the outputs their values.
            bool is_last = script == &program.step;
            for (std::size_t k = i + 1U; k < script->size(); ++k) {
                const Command& next = script->at(k);
                if (next.act == Act::kReadOutput) {
                    break;
                }
                is_last = is_last && ((next.act != Act::kReplay) || made.at(next.object));
            }
            maker.make(command.object, is_last && !random.one_in(30U));
        }
    }
}

}  // namespace

std::uint64_t step_cycles(const Program& program) {
    std::array<std::uint64_t, 2> time{};
    std::array<bool, 2> used{};
    std::array<std::uint64_t, 8> recorded{};
    for (const Command& command : program.step) {
        std::uint64_t& now = time.at(command.queue);
        used.at(command.queue) = true;
        if ((command.act == Act::kWriteInput) || (command.act == Act::kReadOutput)) {
            const auto& tensors = (command.act == Act::kWriteInput) ? program.inputs : program.outputs;
            for (const Range& piece : tensors.at(command.object)) {
                now += 80U + ((piece.bytes + 7U) / 8U);
            }
        } else if (command.act == Act::kReplay) {
            now += 16U + program.traces.at(command.object).cycles;
        } else if (command.act == Act::kRecord) {
            now += 16U;
            recorded.at(command.object) = now;
        } else {
            now = std::max(now, recorded.at(command.object)) + 16U;
        }
    }
    return std::max(time[0] + (used[0] ? 16U : 0U), time[1] + (used[1] ? 16U : 0U));
}

Program make_program(Random& random) {
    Program program;
    lay_out(random, program);
    place_tensors(random, program, true);
    place_tensors(random, program, false);
    program.traces.resize(1U + random.below(3U));
    program.in_flight = random.one_in(4U) ? 2U : 1U;
    program.queues = 1U + random.below(2U);
    write_scripts(random, program);
    TraceMaker maker{random, program};
    make_traces(random, program, maker);
    if (program.queues == 2U) {
        use_two_queues(random, program);
    }
    if (random.one_in(3U)) {
        maker.declare_parameters();
    }
    program.step_cycles = step_cycles(program);
    return program;
}

}  // namespace pianola::programs
