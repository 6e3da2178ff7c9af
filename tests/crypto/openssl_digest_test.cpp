// Digests of the host's tools are those that targets compute, however a message is cut, and one after another.
#include "capture_host/binary/openssl_digest.h"

#include <gtest/gtest.h>

#include <vector>

#include "pianola/envelope.h"
#include "pianola/sha256.h"

namespace pianola::test {
namespace {

constexpr std::size_t kLongest = 300U;  // several blocks, and every length of a last one

std::vector<std::uint8_t> message() {
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0U; i < kLongest; ++i) {
        bytes.push_back(static_cast<std::uint8_t>((i * i) + (i >> 3U)));
    }
    return bytes;
}

Sha256Digest in_two(signing::OpensslDigest& engine, ByteSpan bytes, std::size_t first) {
    Sha256Digest digest{};
    EXPECT_EQ(engine.begin(), Status::kOk);
    EXPECT_EQ(engine.update(bytes.subspan(0U, first)), Status::kOk);
    EXPECT_EQ(engine.update(bytes.subspan(first, bytes.size() - first)), Status::kOk);
    EXPECT_EQ(engine.finish(digest), Status::kOk);
    return digest;
}

TEST(OpensslDigest, IsTheDigestOfTargets) {
    signing::OpensslDigest engine;
    const std::vector<std::uint8_t> bytes = message();
    for (std::size_t size = 0U; size <= kLongest; ++size) {
        const ByteSpan part{bytes.data(), size};
        EXPECT_EQ(in_two(engine, part, size / 3U), sha256(part)) << size;
    }
}

TEST(OpensslDigest, EveryCutGivesTheSame) {
    signing::OpensslDigest engine;
    const std::vector<std::uint8_t> bytes = message();
    const ByteSpan all{bytes.data(), bytes.size()};
    for (std::size_t first = 0U; first <= kLongest; ++first) {
        EXPECT_EQ(in_two(engine, all, first), sha256(all)) << first;
    }
}

TEST(OpensslDigest, WhatCameBeforeIsForgotten) {
    signing::OpensslDigest engine;
    const std::vector<std::uint8_t> bytes = message();
    const ByteSpan part{bytes.data(), 100U};
    EXPECT_EQ(engine.begin(), Status::kOk);
    EXPECT_EQ(engine.update(ByteSpan{bytes.data(), bytes.size()}), Status::kOk);
    EXPECT_EQ(in_two(engine, part, 1U), sha256(part));
}

TEST(OpensslDigest, OfAFileIsTheOneThatTargetsCompare) {
    const std::vector<std::uint8_t> bytes = message();
    for (std::size_t size = header::kBytes; size <= kLongest; ++size) {
        const ByteSpan part{bytes.data(), size};
        EXPECT_EQ(signing::openssl_envelope_digest(part), envelope_digest(part)) << size;
        EXPECT_EQ(signing::openssl_sha256(part), sha256(part)) << size;
    }
}

TEST(OpensslDigest, WithoutABeginningThereIsNoDigest) {
    signing::OpensslDigest engine;
    Sha256Digest digest{};
    EXPECT_EQ(engine.update(ByteSpan{digest}), Status::kIntegrity);
    EXPECT_EQ(engine.finish(digest), Status::kIntegrity);
    EXPECT_EQ(in_two(engine, ByteSpan{}, 0U), sha256(ByteSpan{}));
    EXPECT_EQ(engine.finish(digest), Status::kIntegrity) << "a second one of the same message";
    EXPECT_EQ(engine.update(ByteSpan{digest}), Status::kIntegrity);
}

}  // namespace
}  // namespace pianola::test
