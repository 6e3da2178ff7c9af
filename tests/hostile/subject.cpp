#include "tests/hostile/subject.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "capture_host/capture/capture.h"
#include "capture_host/mutate/subject.h"
#include "capture_host/tflite/import.h"
#include "hal/devices/refdev/host/refdev_target.h"
#include "pianola_host/files.h"
#include "tests/support/trace_file.h"

namespace pianola::test {
namespace {

Subject make_subject(std::string name, const refdev::DeviceSpec& spec, std::vector<std::uint8_t> file) {
    DeviceDescription device;
    refdev::describe(spec, device);
    Validator validator{device};
    if (!is_ok(validator.validate(file))) {
        throw std::runtime_error{name + " is not valid: " + rule_id(validator.verdict().rule) + " " +
                                 path_text(validator.verdict())};
    }
    mutate::Subject pieces =
        mutate::read_subject(ByteSpan{file.data(), file.size()}, validator.image(), refdev::target(), device);
    Subject subject;
    subject.name = std::move(name);
    subject.spec = spec;
    subject.parts = {std::move(pieces.manifest), std::move(pieces.segments)};
    subject.file = std::move(file);
    if (subject.parts.file() != subject.file) {
        throw std::runtime_error{subject.name + " is not in canonical form"};
    }
    return subject;
}

std::filesystem::path model_path() {
    const char* const shared = std::getenv("PIANOLA_SHARED");
    const std::filesystem::path root = (shared != nullptr)
                                           ? std::filesystem::path{shared}
                                           : (std::filesystem::path{PIANOLA_SOURCE_DIR}.parent_path() / "shared");
    return root / "models" / "kws_ref_model" / "model.tflite";
}

std::vector<std::uint8_t> capture_model(const std::filesystem::path& path) {
    const std::vector<std::uint8_t> model = files::load_file(path);
    const ByteSpan bytes{model.data(), model.size()};
    capture::Recorder recorder;
    tflite::import_model(bytes, "model.tflite", sha256(bytes), recorder);
    return capture::capture_workload(recorder, {}).file;
}

}  // namespace

Subject small_subject() {
    Subject subject = make_subject("small", small_device(), make_small_workload(2U, 1U).file());
    subject.is_small = true;
    return subject;
}

std::optional<Subject> model_subject() {
    if (!std::filesystem::exists(model_path())) {
        return std::nullopt;
    }
    return make_subject("kws", {}, capture_model(model_path()));
}

std::vector<Subject> named_subjects() {
    std::vector<Subject> subjects;
    const char* const named = std::getenv("PIANOLA_HOSTILE_FILES");
    std::istringstream names{(named == nullptr) ? "" : named};
    for (std::string name; std::getline(names, name, ':');) {
        if (!name.empty()) {
            subjects.push_back(
                make_subject(std::filesystem::path{name}.filename().string(), {}, files::load_file(name)));
        }
    }
    return subjects;
}

}  // namespace pianola::test
