// Draft: a copy of a subject, on its way to becoming a mutant.
//
// The semantic operators work on drafts. An operator finds a place where its rule can be broken; if the file has none,
// it first extends the workload, and confirm() checks that the extended file is valid. Every function that finds no
// place or no room throws NotApplicable with the reason.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "capture_host/binary/trace_walk.h"
#include "capture_host/mutate/subject.h"

namespace pianola::mutate {

using targets::append;
using targets::bytes_of;
using targets::measure_trace;
using targets::TraceMeasure;
using targets::Words;
using targets::words_of;

// what() says why the rule cannot be broken in this file.
class NotApplicable : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

using Bytes = std::vector<std::uint8_t>;
using BytesEdit = std::function<void(Bytes& file)>;

inline constexpr std::uint32_t kBlockBytes = kFileAlignmentBytes;  // sizes in the file are multiples of it
inline constexpr std::uint32_t kScratchBytes = 4U * kBlockBytes;   // for the commands that an operator adds

class Draft {
  public:
    // Both must outlive the draft.
    Draft(const Subject& subject, Checker& checker);

    // The contents of the mutant, which operators change.
    [[nodiscard]] capture::Manifest& manifest() noexcept { return manifest_; }
    [[nodiscard]] capture::Segments& segments() noexcept { return segments_; }
    [[nodiscard]] const DeviceDescription& device() const noexcept { return subject_.device; }
    [[nodiscard]] const CommandSet& command_set() const noexcept { return subject_.target->command_set(); }

    // Words of commands.
    [[nodiscard]] Words sample(Sample which, const SampleOperands& operands = {}) const;
    [[nodiscard]] Words fill(std::uint32_t address, std::uint32_t size_bytes, std::uint32_t value) const {
        return sample(Sample::kFill, {address, 0U, size_bytes, value, 0U});
    }
    [[nodiscard]] Words copy(std::uint32_t destination, std::uint32_t source, std::uint32_t size_bytes) const {
        return sample(Sample::kCopy, {destination, source, size_bytes, 0U, 0U});
    }
    [[nodiscard]] Words barrier() const { return sample(Sample::kBarrier); }
    [[nodiscard]] Words end() const { return sample(Sample::kEnd); }

    // Adds a change of the bytes after writing, before the digest is corrected.
    void edit(BytesEdit edit) { edits_.push_back(std::move(edit)); }
    // The digest stays that of the bytes before the edits.
    void keep_digest() noexcept { fix_digest_ = false; }
    // The file is not damaged, but must be loaded this many bytes after an aligned address.
    void shift(std::uint32_t bytes) noexcept { shift_bytes_ = bytes; }
    // A validator with this trust must refuse it; kDevelopment by default.
    void demand(TrustKind trust) noexcept { trust_ = trust; }
    // The field that the verdict must name, where the operator knows it. Places are those of the draft as it is now:
    // "regions[last].base" is of the last one of the list (or of "buffers", "parameters"), "traces[main]" the main
    // trace, "set-up[0]", "step[last]" a command of the script, "step" the script, "added[1]" the command 1 after
    // those of the subject's main trace, and "tensor" the first input, or the first output of a file
    // without inputs.
    void expect_path(const std::string& path);
    void expect_command(ScriptKind script, std::size_t command, const char* field);

    // Gives step and set-up the lengths and deadlines that their commands need.
    void settle();
    // Settles, and makes sure that the file as it is now is accepted. `added` says what the file did not have.
    void confirm(const std::string& added);

    [[nodiscard]] Bytes write() const;  // with the edits
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] const std::string& extension() const noexcept { return extension_; }
    [[nodiscard]] TrustKind trust() const noexcept { return trust_; }
    [[nodiscard]] std::uint32_t shift_bytes() const noexcept { return shift_bytes_; }

    // Scripts. Indices are those of the manifest.
    [[nodiscard]] bool has_script(ScriptKind kind) const;
    [[nodiscard]] std::uint32_t script_index(ScriptKind kind) const;
    [[nodiscard]] bool has_command(ScriptKind script, ScriptCommandKind kind);
    [[nodiscard]] std::vector<capture::ManifestCommand>& commands(ScriptKind kind);
    // The script of that kind, which is added if there is none.
    std::vector<capture::ManifestCommand>& commands_or_add(ScriptKind kind);
    // The first command of that kind in the script; the script's size if there is none.
    [[nodiscard]] std::uint32_t find_command(ScriptKind script, ScriptCommandKind kind);
    // Words that the script takes in a queue's ring, the notify at its end included; and how many commands it is for a
    // session.
    [[nodiscard]] std::uint32_t ring_words(ScriptKind script, std::uint32_t queue);
    [[nodiscard]] std::uint32_t planned_commands(ScriptKind script);
    [[nodiscard]] std::uint32_t queue_words(QueueCommandKind kind) const;  // of one command
    // An event that no script names.
    [[nodiscard]] std::uint32_t free_event() const;
    void require_queues(std::uint32_t count) const;
    void require_trace_region(const char* what) const;  // has room for the traces as they are, with `what`
    // Everything on queue 0 in one step after the other: no prologue, no epilogue, no events.
    void make_sequential();

    // Traces. The main one has the highest cost of those that the step replays.
    [[nodiscard]] std::uint32_t main_trace();
    [[nodiscard]] std::uint32_t main_replay();  // the command of the step that replays it
    [[nodiscard]] std::uint32_t main_queue();
    [[nodiscard]] Words trace_words(std::uint32_t trace) const;
    // Lays the traces out anew; the manifest keeps its number of commands and its cost for this one.
    void set_trace_words(std::uint32_t trace, const Words& words);
    // Inserts commands before the main trace's end. Returns the place of the first word. The main trace then declares
    // what its commands are and cost; for commands that cannot be decoded, what the caller says.
    std::uint32_t append_commands(const Words& words);
    std::uint32_t append_raw(const Words& words, std::uint32_t command_count, std::uint64_t cycles);
    void set_word(std::uint32_t word, std::uint32_t value);  // of the main trace
    // The trace says what its commands are and cost, after its words were set.
    void measure(std::uint32_t trace);
    void measure_main();
    // Adds a separate trace, loaded by the set-up, replayed immediately after the main one, on its queue. Returns the
    // step's command.
    std::uint32_t add_trace(const std::string& name, const Words& words);

    // Extensions; memory is taken from what no region has. They return indices of the manifest.
    std::uint32_t add_region(const std::string& name, RegionKind kind, std::uint32_t size_bytes);
    std::uint32_t add_buffer(const std::string& name, std::uint32_t region, std::uint32_t offset_bytes,
                             std::uint32_t size_bytes);
    // A region for activations; returns its address.
    std::uint32_t add_scratch(std::uint32_t size_bytes);
    // Bytes of int8, in so many buffers of equal size; written at the start of the step, or read behind the main
    // replay; and likewise in prologue and epilogue, where these do it for other tensors. An output is filled by the
    // main trace.
    std::uint32_t add_input(std::uint32_t buffers, std::uint32_t buffer_bytes);
    std::uint32_t add_output(std::uint32_t buffers, std::uint32_t buffer_bytes);
    // Adds 64 bytes of weights that nothing reads; returns the set-up's command.
    std::uint32_t add_weights();
    // Self-tests whose bytes would have to fit what is changed; the file without them is confirmed.
    void drop_self_tests();
    // All devices of the mesh, which are several.
    [[nodiscard]] DeviceRange require_mesh() const;
    // All commands of that kind on the object are for these devices.
    void give_to(ScriptCommandKind kind, std::uint32_t object, const DeviceRange& devices);
    // The first input; the first output of a file without inputs.
    [[nodiscard]] capture::ManifestTensor& first_tensor();

  private:
    struct Gap {
        MemoryKind memory{MemoryKind::kUnspecified};
        std::uint32_t base{0U};
    };
    [[nodiscard]] Gap find_gap(std::uint32_t size_bytes) const;
    std::uint32_t add_tensor(RegionKind kind, std::uint32_t buffers, std::uint32_t buffer_bytes);
    void extend_self_tests(std::uint32_t size_bytes, std::uint8_t value, bool is_input);

    const Subject& subject_;
    Checker& checker_;
    capture::Manifest manifest_;
    capture::Segments segments_;
    std::vector<BytesEdit> edits_;
    bool fix_digest_{true};
    std::uint32_t shift_bytes_{0U};
    TrustKind trust_{TrustKind::kDevelopment};
    std::optional<std::uint32_t> main_trace_;  // the same, whatever is changed after it was found
    std::uint32_t subject_commands_{0U};       // of the main trace
    std::string path_;
    std::string extension_;
};

}  // namespace pianola::mutate
