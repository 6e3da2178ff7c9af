// The rules of meshes: ids are unique, every rule is tested, and the manual lists them all.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/mesh/mesh_support.h"

namespace pianola::test {
namespace {

struct RuleText {
    MeshRule rule;
    const char* name;
    const char* id;
    const char* text;
};

const std::vector<RuleText> kRules{
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_MESH_RULE(name, id, text) {MeshRule::name, #name, id, text},
#include "pianola_host/mesh_rules.inc"
#undef PIANOLA_MESH_RULE
};

std::string text_of(const std::filesystem::path& path) {
    const std::ifstream file{path};
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

const std::filesystem::path kTree{PIANOLA_SOURCE_DIR};

TEST(MeshRules, AreDistinctTestedAndInTheManual) {
    const std::string manual = text_of(kTree / "docs/reference/host_rules.md");
    std::string tests;
    for (const auto& entry : std::filesystem::directory_iterator{kTree / "tests" / "mesh"}) {
        tests += text_of(entry.path());
    }
    std::set<std::string> ids;
    for (const RuleText& rule : kRules) {
        EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
        EXPECT_STREQ(host::id_of(rule.rule), rule.id);
        EXPECT_NE(manual.find("| " + std::string{rule.id} + " | " + rule.text + " |\n"), std::string::npos) << rule.id;
        EXPECT_NE(tests.find("MeshRule::" + std::string{rule.name} + ","), std::string::npos) << rule.name;
    }
    EXPECT_STREQ(host::id_of(MeshRule::kUnspecified), "API-MESH-UNSPECIFIED");
}

}  // namespace
}  // namespace pianola::test
