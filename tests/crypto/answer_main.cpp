// pianola_signature_answers RECORDS ANSWERS: what the host's verifier says about each record of a file; see records.h.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

#include "hal/crypto/bearssl_verifier.h"
#include "tests/crypto/records.h"

int main(int argc, char** argv) {
    if (argc != 3) {
        static_cast<void>(std::fputs("pianola_signature_answers RECORDS ANSWERS\n", stderr));
        return 2;
    }
    std::ifstream file{argv[1], std::ios::binary};
    const std::vector<std::uint8_t> records{std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{}};
    const pianola::ByteSpan view{records.data(), records.size()};
    std::vector<std::uint8_t> answers(pianola::test::record_count(view) * pianola::test::kAnswerBytes);
    const pianola::BearSslVerifier verifier;
    for (std::size_t i = 0U; i < pianola::test::record_count(view); ++i) {
        const pianola::test::SignatureRecord record = pianola::test::record_at(view, i);
        pianola::test::put_answer({answers.data(), answers.size()}, i,
                                  verifier.verify(record.digest, record.signature, record.key));
    }
    std::ofstream output{argv[2], std::ios::binary};
    std::copy(answers.begin(), answers.end(), std::ostreambuf_iterator<char>{output});
    output.close();
    return output.good() ? 0 : 1;
}
