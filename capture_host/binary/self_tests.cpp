#include "capture_host/binary/self_tests.h"

#include <algorithm>

#include "capture_host/base/text.h"
#include "capture_host/binary/openssl_digest.h"

namespace pianola::evidence {
namespace {

// 0 if the tensor has more bytes than any segment.
std::uint64_t bytes_of(const TensorView& tensor) {
    std::uint64_t bytes = element_bytes(tensor.type);
    for (std::uint32_t i = 0U; i < tensor.rank; ++i) {
        bytes *= tensor.shape[i];
        if (bytes > UINT32_MAX) {
            return 0U;
        }
    }
    return bytes;
}

}  // namespace

std::vector<SelfTest> self_tests_of(const Image& image) {
    std::uint64_t input_bytes = 0U;
    std::uint64_t output_bytes = 0U;
    for (std::uint32_t i = 0U; i < image.input_count(); ++i) {
        input_bytes += bytes_of(image.input(i));
    }
    for (std::uint32_t i = 0U; i < image.output_count(); ++i) {
        output_bytes += bytes_of(image.output(i));
    }
    const ByteSpan vectors = image.self_tests();
    std::vector<SelfTest> tests;
    if (((input_bytes + output_bytes) * image.self_test_count()) != vectors.size()) {
        return tests;
    }
    std::size_t next = 0U;
    for (std::uint32_t i = 0U; i < image.self_test_count(); ++i) {
        SelfTest& test = tests.emplace_back();
        test.origin = image.self_test_origin(i);
        test.inputs = signing::openssl_sha256(vectors.subspan(next, input_bytes));
        next += input_bytes;
        test.outputs = signing::openssl_sha256(vectors.subspan(next, output_bytes));
        next += output_bytes;
    }
    return tests;
}

const char* name_of(SelfTestOrigin origin) noexcept {
    return (origin == SelfTestOrigin::kExpected) ? "expected" : "captured";
}

nlohmann::json to_json(const std::vector<SelfTest>& tests) {
    nlohmann::json list = nlohmann::json::array();
    for (const SelfTest& test : tests) {
        list.push_back({{"origin", name_of(test.origin)},
                        {"inputs_sha256", files::to_hex(ByteSpan{test.inputs})},
                        {"outputs_sha256", files::to_hex(ByteSpan{test.outputs})}});
    }
    return list;
}

}  // namespace pianola::evidence
