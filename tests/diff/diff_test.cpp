// A binary, and the same one with one thing changed: the class of that is named, and no other.
#include "capture_host/binary/diff.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "capture_host/binary/signing.h"
#include "capture_host/capture/capture.h"
#include "hal/registry/registry.h"
#include "pianola/development_config.h"
#include "pianola_host/files.h"
#include "pianola_host/manifest.h"

namespace pianola::test {
namespace {

using Bytes = std::vector<std::uint8_t>;
using capture::Manifest;
using capture::Segments;

constexpr std::uint32_t kSize = 128U;

// Operators that read a constant, and one that reads none.
Bytes make_binary() {
    capture::Recorder recorder;
    const capture::BufferId constant = recorder.add_constant("weights", Bytes(kSize, 7U));
    const capture::BufferId input = recorder.add_input({"in", {kSize}, ElementType::kInt8, 1.0F, 0}, kSize);
    const capture::BufferId first = recorder.add_activation("first", kSize);
    const capture::BufferId second = recorder.add_activation("second", kSize);
    const capture::BufferId output = recorder.add_output({"out", {kSize}, ElementType::kInt8, 1.0F, 0}, kSize);
    const capture::BufferId more = recorder.add_output({"more", {kSize}, ElementType::kInt8, 1.0F, 0}, kSize);
    recorder.copy("0 INPUT", first, input, kSize);
    recorder.copy("1 MOVE", second, first, kSize);
    recorder.copy("2 OUTPUT", output, second, kSize);
    recorder.copy("3 CONSTANT", more, constant, kSize);
    recorder.set_source("made", {});
    capture::CaptureOptions options;
    options.link.spec = usual_target().usual_device();
    options.self_tests = 1U;
    return capture::capture_workload(recorder, options).file;
}

class Opened {
  public:
    explicit Opened(const Bytes& file) : bytes_{file} {
        Envelope envelope;
        Verdict verdict;
        const ByteSpan view = bytes_.view();
        EXPECT_TRUE(is_ok(parse_envelope(view, envelope, verdict)));
        EXPECT_TRUE(is_ok(authenticate(view, envelope, kDevelopmentTrust, verdict)));
        EXPECT_TRUE(is_ok(open_image(view, envelope, profiles::kHost, image_, verdict)));
    }
    [[nodiscard]] const Image& image() const { return image_; }
    [[nodiscard]] diff::Side side(bool knows_family = true) const {
        return {bytes_.view(), image_, knows_family ? &usual_target() : nullptr};
    }

  private:
    files::AlignedBytes bytes_;
    Image image_;
};

Bytes to_bytes(ByteSpan span) {
    return {span.begin(), span.end()};
}

// The binary with its manifest and segments changed.
Bytes changed(const Bytes& file, const std::function<void(Manifest&, Segments&)>& change) {
    const Opened opened{file};
    const Image& image = opened.image();
    Manifest manifest = capture::read_manifest(image);
    Segments segments{to_bytes(image.weights()), to_bytes(image.trace_segment()), to_bytes(image.self_tests())};
    change(manifest, segments);
    return capture::write_trace_binary(manifest, segments);
}

std::set<std::string> classes_between(const Bytes& before, const Bytes& after, bool knows_family = true) {
    const Opened old{before};
    const Opened now{after};
    std::set<std::string> classes;
    for (const diff::Difference& each : diff::differences(old.side(knows_family), now.side(knows_family))) {
        EXPECT_NE(each.before, each.after) << each.where;
        EXPECT_FALSE(each.where.empty());
        classes.insert(diff::class_name(each.kind));
    }
    return classes;
}

using Classes = std::set<std::string>;

TEST(Diff, EqualFilesHaveNoDifference) {
    const Bytes file = make_binary();
    EXPECT_EQ(classes_between(file, make_binary()), Classes{});
    EXPECT_EQ(classes_between(file, changed(file, [](Manifest&, Segments&) {})), Classes{});
    EXPECT_EQ(classes_between(file, file, false), Classes{});
}

struct Seed {
    const char* kind;
    const char* what;
    std::function<void(Manifest&, Segments&)> change;
};

const std::vector<Seed>& seeds() {
    static const std::vector<Seed> kSeeds{
        {"target", "clock", [](Manifest& manifest, Segments&) { manifest.target.clock_khz += 1U; }},
        {"target", "kernel library", [](Manifest& manifest, Segments&) { manifest.target.kernel_library[3] ^= 1U; }},
        {"target", "profile",
         [](Manifest& manifest, Segments&) { manifest.target.profile = CapacityProfile::kSmallEcu; }},
        {"target", "costs", [](Manifest& manifest, Segments&) { manifest.target.costs = CostKind::kUpperBound; }},
        {"memory", "region", [](Manifest& manifest, Segments&) { manifest.regions.back().size_bytes += 64U; }},
        {"memory", "buffer", [](Manifest& manifest, Segments&) { manifest.buffers.back().name += "2"; }},
        {"memory", "added buffer",
         [](Manifest& manifest, Segments&) { manifest.buffers.push_back(manifest.buffers.back()); }},
        {"tensors", "scale", [](Manifest& manifest, Segments&) { manifest.inputs[0].scale = 2.0F; }},
        {"tensors", "shape", [](Manifest& manifest, Segments&) { manifest.outputs[1].shape = {2U, kSize / 2U}; }},
        {"operators", "name", [](Manifest& manifest, Segments&) { manifest.traces[0].programs[1].name = "1 OTHER"; }},
        {"commands", "a word of the trace", [](Manifest&, Segments& segments) { segments.traces[5] ^= 1U; }},
        {"commands", "a script",
         [](Manifest& manifest, Segments&) {
             for (capture::ManifestScript& script : manifest.scripts) {
                 if (script.kind == ScriptKind::kStep) {
                     std::swap(script.commands.front(), script.commands.back());
                 }
             }
         }},
        {"commands", "what an operator has",
         [](Manifest& manifest, Segments&) { manifest.traces[0].name = "another"; }},
        {"timing", "cycles of a step", [](Manifest& manifest, Segments&) { manifest.step_cycles += 1U; }},
        {"timing", "deadline of a step", [](Manifest& manifest, Segments&) { manifest.step_deadline_us += 1U; }},
        {"timing", "deadline of the set-up", [](Manifest& manifest, Segments&) { manifest.setup_deadline_us += 1U; }},
        {"timing", "steps in flight", [](Manifest& manifest, Segments&) { manifest.steps_in_flight += 1U; }},
        {"timing", "cycles of a trace", [](Manifest& manifest, Segments&) { manifest.traces[0].cost_cycles += 1U; }},
        {"weights", "a byte", [](Manifest&, Segments& segments) { segments.weights[17] ^= 1U; }},
        {"parameters", "added",
         [](Manifest& manifest, Segments&) {
             manifest.parameters.push_back({"gain", ParameterKind::kRuntimeArgument, 0U, 9U, 1U, {{0U, 2U}}});
         }},
        {"self-tests", "a byte", [](Manifest&, Segments& segments) { segments.self_tests[3] ^= 1U; }},
        {"self-tests", "origin",
         [](Manifest& manifest, Segments&) { manifest.self_test_origins[0] = SelfTestOrigin::kExpected; }},
        {"provenance", "source", [](Manifest& manifest, Segments&) { manifest.source_sha256[0] ^= 1U; }},
        {"provenance", "tool", [](Manifest& manifest, Segments&) { manifest.tool_version = "0.0.1"; }},
    };
    return kSeeds;
}

TEST(Diff, EachClassIsNamedAlone) {
    const Bytes file = make_binary();
    Classes seen;
    for (const Seed& seed : seeds()) {
        const Bytes other = changed(file, seed.change);
        EXPECT_EQ(classes_between(file, other), Classes{seed.kind}) << seed.what;
        EXPECT_EQ(classes_between(other, file), Classes{seed.kind}) << seed.what << ", the other way";
        seen.insert(seed.kind);
    }
    // Those below, and `other`, which tests/cli/diff_test.py has.
    for (const char* const each : {"security-version", "signature", "other"}) {
        seen.insert(each);
    }
    EXPECT_EQ(seen.size(), diff::kClassCount);
}

TEST(Diff, NoByteOfTheBulkDataIsPassedOver) {
    const Bytes file = make_binary();
    const Opened opened{file};
    const auto flipped = [&file](const char* kind, std::size_t size, Bytes Segments::* segment) {
        for (std::size_t i = 0U; i < size; i += 7U) {
            const Bytes other = changed(file, [segment, i](Manifest&, Segments& all) { (all.*segment)[i] ^= 0x80U; });
            EXPECT_EQ(classes_between(file, other).count(kind), 1U) << kind << " byte " << i;
            EXPECT_EQ(classes_between(file, other, false), Classes{kind}) << kind << " byte " << i;
        }
    };
    flipped("weights", opened.image().weights().size(), &Segments::weights);
    flipped("commands", opened.image().trace_segment().size(), &Segments::traces);
    flipped("self-tests", opened.image().self_tests().size(), &Segments::self_tests);
}

TEST(Diff, WeightsAreNamedByOperatorAndOperand) {
    const Bytes file = make_binary();
    const Bytes other = changed(file, [](Manifest&, Segments& segments) {
        segments.weights[3] ^= 1U;
        segments.weights[90] ^= 1U;
    });
    const Opened old{file};
    const Opened now{other};
    const std::vector<diff::Difference> all = diff::differences(old.side(), now.side());
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].where.rfind("3 CONSTANT: ", 0U), 0U) << all[0].where;
    EXPECT_EQ(all[0].before, "128 bytes");
    EXPECT_EQ(all[0].after, "128 bytes, 2 of them different, the first at 3");
}

TEST(Diff, SignaturesAndSecurityVersions) {
    const Bytes file = make_binary();
    const signing::Key key = signing::Key::generate(signing::KeyKind::kP256);
    const signing::Key other = signing::Key::generate(signing::KeyKind::kP256);
    const auto sign = [&file](const signing::Key& by, std::uint32_t version) {
        const Bytes prepared = signing::prepare(file, by.id(), version);
        return signing::with_signature(prepared, by.sign_digest(signing::digest_of(prepared)));
    };
    const Bytes is_signed = sign(key, 0U);
    EXPECT_EQ(classes_between(file, is_signed), Classes{"signature"});
    EXPECT_EQ(classes_between(is_signed, sign(other, 0U)), Classes{"signature"});
    EXPECT_EQ(classes_between(is_signed, sign(key, 0U)), Classes{"signature"});  // each one is random
    Bytes later = file;
    later[header::kSecurityVersion] = 9U;
    capture::fix_digest(later);
    EXPECT_EQ(classes_between(file, later), Classes{"security-version"});
}

}  // namespace
}  // namespace pianola::test
