// pianola_streams: random programs of the host API, captured without declarations or marks (docs/evidence/proofs.md).
// For each that is captured, it writes the binary, inputs that the captured run did not have, and what the model makes
// of them, for another process to replay.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>

#include "pianola_host/files.h"
#include "pianola_host/replay.h"
#include "tests/streams/device.h"
#include "tests/streams/mesh.h"

namespace pianola::streams {
namespace {

// A program that is not what it should be.
class Wrong : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

void require(bool is_right, const std::string& what) {
    if (!is_right) {
        throw Wrong{what};
    }
}

std::vector<const Op*> ops_of(const Program& program, Kind kind) {
    std::vector<const Op*> ops;
    for (const Op& op : program.ops) {
        if (op.kind == kind) {
            ops.push_back(&op);
        }
    }
    return ops;
}

// By record and tensor, which of the program's writes, or reads, it is.
using Places = std::vector<std::vector<std::size_t>>;

// Whether each tensor plays one role in all inferences.
bool have_roles(const Places& places, const std::vector<const Op*>& ops) {
    return std::all_of(places.begin(), places.end(), [&](const std::vector<std::size_t>& record) {
        return std::equal(record.begin(), record.end(), places.front().begin(), places.front().end(),
                          [&](std::size_t one, std::size_t other) { return ops[one]->role == ops[other]->role; });
    });
}

Places find_inputs(const Program& program, const std::vector<Bytes>& data, const host::CapturedWorkload& workload) {
    std::map<Bytes, std::size_t> by_data;
    for (std::size_t i = 0U; i < data.size(); ++i) {
        by_data[data[i]] = i;
    }
    Places places;
    for (const std::vector<Bytes>& record : workload.inputs) {
        places.emplace_back();
        for (const Bytes& tensor : record) {
            places.back().push_back(by_data.at(tensor));
        }
    }
    require(have_roles(places, ops_of(program, Kind::kWrite)), "an input is another tensor in another inference");
    return places;
}

// The reads of a record follow each other; in an epilogue perhaps in another order than in a step. That of the first
// record, or of the roles.
std::optional<Places> places_from(std::size_t first, bool by_role, const std::vector<const Op*>& reads,
                                  const std::vector<Bytes>& results, const host::CapturedWorkload& workload) {
    Places places;
    for (std::size_t r = 0U; r < workload.outputs.size(); ++r) {
        const std::size_t tensors = workload.outputs[r].size();
        places.emplace_back();
        for (std::size_t k = 0U; k < tensors; ++k) {
            std::size_t place = first + (r * tensors) + k;
            for (std::size_t i = first + (r * tensors); by_role && (i < (first + ((r + 1U) * tensors))); ++i) {
                place = (reads[i]->role == reads[first + k]->role) ? i : place;
            }
            if (workload.outputs[r][k] != results[place]) {
                return std::nullopt;
            }
            places.back().push_back(place);
        }
    }
    return places;
}

Places find_outputs(const Program& program, const std::vector<Bytes>& results, const host::CapturedWorkload& workload) {
    const std::vector<const Op*> reads = ops_of(program, Kind::kRead);
    const std::size_t count = workload.outputs.size() * workload.outputs.front().size();
    require(count <= results.size(), "more was captured than the program has read");
    for (const bool by_role : {false, true}) {
        for (std::size_t first = (results.size() - count) + 1U; first-- > 0U;) {
            const std::optional<Places> places = places_from(first, by_role, reads, results, workload);
            if (places.has_value() && have_roles(*places, reads)) {
                return *places;
            }
        }
    }
    throw Wrong{
        "what was captured is not what the program has read, or an output is another tensor in another "
        "inference"};
}

// What the binary does, without the data in it.
std::string summary(const host::CapturedWorkload& workload) {
    const capture::Manifest& manifest = workload.manifest;
    std::string text =
        fmt::format("{} {} {}", workload.steps, manifest.self_test_origins.size(), manifest.steps_in_flight);
    for (const std::uint8_t byte : manifest.source_sha256) {  // of the traces
        text += fmt::format("{:02x}", byte);
    }
    for (const auto& buffer : manifest.buffers) {
        text += fmt::format(" b{}+{}:{}", buffer.region, buffer.offset_bytes, buffer.size_bytes);
    }
    for (const auto* tensors : {&manifest.inputs, &manifest.outputs}) {
        for (const auto& tensor : *tensors) {
            text += fmt::format(" t{}", tensor.buffer);
        }
    }
    for (const auto& script : manifest.scripts) {
        for (const auto& command : script.commands) {
            text += fmt::format(" {}.{}.{}.{}", static_cast<int>(script.kind), static_cast<int>(command.kind),
                                command.queue, command.object);
        }
    }
    return text;
}

// Vectors hold behind other inputs, and in any order.
void require_vectors(const host::CapturedWorkload& workload, const DeviceDescription& device) {
    replay::Replay replay{ByteSpan{workload.file.data(), workload.file.size()}, usual_target(), device};
    replay.load();
    replay::Tensors inputs = replay.empty_inputs();
    for (Bytes& input : inputs) {
        input.assign(input.size(), 0x7FU);
    }
    (void)replay.run({inputs});
    const std::uint32_t count = replay.session().self_test_count();
    Bytes scratch(replay.session().output_bytes());
    for (std::uint32_t i = 0U; i < (2U * count); ++i) {
        const std::uint32_t vector = (i < count) ? i : (((2U * count) - i) - 1U);
        require(is_ok(replay.session().self_test(vector, {scratch.data(), scratch.size()})),
                fmt::format("vector {} of {} does not hold", vector, count));
    }
}

struct Counts {
    std::uint32_t captured{0U};
    std::uint32_t refused{0U};
    std::uint32_t wrong{0U};
    std::uint32_t steps{0U};    // more than one
    std::uint32_t vectors{0U};  // captured with self-test vectors
    std::map<std::string, std::uint32_t> rules;
};

class Player {
  public:
    Player(std::filesystem::path folder, bool is_shown, bool is_lying)
        : folder_{std::move(folder)}, is_shown_{is_shown}, is_lying_{is_lying} {}

    void play(std::uint32_t seed) {
        const Program program = make_program(seed);
        try {
            try_program(program, seed);
        } catch (const std::exception& error) {
            counts_.wrong += 1U;
            if (!is_lying_) {
                fmt::print(stderr, "seed {} ({}): {}\n", seed, program.shape, error.what());
            }
        }
    }
    [[nodiscard]] const Counts& counts() const noexcept { return counts_; }

  private:
    void try_program(const Program& program, std::uint32_t seed) {
        const std::vector<Bytes> data = data_of(program, seed, Data::kRandom);
        const std::vector<Bytes> other = data_of(program, seed + kOtherData, Data::kRandom);
        const Ran ran = run(program, data, true);
        require(ran.results == results_of(program, data, is_lying_), "the captured run is not what the model says");
        const std::vector<Bytes> golden = results_of(program, other);
        require(run(program, other, false).results == golden, "the eager run is not what the model says");
        for (const Data kind : {Data::kZeros, Data::kEqual}) {
            const Ran hidden = run(program, data_of(program, seed, kind), true);
            require(hidden.refusal.empty() == ran.refusal.empty(),
                    "captured or not, as the data are: " + hidden.refusal + ran.refusal);
            if (hidden.refusal.empty()) {
                require(summary(hidden.workload) == summary(ran.workload), "another binary of other data");
                require_vectors(hidden.workload, host::open_device(options_of(program))->spec());
            }
        }
        if (!ran.refusal.empty()) {
            refused(program, seed, ran.refusal);
            return;
        }
        counts_.captured += 1U;
        counts_.steps += (ran.workload.steps > 1U) ? 1U : 0U;
        counts_.vectors += ran.workload.manifest.self_test_origins.empty() ? 0U : 1U;
        require(!ran.workload.manifest.self_test_origins.empty() || program.keeps_state, "vectors are missing");
        store(program, seed, ran, data, other, golden);
    }

    void refused(const Program& program, std::uint32_t seed, const std::string& refusal) {
        counts_.refused += 1U;
        const std::string rule = refusal.substr(0U, refusal.find(':'));
        counts_.rules[rule] += 1U;
        if (is_shown_) {
            fmt::print("seed {} ({}): {}\n", seed, program.shape, refusal);
        }
        require(has_remedy(refusal), "a refusal without a remedy: " + refusal);
    }

    void store(const Program& program, std::uint32_t seed, const Ran& ran, const std::vector<Bytes>& data,
               const std::vector<Bytes>& other, const std::vector<Bytes>& golden) {
        const Places inputs = find_inputs(program, data, ran.workload);
        const Places outputs = find_outputs(program, ran.results, ran.workload);
        if (folder_.empty()) {
            return;
        }
        files::store_file((folder_ / fmt::format("{}.ptb", seed)).string(), ran.workload.file);
        store_tensors(seed, "in", inputs, other);
        store_tensors(seed, "golden", outputs, golden);
        std::ofstream{folder_ / "index", std::ios::app}
            << fmt::format("{} {} {}\n", seed, inputs.front().size(), outputs.front().size());
    }

    // A file for each tensor, with all records.
    void store_tensors(std::uint32_t seed, const char* what, const Places& places, const std::vector<Bytes>& of) const {
        for (std::size_t k = 0U; k < places.front().size(); ++k) {
            Bytes all;
            for (const std::vector<std::size_t>& record : places) {
                all.insert(all.end(), of[record[k]].begin(), of[record[k]].end());
            }
            files::store_file((folder_ / fmt::format("{}.{}{}", seed, what, k)).string(), all);
        }
    }

    std::filesystem::path folder_;
    bool is_shown_;
    bool is_lying_;
    Counts counts_;
};

int play(std::uint32_t seed, std::uint32_t count, const std::string& folder, bool is_shown, bool is_lying) {
    Player player{folder, is_shown, is_lying};
    for (std::uint32_t i = 0U; i < count; ++i) {
        player.play(seed + i);
    }
    const Counts& counts = player.counts();
    fmt::print("programs {}, captured {} ({} with a loop, {} with vectors), refused {}, wrong {}\n", count,
               counts.captured, counts.steps, counts.vectors, counts.refused, counts.wrong);
    for (const auto& [rule, times] : counts.rules) {
        fmt::print("refused: {} {}\n", rule, times);
    }
    if (is_lying) {
        return ((2U * counts.wrong) > count) ? 0 : 1;  // a read of what no launch has written is no lie
    }
    constexpr std::uint32_t kPercent = 100U;
    constexpr std::uint32_t kLeastCaptured = 80U;
    const bool is_enough = (counts.captured * kPercent) >= (count * kLeastCaptured);
    return ((counts.wrong == 0U) && is_enough) ? 0 : 1;
}

int play_mesh(std::uint32_t seed, std::uint32_t count, bool is_shown, bool is_lying) {
    const MeshCounts counts = play_meshes(seed, count, is_shown, is_lying);
    fmt::print("programs on meshes {}, captured {}, refused {}, wrong {}\n", count, counts.captured, counts.refused,
               counts.wrong);
    if (is_lying) {
        return ((2U * counts.wrong) > count) ? 0 : 1;
    }
    constexpr std::uint32_t kPercent = 100U;
    constexpr std::uint32_t kLeastCaptured = 70U;
    const bool is_enough = (counts.captured * kPercent) >= (count * kLeastCaptured);
    return ((counts.wrong == 0U) && is_enough) ? 0 : 1;
}

int run_command(int argc, const char* const* argv) {
    CLI::App app{"Random programs of the host API: captured, or refused with a remedy."};
    std::uint32_t seed = 1U;
    std::uint32_t count = 1U;
    std::string folder;
    bool is_shown = false;
    bool is_lying = false;
    bool is_mesh = false;
    app.add_option("--seed", seed, "of the first program");
    app.add_option("--count", count, "of programs");
    app.add_option("--folder", folder, "for binaries, inputs and what is right");
    app.add_flag("--show-refusals", is_shown);
    app.add_flag("--mesh", is_mesh, "on meshes of 2 to 8 devices");
    app.add_flag("--lie", is_lying, "the model computes wrongly, which must be noticed");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error);
    }
    return is_mesh ? play_mesh(seed, count, is_shown, is_lying) : play(seed, count, folder, is_shown, is_lying);
}

}  // namespace
}  // namespace pianola::streams

int main(int count, char** values) {
    try {
        return pianola::streams::run_command(count, values);
    } catch (const std::exception& error) {
        (void)std::fputs(error.what(), stderr);
        return 2;
    }
}
