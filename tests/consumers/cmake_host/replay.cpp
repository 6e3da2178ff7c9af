// usage: replay FILE.ptb INPUT OUTPUT. Validates a binary as an ECU does, and replays it on the simulator.
#include <pianola_host/files.h>
#include <pianola_host/replay.h>
#include <pianola_host/targets.h>

#include <iostream>

int main(int argc, char** argv) {
    if (argc != 4) {
        std::cerr << "usage: replay FILE.ptb INPUT OUTPUT\n";
        return 2;
    }
    const pianola::files::AlignedBytes file{pianola::files::load_file(argv[1])};
    const pianola::targets::Targets targets;
    const pianola::targets::FileTarget target = pianola::targets::target_of(file.view(), targets);
    try {
        pianola::replay::Replay replay{file.view(), *target.target, target.device};
        replay.load();
        const std::vector<pianola::replay::Tensors> outputs = replay.run({{pianola::files::load_file(argv[2])}});
        pianola::files::store_file(argv[3], outputs.front().front());
    } catch (const pianola::replay::Refused& refused) {
        std::cerr << refused.what() << '\n';
        return 3;
    }
    return 0;
}
