// signature RECORDS ANSWERS: what the board's verifier says about each record of a file; see tests/crypto/records.h.
//
// Each verify() is a section of the instruction counter. The first record is verified once more, on painted stack.
#include "hal/boards/common/semihosting.h"
#include "hal/crypto/bearssl_verifier.h"
#include "tests/baremetal/board_tests/bench.h"
#include "tests/baremetal/board_tests/counted.h"
#include "tests/baremetal/board_tests/painted_stack.h"
#include "tests/crypto/records.h"

namespace pianola::baremetal {
namespace {

struct Question {
    BearSslVerifier verifier;
    test::SignatureRecord record{};
};

Question& question() noexcept {
    static Question the_question;
    return the_question;
}

[[nodiscard]] Status verify() noexcept {
    const test::SignatureRecord& record = question().record;
    return question().verifier.verify(record.digest, record.signature, record.key);
}

[[nodiscard]] Status counted_verify(const test::SignatureRecord& record) noexcept {
    const SignatureVerifier& verifier = question().verifier;
    pianola_count_begin();
    const Status status = verifier.verify(record.digest, record.signature, record.key);
    pianola_count_end();
    return status;
}

}  // namespace

std::int32_t test_signature(const Arguments& arguments) noexcept {
    if (arguments.count() < 3U) {
        return kWrongUsage;
    }
    LoadArea area;
    const ByteSpan records = area.load(arguments.at(1U));
    const std::size_t count = test::record_count(records);
    const MutableByteSpan answers = area.allocate(static_cast<std::uint32_t>(count * test::kAnswerBytes));
    if (answers.empty()) {
        return kNotLoaded;
    }
    for (std::size_t i = 0U; i < count; ++i) {
        test::put_answer(answers, i, counted_verify(test::record_at(records, i)));
    }
    std::uint32_t used = 0U;
    question().record = test::record_at(records, 0U);
    static_cast<void>(call_on_paint(verify, used));
    report("signatures", count);
    report("verify_stack", used);
    return semihosting::store_file(arguments.at(2U), answers) ? kPassed : kFailed;
}

}  // namespace pianola::baremetal
