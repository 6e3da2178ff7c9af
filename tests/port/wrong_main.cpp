// Runs the kit on a wrong port: usage: pianola_port_wrong NAME. Exits with 0 where the check that is to name it fails.
#include <cstring>
#include <iostream>

#include "hal/port_kit/conformance.h"
#include "hal/port_kit/stdout_sink.h"
#include "tests/port/wrong_port.h"

namespace {

// Keeps the names of what has failed.
class FailureSink final : public pianola::port::Sink {
  public:
    explicit FailureSink(const char* check) : check_{check} {}

    void text(const char* text) noexcept override {
        if (is_failure_) {
            is_caught_ = is_caught_ || (std::strcmp(text, check_) == 0);
        }
        is_line_ = is_line_ || (std::strncmp(text, "FAILED", 6U) == 0);
        is_failure_ = std::strncmp(text, "FAILED", 6U) == 0;
        if (is_line_) {
            std::cout << text;
            is_line_ = std::strcmp(text, "\n") != 0;
        }
    }
    void number(std::uint64_t number) noexcept override {
        if (is_line_) {
            std::cout << number;
        }
    }
    [[nodiscard]] bool is_caught() const noexcept { return is_caught_; }

  private:
    const char* check_;
    bool is_line_{false};
    bool is_failure_{false};
    bool is_caught_{false};
};

pianola::port::Kit g_kit;

int judge(const pianola::port::WrongPort& wrong) {
    FailureSink sink{wrong.check};
    const pianola::port::Summary summary = run_conformance(wrong.make(), g_kit, sink);
    if (std::strcmp(wrong.check, "-") == 0) {  // not wrong at all
        std::cout << wrong.name << ": " << summary.failed << " checks fail, " << summary.not_offered
                  << " are not offered\n";
        return summary.conforms() ? 0 : 1;
    }
    const bool is_caught = sink.is_caught() && !summary.conforms();
    std::cout << wrong.name << (is_caught ? ": caught by " : ": NOT CAUGHT by ") << wrong.check << ", "
              << (summary.failed + summary.refused_exemptions) << " checks fail\n";
    return is_caught ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const char* const name = (argc == 2) ? argv[1] : "";
    for (const pianola::port::WrongPort* const wrong : pianola::port::wrong_examples()) {
        if (std::strcmp(name, wrong->name) == 0) {
            return judge(*wrong);
        }
    }
    for (const auto& wrong_ports : {pianola::port::wrong_simulators(), pianola::port::wrong_engines()}) {
        for (const pianola::port::WrongPort& wrong : wrong_ports) {
            if (std::strcmp(name, wrong.name) == 0) {
                return judge(wrong);
            }
        }
    }
    std::cout << "usage: pianola_port_wrong NAME\n";
    return 2;
}
