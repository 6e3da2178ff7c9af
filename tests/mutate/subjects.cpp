#include "tests/mutate/subjects.h"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "capture_host/files/files.h"
#include "capture_host/link/capture.h"
#include "capture_host/tflite/import.h"
#include "tests/runtime/rule_case.h"

namespace pianola::test {
namespace {

NamedSubject make_subject(const std::string& name, const std::vector<std::uint8_t>& file,
                          const DeviceDescription& device) {
    Validator validator{device};
    if (!is_ok(validator.validate(file))) {
        throw std::logic_error{name + " is not valid"};
    }
    return {name, mutate::read_subject(ByteSpan{file.data(), file.size()}, validator.image(), device)};
}

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
    options.self_tests = 2U;
    return make_subject(model + (is_pipelined ? ", pipelined" : ""), capture::capture_workload(recorder, options).file,
                        default_device());
}

}  // namespace

std::vector<NamedSubject> small_subjects() {
    constexpr std::uint32_t kShortRing = 64U;
    std::vector<NamedSubject> subjects;
    subjects.push_back(make_subject("one queue", make_workload(1U, 2U).file(), default_device()));
    subjects.push_back(make_subject("two queues", make_workload(2U).file(), default_device()));
    subjects.push_back(make_subject("parameters", accepted_parameters().front().file, default_device()));
    Workload workload = make_workload(1U, 1U);
    DeviceDescription device = default_device();
    device.ring_words = kShortRing;
    workload.manifest.target.ring_words = kShortRing;
    subjects.push_back(make_subject("short rings", workload.file(), device));
    return subjects;
}

std::vector<NamedSubject> model_subjects() {
    if (!std::filesystem::exists(models())) {
        return {};
    }
    return {capture_model("hello_world_int8", false), capture_model("hello_world_int8", true),
            capture_model("kws_ref_model", true)};
}

}  // namespace pianola::test
