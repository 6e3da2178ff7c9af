// What a test says it verifies: requirements of docs/safety/requirements.toml, and rules.
#pragma once

#include <initializer_list>
#include <iostream>
#include <string>

namespace pianola::test {

// To be called in a test's body, with ids and revisions: "swr~deadline~1", "rule~ENV-MAGIC~1". They become a
// line of the test's output, which CTest keeps with the test's result, where docs/safety/tools/trace.py reads it.
inline void verifies(std::initializer_list<std::string> requirements) {
    std::string list;
    for (const std::string& requirement : requirements) {
        list += " " + requirement;
    }
    std::cout << "verifies:" << list << '\n';
}

}  // namespace pianola::test
