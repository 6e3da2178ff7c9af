#include <cstdlib>
#include <filesystem>

#include "capture_host/capture/capture.h"
#include "capture_host/tflite/import.h"
#include "pianola_host/files.h"
#include "tests/mutate/subjects.h"
#include "tests/runtime/rule_case.h"

namespace pianola::test {
namespace {

std::filesystem::path models() {
    const char* const shared = std::getenv("PIANOLA_SHARED");
    const std::filesystem::path root = (shared != nullptr)
                                           ? std::filesystem::path{shared}
                                           : (std::filesystem::path{PIANOLA_SOURCE_DIR}.parent_path() / "shared");
    return root / "models";
}

NamedSubject capture_model(const std::string& model, bool is_pipelined) {
    const std::vector<std::uint8_t> bytes = files::load_file(models() / model / "model.tflite");
    const ByteSpan span{bytes.data(), bytes.size()};
    capture::Recorder recorder;
    tflite::import_model(span, "model.tflite", sha256(span), recorder);
    capture::CaptureOptions options;
    options.link.queues = is_pipelined ? 2U : 1U;
    options.link.is_pipelined = is_pipelined;
    options.link.spec.capacities = &profiles::kSmallEcu;
    options.self_tests = 2U;
    return make_subject(model + (is_pipelined ? ", pipelined" : ""), capture::capture_workload(recorder, options).file,
                        default_device());
}

}  // namespace

std::vector<NamedSubject> model_subjects() {
    if (!std::filesystem::exists(models())) {
        return {};
    }
    return {capture_model("hello_world_int8", false), capture_model("hello_world_int8", true),
            capture_model("kws_ref_model", true)};
}

}  // namespace pianola::test
