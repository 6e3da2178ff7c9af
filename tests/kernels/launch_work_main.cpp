// pianola_launch_work: turns and bounds of launches by one cost model, for JSON lines with kernel and words.
//
//   pianola_launch_work MODEL < LINES
//
// A line of a kernel gains turns (of its work function, by the model's loops) and bound (of the launch with its
// command's front), a line of a command, "command.copy", its bound. Other lines are passed on as they are. Words of a
// command are those of launch_counts.py, with the header.
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/kernels/launch.h"

namespace pianola::refdev {
namespace {

const CostModel& model_of(const std::string& name) {
    for (const NamedCostModel& each : cost_models()) {
        if (name == each.model->name) {
            return *each.model;
        }
    }
    throw std::runtime_error(name + ": no cost model");
}

const Kernel* kernel_of(const std::string& name) {
    for (const Kernel& kernel : kernel_rom()) {
        if (name == kernel.name) {
            return &kernel;
        }
    }
    return nullptr;
}

// Bounds of commands that launch nothing. "dispatch" is what a dispatch takes besides a launch.
class CommandBounds {
  public:
    explicit CommandBounds(const CommandCosts& costs)
        : fixed_{{"command.dispatch", costs.dispatch},
                 {"command.barrier", costs.barrier},
                 {"command.end", costs.end},
                 {"command.replay", costs.replay},
                 {"command.record_event", costs.record},
                 {"command.wait_event", costs.wait},
                 {"command.notify", costs.notify}},
          moves_{{"command.copy", {costs.copy, 3U}},
                 {"command.fill", {costs.fill, 2U}},
                 {"command.write", {costs.write, 2U}},
                 {"command.read", {costs.read, 2U}}} {}

    void add_bound(nlohmann::json& row) const {
        const std::string name = row.value("kernel", "");
        if (const auto fixed = fixed_.find(name); fixed != fixed_.end()) {
            row["bound"] = fixed->second;
        } else if (const auto move = moves_.find(name); move != moves_.end()) {
            const auto& [costs, size_word] = move->second;
            row["bound"] = move_cost(costs, row.at("words").at(size_word).get<std::uint32_t>());
        }
    }

  private:
    std::map<std::string, std::uint64_t> fixed_;
    std::map<std::string, std::pair<MoveCosts, std::size_t>> moves_;
};

void print(const CostModel& model) {
    const CommandBounds commands{model.commands};
    std::string line;
    while (std::getline(std::cin, line)) {
        nlohmann::json launch = nlohmann::json::parse(line);
        const Kernel* const kernel = kernel_of(launch.value("kernel", ""));
        if (kernel != nullptr) {
            const Words words = launch.at("words").get<Words>();
            Work work;
            kernel->work(span_of(words), model.loops, work);
            launch["turns"] = work.turns;
            launch["bound"] = launch_cost(model, *kernel, span_of(words), {}) + model.commands.launch;
        } else {
            commands.add_bound(launch);
        }
        std::cout << launch.dump() << '\n';
    }
}

}  // namespace
}  // namespace pianola::refdev

int main(int argc, char** argv) {
    try {
        if (argc != 2) {
            throw std::runtime_error("the name of a cost model is needed");
        }
        pianola::refdev::print(pianola::refdev::model_of(argv[1]));
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
