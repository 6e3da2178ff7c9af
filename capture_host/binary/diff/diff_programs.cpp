// Operators, their commands, and the constants that they read.

#include <algorithm>
#include <iterator>
#include <set>

#include "capture_host/binary/diff/parts.h"
#include "capture_host/binary/trace_walk.h"

namespace pianola::diff {
namespace {

constexpr std::size_t kMostNames = 6U;

std::string joined(const std::vector<std::string>& names) {
    if (names.empty()) {
        return kNothing;
    }
    std::string text;
    for (std::size_t i = 0U; (i < names.size()) && (i < kMostNames); ++i) {
        text += (text.empty() ? "" : ", ") + names[i];
    }
    return text + ((names.size() > kMostNames) ? fmt::format(" and {} more", names.size() - kMostNames) : "");
}

std::vector<std::string> names_of(const std::vector<OperatorCommands>& operators) {
    std::vector<std::string> names;
    for (const OperatorCommands& each : operators) {
        names.push_back(each.name);
    }
    return names;
}

// Compares what is between the common first and the common last operators.
void compare_names(const std::vector<std::string>& before, const std::vector<std::string>& after, Found& found) {
    std::size_t first = 0U;
    const std::size_t shorter = std::min(before.size(), after.size());
    while ((first < shorter) && (before[first] == after[first])) {
        ++first;
    }
    std::size_t last = 0U;
    while ((last < (shorter - first)) && (before[before.size() - 1U - last] == after[after.size() - 1U - last])) {
        ++last;
    }
    const auto middle = [first, last](const std::vector<std::string>& names) {
        return std::vector<std::string>{names.begin() + static_cast<std::ptrdiff_t>(first),
                                        names.end() - static_cast<std::ptrdiff_t>(last)};
    };
    found.add(Class::kOperators, fmt::format("from operator {} on", first), joined(middle(before)),
              joined(middle(after)));
}

std::string words_text(const std::vector<std::uint32_t>& words) {
    std::string text;
    for (const std::uint32_t word : words) {
        text += fmt::format("{}{:08X}", text.empty() ? "" : " ", word);
    }
    return text;
}

void compare_commands(const OperatorCommands& before, const OperatorCommands& after, Found& found) {
    if (before.kinds != after.kinds) {
        found.add(Class::kCommands, before.name, joined(before.kinds), joined(after.kinds));
        return;
    }
    const auto differing = std::mismatch(before.words.begin(), before.words.end(), after.words.begin());
    if (differing.first == before.words.end()) {
        return;
    }
    const auto place = static_cast<std::size_t>(differing.first - before.words.begin());
    const auto [word, other] = std::mismatch(differing.first->begin(), differing.first->end(),
                                             differing.second->begin(), differing.second->end());
    const bool has_both = (word != differing.first->end()) && (other != differing.second->end());
    const std::string where = fmt::format("{}: commands[{}] {}", before.name, place, before.kinds[place]);
    if (has_both) {
        const auto index = word - differing.first->begin();
        found.add(Class::kCommands, fmt::format("{}, word {}", where, index), fmt::format("0x{:08X}", *word),
                  fmt::format("0x{:08X}", *other));
    } else {
        found.add(Class::kCommands, where, words_text(*differing.first), words_text(*differing.second));
    }
}

std::string constant_text(const std::vector<std::uint8_t>* bytes) {
    return (bytes == nullptr) ? std::string{kNothing} : fmt::format("{} bytes", bytes->size());
}

void compare_constant(const std::string& name, const std::vector<std::uint8_t>& before,
                      const std::vector<std::uint8_t>& after, Found& found) {
    if (before.size() != after.size()) {
        found.add(Class::kWeights, name, constant_text(&before), constant_text(&after));
        return;
    }
    std::size_t count = 0U;
    std::size_t first = before.size();
    for (std::size_t i = 0U; i < before.size(); ++i) {
        if (before[i] != after[i]) {
            first = std::min(first, i);
            count += 1U;
        }
    }
    if (count != 0U) {
        found.add(Class::kWeights, name, constant_text(&before),
                  fmt::format("{}, {} of them different, the first at {}", constant_text(&after), count, first));
    }
}

void compare_constants(const Constants& before, const Constants& after, const Side& old_side, const Side& new_side,
                       Found& found) {
    std::set<std::string> names;  // of operators in both: others are a difference already
    for (const Constants* const side : {&before, &after}) {
        for (const auto& entry : *side) {
            names.insert(entry.first);
        }
    }
    for (const std::string& name : names) {
        const auto old = before.find(name);
        const auto now = after.find(name);
        if ((old != before.end()) && (now != after.end())) {
            compare_constant(name, old->second, now->second, found);
        } else {
            found.add(Class::kWeights, name, constant_text((old == before.end()) ? nullptr : &old->second),
                      constant_text((now == after.end()) ? nullptr : &now->second));
        }
    }
    // Constants without a known reader: for unknown devices, or read by address.
    const ByteSpan old_weights = old_side.image.weights();
    const ByteSpan new_weights = new_side.image.weights();
    if (!found.has(Class::kWeights)) {
        compare_constant("segment", {old_weights.begin(), old_weights.end()}, {new_weights.begin(), new_weights.end()},
                         found);
    }
}

// Compares the segment by bytes if its commands cannot be compared.
void compare_trace_bytes(const Side& before, const Side& after, Found& found) {
    const ByteSpan old = before.image.trace_segment();
    const ByteSpan now = after.image.trace_segment();
    const bool is_same = (old.size() == now.size()) && std::equal(old.begin(), old.end(), now.begin());
    if (!is_same && !found.has(Class::kCommands) && !found.has(Class::kOperators)) {
        found.add(Class::kCommands, "trace segment", fmt::format("{} bytes", old.size()),
                  fmt::format("{} other bytes", now.size()));
    }
}

}  // namespace

std::vector<OperatorCommands> operators_of(const Side& side, const capture::Manifest& manifest) {
    std::vector<OperatorCommands> all;
    std::map<std::string, std::uint32_t> seen;
    for (std::uint32_t i = 0U; i < manifest.traces.size(); ++i) {
        const capture::ManifestTrace& trace = manifest.traces[i];
        std::vector<OperatorCommands> operators;
        for (const capture::ManifestProgram& program : trace.programs) {
            const std::uint32_t count = ++seen[program.name];
            OperatorCommands each;
            each.trace = trace.name;
            each.name = (count == 1U) ? program.name : fmt::format("{}#{}", program.name, count);
            operators.push_back(each);
        }
        const TraceView view = side.image.trace(i);
        const std::size_t begin = view.offset_bytes / sizeof(std::uint32_t);
        const bool is_inside = (begin + view.word_count) <= side.image.trace_words().size();
        if ((side.target != nullptr) && is_inside) {
            const WordSpan words = side.image.trace_words().subspan(begin, view.word_count);
            std::size_t at = 0U;
            std::uint32_t left = operators.empty() ? 0U : trace.programs[0U].command_count;
            (void)targets::for_each_command(
                side.target->command_set(), words, [&](std::uint32_t word, const DecodedCommand& command) {
                    while ((at < operators.size()) && (left == 0U)) {
                        ++at;
                        left = (at < operators.size()) ? trace.programs[at].command_count : 0U;
                    }
                    if (at == operators.size()) {
                        return;  // the end command belongs to no operator
                    }
                    --left;
                    operators[at].kinds.emplace_back(targets::command_name(*side.target, command));
                    const WordSpan own = words.subspan(word, command.length_words);
                    operators[at].words.emplace_back(own.begin(), own.end());
                    operators[at].decoded.push_back(command);
                });
        }
        all.insert(all.end(), operators.begin(), operators.end());
    }
    return all;
}

void compare_programs(const Side& before, const Side& after, const capture::Manifest& old_manifest,
                      const capture::Manifest& new_manifest, Found& found) {
    const std::vector<OperatorCommands> old_operators = operators_of(before, old_manifest);
    const std::vector<OperatorCommands> new_operators = operators_of(after, new_manifest);
    compare_names(names_of(old_operators), names_of(new_operators), found);
    for (const OperatorCommands& old : old_operators) {
        for (const OperatorCommands& now : new_operators) {
            if (old.name == now.name) {
                compare_commands(old, now, found);
            }
        }
    }
    compare_trace_bytes(before, after, found);
    const auto common = [](const std::vector<OperatorCommands>& all, const std::vector<OperatorCommands>& others) {
        const std::vector<std::string> known = names_of(others);
        std::vector<OperatorCommands> both;
        std::copy_if(all.begin(), all.end(), std::back_inserter(both), [&known](const OperatorCommands& each) {
            return std::find(known.begin(), known.end(), each.name) != known.end();
        });
        return both;
    };
    compare_constants(constants_of(before, old_manifest, common(old_operators, new_operators)),
                      constants_of(after, new_manifest, common(new_operators, old_operators)), before, after, found);
}

}  // namespace pianola::diff
