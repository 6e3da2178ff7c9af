// Straight-line programs without any order.
#include <fmt/format.h>

#include <algorithm>

#include "tests/streams/op_writer.h"

namespace pianola::streams {
namespace {

class Straight : public OpWriter {
  public:
    using OpWriter::OpWriter;

    // Buffers, programs, writes and reads in any order; what is read has been written.
    Program make() {
        made_.queues = 1U + random_.below(2U);
        made_.shape = fmt::format("straight, queues {}", made_.queues);
        std::vector<std::uint32_t> written;
        std::uint32_t writes = 0U;
        std::uint32_t reads = 0U;
        const std::uint32_t length = 6U + random_.below(20U);
        for (std::uint32_t i = 0U; (i < length) || (reads == 0U); ++i) {
            const std::uint32_t queue = random_.below(made_.queues);
            const auto any = [&] { return written.at(random_.below(static_cast<std::uint32_t>(written.size()))); };
            const std::uint32_t what = written.empty() ? 0U : random_.below(8U);
            if ((what == 0U) && (writes < 6U)) {
                const std::uint32_t to = (written.empty() || random_.one_in(2U)) ? allocate() : any();
                written.push_back(to);
                op(Kind::kWrite, queue, to).is_data = true;
                writes += 1U;
            } else if (!written.empty() && (what == 1U) && (reads < 6U)) {
                op(Kind::kRead, queue, any());
                reads += 1U;
            } else if ((what == 2U) && (std::count(written.begin(), written.end(), written.front()) !=
                                        static_cast<std::ptrdiff_t>(written.size()))) {
                const std::uint32_t freed = any();
                written.erase(std::remove(written.begin(), written.end(), freed), written.end());
                op(Kind::kFree, 0U, freed);
            } else if (!written.empty()) {
                Launch launch = random_launch(any(), any());
                launch.output = random_.one_in(2U) ? any() : allocate();
                if (std::count(written.begin(), written.end(), launch.output) == 0) {
                    written.push_back(launch.output);
                } else if (random_.one_in(3U)) {
                    launch.count = kBytes / 2U;
                    launch.output_first = random_.one_in(2U) ? launch.count : 0U;
                    launch.left_first = (launch.left == launch.output) ? launch.output_first : 0U;
                    launch.right_first = (launch.right == launch.output) ? launch.output_first : (kBytes / 2U);
                } else {
                    // All of it.
                }
                op(Kind::kRun, queue, 0U).launch = launch;
            } else {
                // Nothing to work on.
            }
        }
        return made_;
    }
};

}  // namespace

Program make_straight(std::uint32_t seed) {
    return Straight{seed}.make();
}

Program make_program(std::uint32_t seed) {
    constexpr std::uint32_t kOneInStraight = 6U;
    return ((seed % kOneInStraight) == 0U) ? make_straight(seed) : make_loop(seed);
}

}  // namespace pianola::streams
