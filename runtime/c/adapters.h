// Adapters that present tables of C functions as the interfaces that a session calls.
//
// Nearly every method is one jump: the context takes the place of `this`. The adapters catch results that C can return
// and C++ cannot: a decoded command with too many extents, a view without memory, a missing text.
#pragma once

#include "pianola/digest_engine.h"
#include "pianola/platform.h"
#include "pianola/signature.h"
#include "runtime/c/twins.h"

namespace pianola::c_api {

class CDevice final : public Device {
  public:
    CDevice(const pnl_device_ops_t& ops, void* context) noexcept : Device{}, ops_{ops}, context_{context} {}
    ~CDevice() = default;
    CDevice(const CDevice&) = delete;
    CDevice(CDevice&&) = delete;
    CDevice& operator=(const CDevice&) = delete;
    CDevice& operator=(CDevice&&) = delete;

    Status describe(DeviceDescription& description) const noexcept override;
    Status reset() noexcept override;
    Status program_region(const RegionConfig& region) noexcept override;
    Status programmed_region(std::uint32_t index, RegionConfig& region) const noexcept override;
    Status read_back(std::uint32_t address, MutableByteSpan out) noexcept override;
    Status patch_word(std::uint32_t address, std::uint32_t word) noexcept override;
    Status bind_source(std::uint32_t slot, ByteSpan memory) noexcept override;
    Status bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept override;
    [[nodiscard]] ByteSpan bound_source(std::uint32_t slot) const noexcept override;
    [[nodiscard]] ByteSpan bound_destination(std::uint32_t slot) const noexcept override;
    [[nodiscard]] MutableByteSpan host_view(std::uint32_t address, std::uint32_t size_bytes) noexcept override;
    void give_to_device(ByteSpan view) noexcept override;
    void take_from_device(MutableByteSpan view) noexcept override;
    Status enqueue(std::uint32_t queue, const QueueCommand& command) noexcept override;
    Status ring_doorbell(std::uint32_t queue) noexcept override;
    Status service() noexcept override;
    Status completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept override;

  private:
    const pnl_device_ops_t& ops_;
    void* context_;
};

class CPlatform final : public Platform {
  public:
    CPlatform(const pnl_platform_ops_t& ops, void* context) noexcept : Platform{}, ops_{ops}, context_{context} {}
    ~CPlatform() = default;
    CPlatform(const CPlatform&) = delete;
    CPlatform(CPlatform&&) = delete;
    CPlatform& operator=(const CPlatform&) = delete;
    CPlatform& operator=(CPlatform&&) = delete;

    [[nodiscard]] std::uint64_t now_us() noexcept override;
    void idle() noexcept override;
    void serve_watchdog() noexcept override;
    Status lowest_security_version(std::uint32_t& version) noexcept override;
    Status raise_security_version(std::uint32_t version) noexcept override;
    void enter_safe_state(const FaultRecord& fault) noexcept override;

  private:
    const pnl_platform_ops_t& ops_;
    void* context_;
};

class CCommandSet final : public CommandSet {
  public:
    CCommandSet(const pnl_command_set_ops_t& ops, const void* context) noexcept
        : CommandSet{}, ops_{ops}, context_{context} {}
    ~CCommandSet() = default;
    CCommandSet(const CCommandSet&) = delete;
    CCommandSet(CCommandSet&&) = delete;
    CCommandSet& operator=(const CCommandSet&) = delete;
    CCommandSet& operator=(CCommandSet&&) = delete;

    Status decode(WordSpan words, DecodeState& state, DecodedCommand& command,
                  DecodeError& error) const noexcept override;
    [[nodiscard]] KernelIdentity kernel(std::uint32_t id) const noexcept override;
    [[nodiscard]] PatchKind patch_kind(WordSpan words, std::uint32_t word) const noexcept override;
    [[nodiscard]] std::uint32_t queue_words(const QueueCommand& command) const noexcept override;
    [[nodiscard]] std::uint64_t queue_cycles(const QueueCommand& command) const noexcept override;
    [[nodiscard]] std::uint64_t seal(std::uint64_t digest, std::uint32_t number, std::uint64_t trace_digest,
                                     QueueCommand& command) const noexcept override;
    [[nodiscard]] std::uint64_t trace_digest(std::uint64_t digest, WordSpan words) const noexcept override;

  private:
    const pnl_command_set_ops_t& ops_;
    const void* context_;
};

class CVerifier final : public SignatureVerifier {
  public:
    CVerifier(const pnl_verifier_ops_t& ops, const void* context) noexcept
        : SignatureVerifier{}, ops_{ops}, context_{context} {}
    ~CVerifier() = default;
    CVerifier(const CVerifier&) = delete;
    CVerifier(CVerifier&&) = delete;
    CVerifier& operator=(const CVerifier&) = delete;
    CVerifier& operator=(CVerifier&&) = delete;

    Status verify(const Sha256Digest& digest, const Signature& signature, const PublicKey& key) const noexcept override;

  private:
    const pnl_verifier_ops_t& ops_;
    const void* context_;
};

class CDigestEngine final : public DigestEngine {
  public:
    CDigestEngine(const pnl_digest_engine_ops_t& ops, void* context) noexcept
        : DigestEngine{}, ops_{ops}, context_{context} {}
    ~CDigestEngine() = default;
    CDigestEngine(const CDigestEngine&) = delete;
    CDigestEngine(CDigestEngine&&) = delete;
    CDigestEngine& operator=(const CDigestEngine&) = delete;
    CDigestEngine& operator=(CDigestEngine&&) = delete;

    Status begin() noexcept override;
    Status update(ByteSpan bytes) noexcept override;
    Status finish(Sha256Digest& digest) noexcept override;

  private:
    const pnl_digest_engine_ops_t& ops_;
    void* context_;
};

// Returns whether the table exists, has its own size and version, and has no null function.
[[nodiscard]] bool is_whole(const void* table, std::uint32_t table_bytes) noexcept;

}  // namespace pianola::c_api
