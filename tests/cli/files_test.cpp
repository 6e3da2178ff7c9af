// Files are written whole, where they should be, and are on the disk when that is said; what else there is in a file
// system stays.
#include "pianola_host/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <numeric>
#include <thread>

#include "capture_host/base/json.h"
#include "tests/cli/all_commands.h"

namespace {

// What the library asks of the system, in order, while it is not null: "sync NAME", "rename NAME".
std::vector<std::string>* asked = nullptr;

void note(const std::string& what, const std::filesystem::path& name) {
    if (asked != nullptr) {
        const std::string text = name.filename().string();
        asked->push_back(what + " " + text.substr(0U, text.find('-')));
    }
}

}  // namespace

// In the place of the C library's, and with the same effect.
extern "C" int noted_fsync(int descriptor) __asm__("fsync");
extern "C" int noted_rename(const char* from, const char* to) noexcept __asm__("rename");
extern "C" int noted_fsync(int descriptor) {
    std::error_code ignored;
    note("sync", std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), ignored));
    return fdatasync(descriptor);
}
extern "C" int noted_rename(const char* from, const char* to) noexcept {
    note("rename", to);
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

namespace pianola::test {
namespace {

namespace fs = std::filesystem;

void store(const fs::path& path, std::string_view contents) {
    files::store_file(path, contents);
}

class Files : public testing::Test {
  protected:
    Folder folder_;
};

TEST_F(Files, AreAlignedWhetherTheirMemoryIsKeptOrNot) {
    for (std::size_t size = 0U; size <= (std::size_t{2U} * kFileAlignmentBytes); ++size) {
        std::vector<std::uint8_t> bytes(size);
        std::iota(bytes.begin(), bytes.end(), std::uint8_t{1U});
        files::store_file("file", bytes);
        const files::AlignedBytes copied{bytes};
        const files::AlignedBytes kept{files::load_file("file")};
        for (const ByteSpan& view : {copied.view(), kept.view()}) {
            const std::uint8_t* const first = view.data();
            std::uintptr_t address = 0U;
            std::memcpy(&address, static_cast<const void*>(&first), sizeof(address));
            EXPECT_EQ(address % kFileAlignmentBytes, 0U);
            EXPECT_EQ(std::vector<std::uint8_t>(view.begin(), view.end()), bytes);
        }
    }
}

TEST_F(Files, AreOnTheDiskBeforeTheyHaveTheirNameAndTheNameBeforeItIsSaid) {
    fs::create_directory("folder");
    std::vector<std::string> order;
    asked = &order;
    store("folder/file", "new");
    files::store_new_secret("folder/secret", "new");
    asked = nullptr;
    EXPECT_EQ(order, (std::vector<std::string>{"sync file.partial", "rename file", "sync folder", "sync secret",
                                               "sync folder"}));
}

TEST_F(Files, LinksStayAndWhatTheyPointToIsReplacedOrMade) {
    fs::create_directory("folder");
    store("folder/old", "old");
    fs::create_symlink("folder/old", "link");
    fs::create_symlink("missing", "folder/dangling");
    fs::create_symlink("folder/dangling", "first");
    store("link", "new");
    store("first", "made");
    EXPECT_EQ(contents_of("folder/old"), "new");
    EXPECT_EQ(contents_of("folder/missing"), "made");
    EXPECT_TRUE(fs::is_symlink("link") && fs::is_symlink("first") && fs::is_symlink("folder/dangling"));
    fs::create_symlink("nowhere/file", "lost");
    EXPECT_THROW(store("lost", "x"), files::FileError);
    EXPECT_TRUE(fs::is_symlink("lost"));
    fs::create_symlink("circle", "circle");
    EXPECT_THROW(store("circle", "x"), files::FileError);
    EXPECT_EQ(folder_.names(), (std::vector<std::string>{"circle", "first", "folder", "link", "lost"}));
}

TEST_F(Files, ADiskThatIsFullLeavesTheOldFile) {
    store("file", "old");
    const std::string large(1U << 20U, 'x');
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit tight = before;
    tight.rlim_cur = large.size() / 2U;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
    EXPECT_THROW(store("file", large), files::FileError);
    EXPECT_THROW(store("missing", large), files::FileError);
    EXPECT_THROW(files::store_new_secret("secret", large), files::FileError);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    (void)std::signal(SIGXFSZ, old_handler);
    EXPECT_EQ(contents_of("file"), "old");
    EXPECT_EQ(folder_.names(), std::vector<std::string>{"file"});
    try {
        store("/dev/full", "x");
        ADD_FAILURE() << "a full device takes bytes";
    } catch (const files::FileError& error) {
        EXPECT_NE(std::string{error.what()}.find("/dev/full: No space left"), std::string::npos) << error.what();
    }
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(Files, FoldersAreNeitherReadNorReplaced) {
    fs::create_directory("folder");
    for (const char* const name : {"folder", "folder/", ".", "folder/missing/file", "folder/."}) {
        EXPECT_THROW((void)files::load_file(name), files::FileError) << name;
        EXPECT_THROW(store(name, "x"), files::FileError) << name;
    }
    EXPECT_EQ(folder_.names(), std::vector<std::string>{"folder"});
    EXPECT_TRUE(fs::is_empty("folder"));
}

TEST_F(Files, StreamsTakeAndGiveBytesAsTheyCome) {
    store("/dev/null", "x");
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    EXPECT_EQ(files::load_file("/dev/null").size(), 0U);
    EXPECT_THROW((void)files::load_file("/dev/zero", 1000U), files::FileTooLong);
    ASSERT_EQ(mkfifo("pipe", 0600), 0);
    for (const std::size_t size : {0U, 100U, 200'000U}) {
        const std::string contents(size, 'x');
        std::thread writer{[&] { store("pipe", contents); }};
        const std::vector<std::uint8_t> read = files::load_file("pipe");
        writer.join();
        EXPECT_EQ(read.size(), size);
    }
    EXPECT_TRUE(fs::is_fifo("pipe"));
    EXPECT_EQ(folder_.names(), std::vector<std::string>{"pipe"});
}

// Everything that the program reads as JSON goes through this function.
TEST(Json, NothingButWhiteSpaceStandsBehindTheDocument) {
    constexpr unsigned kValues = 256U;
    for (const std::string& document : {std::string{"{\"a\": [1]}"}, std::string{"[]"}, std::string{"7 "}}) {
        const auto parses = [](const std::string& text) {
            try {
                static_cast<void>(files::parse_json({text.begin(), text.end()}));
                return true;
            } catch (const files::JsonError&) {
                return false;
            }
        };
        ASSERT_TRUE(parses(document));
        for (unsigned value = 0U; value < kValues; ++value) {
            const char byte = static_cast<char>(value);
            const bool is_space = (byte == ' ') || (byte == '\t') || (byte == '\n') || (byte == '\r');
            std::string behind = document;
            behind.push_back(byte);
            EXPECT_EQ(parses(behind), is_space) << document << value;
            EXPECT_FALSE(parses(behind + "x")) << document << value;
            EXPECT_FALSE(parses(behind + document)) << document << value;
            EXPECT_EQ(parses(byte + document), is_space || ((value == '-') && (document[0] == '7')) ||
                                                   ((value >= '1') && (value <= '9') && (document[0] == '7')))
                << document << value;
        }
    }
}

TEST_F(Files, ALimitIsTheLastSizeThatIsRead) {
    store("file", std::string(1000U, 'x'));
    EXPECT_EQ(files::load_file("file", 1000U).size(), 1000U);
    EXPECT_THROW((void)files::load_file("file", 999U), files::FileTooLong);
    EXPECT_GT(files::load_file("/proc/self/status").size(), 100U) << "a file that says it is empty is read to its end";
}

TEST_F(Files, ASecretIsItsOwnersAndTakesNobodysName) {
    const mode_t before = umask(0);
    files::store_new_secret("secret", "key");
    (void)umask(before);
    struct stat found{};
    ASSERT_EQ(stat("secret", &found), 0);
    EXPECT_EQ(found.st_mode & 07777U, 0600U);
    fs::create_symlink("nowhere", "dangling");
    fs::create_directory("folder");
    for (const char* const name : {"secret", "dangling", "folder", "/dev/null", "missing/file"}) {
        EXPECT_THROW(files::store_new_secret(name, "x"), files::FileError) << name;
    }
    EXPECT_EQ(contents_of("secret"), "key");
    EXPECT_FALSE(fs::exists("nowhere"));
}

TEST_F(Files, WhatOnlyMentionsAKeyIsReplaced) {
    for (const char* const text : {"", "KEY", "x -----BEGIN PUBLIC KEY-----", "-----BEGIN CERTIFICATE-----\nKEY-----\n",
                                   "{\"pem\": \"-----BEGIN PUBLIC KEY-----\\n\"}", "-----BEGIN "}) {
        std::ofstream{"file"} << text;
        store("file", "new");
        EXPECT_EQ(contents_of("file"), "new") << text;
    }
    for (const char* const text : {"-----BEGIN PUBLIC KEY-----", "\r\n-----BEGIN PRIVATE KEY-----\r\n",
                                   "x\n-----BEGIN OPENSSH PRIVATE KEY-----\n"}) {
        std::ofstream{"file"} << text;
        EXPECT_THROW(store("file", "new"), files::FileError) << text;
        EXPECT_EQ(contents_of("file"), text);
    }
}

}  // namespace
}  // namespace pianola::test
