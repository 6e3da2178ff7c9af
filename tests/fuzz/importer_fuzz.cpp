// Fuzzer of the importer: any bytes as a TensorFlow Lite model. A model imports or is refused with an ImportError; what
// imports is linked, or does not fit the device, and a binary that was linked is one that the runtime accepts.
#include <string>

#include "capture_host/capture/link.h"
#include "capture_host/tflite/import.h"
#include "tests/fuzz/harness.h"
#include "tests/hostile/mutator.h"
#include "tests/hostile/target.h"

namespace pianola::fuzz {
namespace {

using test::require;

void require_links(const capture::Recorder& recorder) {
    static test::Validator validator;
    try {
        const capture::LinkedWorkload linked = capture::link(recorder, {});
        const Bytes file = capture::write_trace_binary(linked.manifest, linked.segments);
        require(is_ok(validator.validate(file)), std::string{"the runtime accepts what was linked: "} +
                                                     rule_id(validator.verdict().rule) + " " +
                                                     test::path_text(validator.verdict()));
    } catch (const capture::LinkError& error) {
        require(!std::string{error.what()}.empty(), "a workload that does not fit says why");
    }
}

}  // namespace

void run_one(ByteSpan input) {
    // Of exactly the size, so that a read behind the end is seen.
    const Bytes file{input.begin(), input.end()};
    capture::Recorder recorder;
    try {
        tflite::import_model({file.data(), file.size()}, "model.tflite", {}, recorder);
    } catch (const tflite::ImportError& error) {
        require(!error.missing().empty(), "a refusal says what is missing");
        return;
    }
    require_links(recorder);
}

void mutate(Bytes& input, std::size_t max_bytes, test::Random& random) {
    // Most fields are small and aligned; a small change of one makes a neighbour, which is worth more than noise.
    if ((input.size() < 8U) || random.one_in(2U)) {
        mutate_bytes(input, max_bytes, random);
        return;
    }
    const std::size_t word = std::size_t{4U} * random.below(static_cast<std::uint32_t>(input.size() / 4U));
    test::store32(input, word, test::interesting(random, test::load32(input, word)));
}

}  // namespace pianola::fuzz
