// Wrong engines: the simulator's port with an engine for digests that has one thing wrong.
#include <algorithm>
#include <utility>
#include <vector>

#include "tests/port/refdev_port.h"
#include "tests/port/software_engine.h"
#include "tests/port/wrong_port.h"

namespace pianola::port {
namespace {

// The register is read before the unit has put the new digest there: it still has the last one.
class OneMessageLate final : public SoftwareEngine {
  public:
    Status finish(Sha256Digest& digest) noexcept override {
        digest = last_;
        return SoftwareEngine::finish(last_);
    }

  private:
    Sha256Digest last_{};
};

class AnswersOnce final : public SoftwareEngine {
  public:
    Status finish(Sha256Digest& digest) noexcept override {
        static_cast<void>(is_first_ ? SoftwareEngine::finish(first_) : Status::kOk);
        is_first_ = false;
        digest = first_;
        return Status::kOk;
    }

  private:
    bool is_first_{true};
    Sha256Digest first_{};
};

class WritesNothing final : public SoftwareEngine {
  public:
    Status finish(Sha256Digest& /*digest*/) noexcept override { return Status::kOk; }
};

class HalfADigest final : public SoftwareEngine {
  public:
    Status finish(Sha256Digest& digest) noexcept override {
        Sha256Digest whole{};
        const Status status = SoftwareEngine::finish(whole);
        std::copy_n(whole.begin(), whole.size() / 2U, digest.begin());
        return status;
    }
};

class WordsReversed final : public SoftwareEngine {
  public:
    Status finish(Sha256Digest& digest) noexcept override {
        const Status status = SoftwareEngine::finish(digest);
        for (std::size_t word = 0U; word < digest.size(); word += 4U) {
            std::swap(digest[word], digest[word + 3U]);
            std::swap(digest[word + 1U], digest[word + 2U]);
        }
        return status;
    }
};

class BusyForEver final : public SoftwareEngine {
  public:
    Status finish(Sha256Digest& /*digest*/) noexcept override { return Status::kBusy; }
};

// Right once, then wrong once.
class ChangesItsMind final : public SoftwareEngine {
  public:
    Status finish(Sha256Digest& digest) noexcept override {
        const Status status = SoftwareEngine::finish(digest);
        digest[0] = static_cast<std::uint8_t>(digest[0] ^ (is_second_ ? 1U : 0U));
        is_second_ = !is_second_;
        return status;
    }

  private:
    bool is_second_{false};
};

class GoesOn final : public SoftwareEngine {
  public:
    Status begin() noexcept override { return std::exchange(is_fresh_, false) ? SoftwareEngine::begin() : Status::kOk; }
    Status finish(Sha256Digest& digest) noexcept override {
        is_fresh_ = true;
        return SoftwareEngine::finish(digest);
    }

  private:
    bool is_fresh_{true};
};

// The unit takes words: what is left of a piece is filled up.
class FillsUpWords final : public SoftwareEngine {
  public:
    Status begin() noexcept override {
        message_.clear();
        return Status::kOk;
    }
    Status update(ByteSpan bytes) noexcept override {
        message_.resize((message_.size() + 3U) & ~std::size_t{3U});
        message_.insert(message_.end(), bytes.begin(), bytes.end());
        return Status::kOk;
    }
    Status finish(Sha256Digest& digest) noexcept override {
        digest = sha256(ByteSpan{message_.data(), message_.size()});
        return Status::kOk;
    }

  private:
    std::vector<std::uint8_t> message_;
};

// A DMA channel that reads a piece when the next one comes.
class ReadsLater final : public SoftwareEngine {
  public:
    Status begin() noexcept override {
        pending_ = ByteSpan{};
        return SoftwareEngine::begin();
    }
    Status update(ByteSpan bytes) noexcept override {
        return SoftwareEngine::update(bytes.empty() ? ByteSpan{} : std::exchange(pending_, bytes));
    }
    Status finish(Sha256Digest& digest) noexcept override {
        static_cast<void>(SoftwareEngine::update(pending_));
        return SoftwareEngine::finish(digest);
    }

  private:
    ByteSpan pending_;
};

class CountsTo16Bits final : public SoftwareEngine {
  public:
    Status begin() noexcept override {
        count_ = 0U;
        return SoftwareEngine::begin();
    }
    Status update(ByteSpan bytes) noexcept override {
        const std::size_t room = kLimit - count_;
        const ByteSpan taken = bytes.subspan(0U, std::min(bytes.size(), room));
        count_ += taken.size();
        return SoftwareEngine::update(taken);
    }

  private:
    static constexpr std::size_t kLimit = 65535U;
    std::size_t count_{0U};
};

template <typename Engine>
PortUnderTest with_engine() noexcept {
    static SimulatedPort simulated{sim::Threading::kInProcess};
    static Engine engine;
    PortUnderTest port = simulated.under_test();
    port.digest_engine = &engine;
    return port;
}

constexpr std::array<WrongPort, 11U> kEngines{{
    {"engine_one_message_late", "PORT-ENGINE-DIGEST", with_engine<OneMessageLate>},
    {"engine_answers_once", "PORT-ENGINE-BEGIN", with_engine<AnswersOnce>},
    {"engine_writes_nothing", "PORT-ENGINE-DIGEST", with_engine<WritesNothing>},
    {"engine_half_a_digest", "PORT-ENGINE-DIGEST", with_engine<HalfADigest>},
    {"engine_words_reversed", "PORT-ENGINE-DIGEST", with_engine<WordsReversed>},
    {"engine_busy_for_ever", "PORT-ENGINE-DIGEST", with_engine<BusyForEver>},
    {"engine_changes_its_mind", "PORT-ENGINE-DIGEST", with_engine<ChangesItsMind>},
    {"engine_goes_on", "PORT-ENGINE-BEGIN", with_engine<GoesOn>},
    {"engine_fills_up_words", "PORT-ENGINE-PIECES", with_engine<FillsUpWords>},
    {"engine_reads_later", "PORT-ENGINE-PIECES", with_engine<ReadsLater>},
    {"engine_counts_to_16_bits", "PORT-ENGINE-LONG", with_engine<CountsTo16Bits>},
}};

}  // namespace

Span<const WrongPort> wrong_engines() noexcept {
    return kEngines;
}

}  // namespace pianola::port
