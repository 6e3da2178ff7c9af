// Session: one trace binary on its device, or on the devices of its mesh, from file to results.
//
// The interface for ECU applications. load() validates and programs; then, for every inference, submit() and poll()
// from a cyclic task, or run(), which blocks. All memory is inside the object; nothing is allocated. Not thread-safe:
// one core, one task.
//
// If a binary has a prologue or an epilogue, start() comes before the first step and stop() after the last; each is
// completed by poll() as a step is. A pipelined binary overlaps inferences: start() takes the first inputs, every step
// takes the next inputs and gives the outputs of the previous ones, and stop() gives the last outputs. If the binary
// allows several steps in flight, further ones are accepted before the first has completed; poll() completes them in
// order.
//
// Tensors are passed in one of two ways. Zero-copy: the application writes and reads device memory in place, through
// input_view() and output_view(), and submit() copies nothing. Transfers: submit(inputs, outputs) has the device's
// queues move the bytes from and to the application's memory; the only way if the ECU core cannot access device memory.
//
// Between two calls the state of a session is sealed (runtime/integrity/seal.h). A call that uses the state and finds
// it changed latches a fault and does nothing else; input_view() and output_view() refuse with kIntegrity, and leave
// the fault to the next call; load() starts from the beginning. References to devices, platform, command set and
// configuration, and the number of devices, are outside the seal: a call through a damaged reference traps; a step on
// fewer devices never completes, and neither does one for which another device of the mesh answers, because its tokens
// differ.
//
// A port must not call the session that has called it. Such a call, if it returns a Status, is refused with
// kInvalidState, or with kFaultLatched after a fault; it changes neither the session nor the result of the outer call.
// This is not a lock: a call of another task or of an interrupt may come before the outer call has marked itself, or
// between the parts of a blocking call. An application that ends a task inside a call must construct the session again,
// whatever it answers.
//
// The first failure while the device is involved latches: outputs are withheld (views are refused, memory that was
// bound for transfers is overwritten with zeros), Platform::enter_safe_state() is called once, and every later call
// returns kFaultLatched until the next load(); input_view() and output_view() return kIntegrity instead if the state
// that load() left has changed.
#pragma once

#include <cstdint>

#include "pianola/command_set.h"
#include "pianola/device.h"
#include "pianola/device_set.h"
#include "pianola/fault.h"
#include "pianola/image.h"
#include "pianola/plan.h"
#include "pianola/platform.h"
#include "pianola/scrub.h"
#include "pianola/session_config.h"
#include "pianola/span.h"
#include "pianola/status.h"
#include "pianola/trust.h"
#include "pianola/verdict.h"

namespace pianola {

// Runs every check that needs no running device: those of `pianola verify`, and those that load() makes before it
// touches the device. In addition, load() checks the platform's counter (AUT-COUNTER, AUT-VERSION), least_evidence
// (TGT-EVIDENCE), the times of Release::kWithinInterval (TGT-INTERVAL), and that the devices of a mesh are equal
// (TGT-MESH). To check the first three here too, put the counter's value into trust.lowest_security_version if it is
// higher, and call is_enough() and shared_steps(). kOk, or kRefused with a verdict. image and plan are valid only after
// kOk. The file must be 64-byte aligned.
Status validate(ByteSpan file, const DeviceDescription& device, const CommandSet& command_set, const Trust& trust,
                PlanWorkspace& workspace, Image& image, Plan& plan, Verdict& verdict) noexcept;

class Session {
  public:
    // All of them must outlive the session.
    Session(Device& device, Platform& platform, const CommandSet& command_set, const SessionConfig& config) noexcept;
    // For several devices. The set itself need not outlive this call. load() refuses a set that is not rows times
    // columns devices, has more than kMaxMeshDevices, or has devices with different descriptions: TGT-MESH.
    Session(const DeviceSet& set, Platform& platform, const CommandSet& command_set,
            const SessionConfig& config) noexcept;

    // Validates the file twice, so that no single fault of the core can bypass a check; programs the device, runs the
    // set-up and verifies the device's contents by the file's checks. Blocks during validation
    // (docs/guide/integration.md), then within the binary's set-up deadline, then while all contents are summed. The
    // file must stay in place, unchanged, until the next load() or unload(); its manifest is not read again. workspace
    // is free afterwards; until it is reused, its image describes the file.
    //   kOk            ready for steps
    //   kRefused       verdict says why; the device was not touched; the session is empty
    //   kInvalidState  a step is under way; or a call is under way, and the verdict is not written because it may be
    //                  that call's
    //   kTimeout, kDeviceFault, kIntegrity   a fault has latched; see fault()
    Status load(ByteSpan file, PlanWorkspace& workspace, Verdict& verdict) noexcept;

    // Zero-copy I/O. True if a step is proved to give the same results without its transfers (plan().views has the
    // reason if not), and the ECU core can access every input and output of the binary in device memory. Valid from
    // load() on.
    [[nodiscard]] bool has_views() const noexcept { return loaded_.has_views; }

    // Where to write input `index` for the next step, or to read output `index` of the last one. The view belongs to
    // the caller until the next submit(), start(), stop(), reset_state(), run() or self_test(), and must then be
    // requested again. An input holds zeros after load(), and then the bytes of the last step or self-test.
    //   kOk               view is set
    //   kInvalidArgument  no such tensor, or no views
    //   kInvalidState     not loaded, or a step is under way; for outputs also: no step since load(), start() or stop()
    //   kFaultLatched     a fault is latched
    //   kIntegrity        the session's state has changed; the next call latches that, if no fault is latched
    // In every case except kOk the view is empty.
    Status input_view(std::uint32_t index, MutableByteSpan& view) const noexcept;
    Status output_view(std::uint32_t index, ByteSpan& view) const noexcept;

    // Runs the prologue: once before the first step, and again after stop(). inputs are the first inputs of a pipelined
    // binary, else empty.
    //   kOk               started; poll() completes it. Steps may be submitted then
    //   kInvalidArgument  number or size of tensors; nothing was started
    //   kInvalidState     the binary has no prologue, or it has run already, or something is under way
    //   kFaultLatched, or the fault that latched now
    Status start(Span<const ByteSpan> inputs) noexcept;

    // Runs the epilogue: after the last step. outputs are the last outputs of a pipelined binary, else empty. Results
    // as start(); kInvalidState also if no step has completed since start().
    Status stop(Span<const MutableByteSpan> outputs) noexcept;

    // A new value for a declared parameter, from the next submission on.
    struct ParameterValue {
        std::uint32_t index{0U};  // in the binary's order
        std::uint32_t value{0U};
    };
    // Sets all of them, or none. O(patch points x devices). After load() the binary's own values apply.
    //   kOk
    //   kInvalidArgument  no such parameter, or a value that it does not admit; nothing was changed
    //   kInvalidState     not loaded, or something is under way; nothing was changed
    //   kFaultLatched, or the fault that latched now
    Status set_parameters(Span<const ParameterValue> values) noexcept;

    // Starts one step on the contents of the views. Never waits for a step and copies nothing; the time does not depend
    // on the sizes of tensors or trace. With state that outlives steps, it sums that state while no step is under way,
    // unless results are released at completion. A call that latches a fault takes as long as Device::reset() does.
    //   kOk               started; views must not be used until poll() has returned kOk
    //   kInvalidArgument  no views: use the other submit()
    //   kInvalidState     not loaded or not started, or a step is under way; nothing was started
    //   kFaultLatched, or the fault that latched now
    Status submit() noexcept;

    // Starts one step, with transfers. Never waits for a step; a call that latches a fault takes as long as
    // Device::reset() does. inputs and outputs are in the binary's order and of exactly its sizes; the caller keeps
    // them alive, leaves inputs unchanged and outputs unread until poll() has returned a status other than kPending.
    //   kOk               started
    //   kInvalidArgument  number or size of tensors; nothing was started
    //   kInvalidState     not loaded or not started, or as many steps are under way as the binary admits; nothing was
    //                     started
    //   kFaultLatched, or the fault that latched now
    Status submit(Span<const ByteSpan> inputs, Span<const MutableByteSpan> outputs) noexcept;

    // Checks once whether the step that is under way, or the oldest of several, has completed: bounded work.
    //   kOk            completed, and seen to be within its deadline: outputs are valid
    //   kPending       not yet
    //   kInvalidState  nothing is under way
    //   kTimeout, kDeviceFault, kIntegrity   a fault has latched now; kFaultLatched: it had before
    Status poll() noexcept;

    // Waits until the oldest script is released, and returns what poll() would. Waits through Platform::idle() while
    // the device is at work. All slices are verified in one part here: the state's seals are checked before it, and not
    // for each slice, as by poll(); those of what no call changes are checked again after it. Code that waits in
    // another way must not do so while is_verifying() is true: the step has completed, and no event of the device will
    // come.
    Status wait() noexcept;
    [[nodiscard]] bool is_verifying() const noexcept { return running_.is_verifying; }

    // One whole inference: submit() and wait(). Runs the prologue first if it has not run. A pipelined binary computes
    // the inference twice, in a step and in the epilogue, and must be stopped before. Results as submit() and poll();
    // kInvalidState also if a step is under way, whose result would be returned instead.
    Status run(Span<const ByteSpan> inputs, Span<const MutableByteSpan> outputs) noexcept;

    // Restores the initial contents of state: stop() if a step has completed, start(), and a wait for both. Afterwards
    // the binary is started; does nothing if it is pipelined or has no prologue. Results as stop().
    Status reset_state() noexcept;

    // Replays self-test vector `index` and compares the outputs with those of the capture, which holds for the captured
    // values of declared parameters only. `scratch` holds all outputs of one step: output_bytes() of them. Vectors of a
    // binary with a prologue are the first steps after it: those before `index` are replayed too, between two
    // reset_state(). kOk, kInvalidArgument, kInvalidState, kIntegrity and the other faults of poll().
    Status self_test(std::uint32_t index, MutableByteSpan scratch) noexcept;

    // Replays every self-test vector of the binary, in order. For start-up, and on demand. `scratch` and results as
    // above; kOk if there is none.
    Status self_test(MutableByteSpan scratch) noexcept;

    // Compares the next kScrubSliceBytes of traces and weights with the binary. For a cyclic task: scrub_calls() calls
    // compare all of it. Bounded work, also while steps are under way.
    //   kOk, kInvalidState: not loaded; kFaultLatched; or kIntegrity, kDeviceFault: the fault that latched now
    Status scrub() noexcept;
    [[nodiscard]] std::uint32_t scrub_calls() const noexcept;

    // Number of steps in which Release::kWithinInterval verifies everything once: at most shared_steps() of the
    // configured interval, and 1 with kVerified. 0 if not loaded, with kAtCompletion, and where there is nothing to
    // verify.
    [[nodiscard]] std::uint32_t release_steps() const noexcept;

    // Confirms a successful start: from now on no older binary may be loaded. Raises the platform's counter to the
    // binary's security version if that is higher. Call it once the application's own checks have passed, after the
    // self_test() that replays all vectors in one call: single ones do not count. A binary without vectors needs a
    // completed step.
    //   kOk; kInvalidState: not loaded, something is under way, or no self-test or step has succeeded yet;
    //   kFaultLatched; or any other status of the platform: the counter is unchanged
    Status confirm_start() noexcept;

    // Stops the device and forgets the binary. kOk; kInvalidState while a step is under way; kFaultLatched: nothing is
    // done, fault().device_stopped says whether the device was already stopped, and only load() is possible; or the
    // fault that latched now.
    Status unload() noexcept;

    [[nodiscard]] bool is_loaded() const noexcept { return running_.state != State::kEmpty; }
    // Valid from load() to unload().
    [[nodiscard]] const Plan& plan() const noexcept { return loaded_.plan; }
    [[nodiscard]] const FaultRecord& fault() const noexcept { return fault_; }  // NOLINT(pianola-misra-6.8.4): DEV-067
    // The last faults of this session, newest first, kept across load(). index < kMaxFaultRecords; empty, with status
    // kOk, if there were fewer.
    [[nodiscard]] const FaultRecord& past_fault(std::uint32_t index) const noexcept { return history_.last(index); }
    [[nodiscard]] std::uint32_t fault_count() const noexcept { return history_.count(); }
    [[nodiscard]] std::uint32_t steps_completed() const noexcept { return running_.steps_completed; }
    // The binary's consecutive self-test vectors in the file: each has all inputs, then all outputs, of one step.
    [[nodiscard]] std::uint32_t self_test_count() const noexcept { return loaded_.self_test_count; }
    [[nodiscard]] ByteSpan self_tests() const noexcept { return loaded_.self_tests; }
    // Bytes of all outputs of one step.
    [[nodiscard]] std::uint32_t output_bytes() const noexcept;

  private:
    enum class State : std::uint8_t { kEmpty, kStopped, kStarted, kFaulted };
    static constexpr std::uint32_t kInCall = 0x9696'9696U;  // wide: no bit flip marks a call

    // Device memory of an input or output, as the ECU core sees it.
    struct Tensors {
        std::array<MutableByteSpan, kMaxInputs> inputs{};
        std::array<MutableByteSpan, kMaxOutputs> outputs{};
    };
    enum class Io : std::uint8_t { kTransfers, kViews };
    // A script that is under way.
    struct Flight {
        ScriptKind kind{ScriptKind::kUnspecified};
        std::uint32_t inputs{0U};  // bound
        std::uint64_t started_us{0U};
        // Expected values of the completion records of the devices' queues.
        std::array<std::array<std::uint64_t, kMaxQueues>, kMaxMeshDevices> expected{};
    };
    // The commands given to one device, and its progress.
    struct Course {
        std::array<std::uint64_t, kMaxQueues> digests{};   // of everything enqueued, as the device will report it
        std::array<std::uint32_t, kMaxQueues> enqueued{};  // commands of each queue since load()
        std::array<std::uint32_t, kMaxQueues> executed{};  // each queue's device count when it last completed
        std::array<std::uint32_t, kMaxEvents> records{};   // of each event since load()
    };
    // The last queue that check_completions() found at work.
    struct Pending {
        std::uint32_t device{0U};
        std::uint32_t queue{0U};
        std::uint32_t progress{0U};  // of that queue
    };
    // Memory of the application that a step under way writes to.
    struct Lent {
        std::uint32_t count{0U};
        std::array<MutableByteSpan, kMaxOutputs> outputs{};
    };
    // Memory that a fault must clear, whatever else is damaged.
    struct Bound {
        // The bits of a token that select one of `flights`, here and in Running: as few as the binary's steps in flight
        // need, so that unused entries cost nothing.
        std::uint32_t mask{0U};
        std::array<Lent, kMaxStepsInFlight> flights{};
    };

    // State that is constant between load() and unload().
    struct Loaded {
        std::uint32_t armed{0U};  // kArmed if both validations have run to completion and accepted
        bool has_views{false};
        bool sums_state{false};  // after each script and before the next
        bool reads_file{false};  // devices read the weights in the file: the first of the plan's constants
        std::uint32_t security_version{0U};
        std::uint32_t self_test_count{0U};
        ByteSpan self_tests;  // the file's vectors
        ByteSpan file;
        ByteSpan checks;                                    // the file's segment
        std::uint32_t release_bytes{0U};                    // that a step verifies
        std::uint32_t release_gap_us{0U};                   // between two shares, or the later step verifies everything
        std::array<std::uint32_t, kMaxQueues> transfers{};  // of each queue in a step: what zero-copy I/O leaves out
        Tensors views;
        Plan plan;
    };
    // State that steps change.
    struct Running {
        State state{State::kEmpty};
        Io io{Io::kTransfers};        // of the script under way, or of the last one
        bool has_result{false};       // the last step has completed
        bool has_stepped{false};      // a step has completed since start()
        bool is_confirmed{false};     // all vectors in one self_test(), or a step if there are none, have passed since
                                      // load()
        bool is_verifying{false};     // the oldest has completed, and is not released yet
        bool has_shared{false};       // what began at verified_us was a verification of a share
        QueueBits pending{0U};        // that have not completed the oldest
        std::uint32_t token{0U};      // of the script under way, or of the last one; 1 is the set-up
        std::uint32_t under_way{0U};  // scripts; their tokens are the last ones
        std::uint32_t deadline_us{0U};  // of the oldest script under way, or of the last one
        std::uint32_t steps_completed{0U};
        std::uint32_t release_left{0U};  // of what the completed step verifies
        std::uint64_t verified_us{0U};   // when the last verification of a share or of everything began
        std::uint64_t state_sum{0U};     // of the state that the last script has left
        ScrubCursor release;             // progress of verifying the completed step
        ScrubCursor background;          // progress of scrub()
        ParameterValues parameters;
        std::array<Course, kMaxMeshDevices> courses{};    // by device
        std::array<Flight, kMaxStepsInFlight> flights{};  // by token
    };

    [[nodiscard]] std::uint32_t seal_of_bound() const noexcept;
    [[nodiscard]] std::uint32_t seal_of_loaded() const noexcept;
    [[nodiscard]] std::uint32_t seal_of_running() const noexcept;
    [[nodiscard]] std::uint32_t seal_of_validated(const PlanWorkspace& workspace) const noexcept;
    [[nodiscard]] bool is_loaded_whole() const noexcept;
    [[nodiscard]] bool is_whole() const noexcept;
    void enter() noexcept { call_ = kInCall; }  // before a call changes or reads anything; reseal() ends it
    Status seal(Status status) noexcept;
    void seal_bound() noexcept;
    Status check(bool state_fits) noexcept;
    Status check_idle_in(State state) noexcept;
    Status check_idle() noexcept;
    Status reseal(Status status) noexcept;
    Status latch(Status status, FaultStage stage, std::uint32_t device, std::uint32_t queue,
                 const Completion& completion) noexcept;
    // There is no record.
    Status latch(Status status, FaultStage stage, std::uint32_t device = 0U, std::uint32_t queue = 0U) noexcept;
    Status load_whole(ByteSpan file, PlanWorkspace& workspace, Verdict& verdict) noexcept;
    Status validate_twice(const DeviceDescription& description, PlanWorkspace& workspace, Verdict& verdict) noexcept;
    Status validate_once(const DeviceDescription& description, PlanWorkspace& workspace, Verdict& verdict) noexcept;
    Status check_alike(const DeviceDescription& description, Verdict& verdict) noexcept;
    Status program_devices(const Image& image) noexcept;
    Status run_setup(const PlanWorkspace& workspace) noexcept;
    Status program_device(std::uint32_t index, const Image& image) noexcept;
    void find_views() noexcept;
    void give_views() noexcept;
    void take_views() noexcept;
    // Whether steps follow a start from which they may depend on each other.
    [[nodiscard]] bool keeps_state() const noexcept {
        return (loaded_.plan.prologue.count != 0U) && !loaded_.plan.is_pipelined;
    }
    Status replay_vector(std::uint32_t index, MutableByteSpan scratch) noexcept;
    Status replay_vectors(std::uint32_t first, std::uint32_t end, MutableByteSpan scratch) noexcept;
    [[nodiscard]] bool is_idle() const noexcept {
        return (running_.state != State::kEmpty) && (running_.under_way == 0U);
    }
    // A latched fault comes before everything else.
    [[nodiscard]] Status refuse_unless(bool state_fits) const noexcept {
        return (running_.state == State::kFaulted) ? Status::kFaultLatched
                                                   : (state_fits ? Status::kOk : Status::kInvalidState);
    }
    [[nodiscard]] Status refuse_view(bool is_there) const noexcept;
    [[nodiscard]] State idle_state() const noexcept;
    [[nodiscard]] std::uint32_t oldest_token() const noexcept;
    // The token of a device's notifications of a script; no other device of the mesh has the same token for that
    // script, nor the same digest. The offset is a multiple of every possible number of steps in flight, by which
    // drivers index their records.
    [[nodiscard]] static constexpr std::uint32_t token_on(std::uint32_t device, std::uint32_t token) noexcept {
        constexpr std::uint32_t kDeviceBit = 28U;
        static_assert(((kMaxMeshDevices - 1U) >> (32U - kDeviceBit)) == 0U);
        return token + (device << kDeviceBit);
    }
    // The entry of a script that is under way.
    [[nodiscard]] std::uint32_t place_of(std::uint32_t token) const noexcept { return token & bound_.mask; }
    [[nodiscard]] Flight& oldest() noexcept;
    void open_flight(ScriptKind kind, Io io) noexcept;
    void supervise(const PlannedScript& script) noexcept;
    // Only for a loaded session; before that there may be none.
    [[nodiscard]] std::uint32_t device_count() const noexcept { return kDrivesOneDevice ? 1U : device_count_; }
    [[nodiscard]] Devices devices() const noexcept { return Devices{devices_.data(), device_count_}; }
    [[nodiscard]] QueueCommand bind(const PlannedCommand& planned, Course& course) noexcept;
    [[nodiscard]] std::uint32_t lend(Span<const ByteSpan> inputs, Span<const MutableByteSpan> outputs) noexcept;
    Status give_back() noexcept;
    [[nodiscard]] std::uint32_t first_astray() const noexcept;
    [[nodiscard]] bool enqueue_one(Device& device, Course& course, std::uint32_t queue, QueueCommand& command,
                                   std::uint32_t trace) noexcept;
    Status enqueue_on(std::uint32_t device, const PlannedScript& script, const PlannedCommands& commands,
                      FaultStage stage) noexcept;
    Status ring_doorbells(const PlannedScript& script, FaultStage stage) noexcept;
    Status enqueue(const PlannedScript& script, const PlannedCommands& commands, FaultStage stage) noexcept;
    Status submit_script(ScriptKind kind, Span<const ByteSpan> inputs, Span<const MutableByteSpan> outputs) noexcept;
    [[nodiscard]] bool inputs_match(Span<const ByteSpan> inputs, bool takes) const noexcept;
    [[nodiscard]] bool outputs_match(Span<const MutableByteSpan> outputs, bool gives) const noexcept;
    Status look_at(std::uint32_t device, const PlannedScript& script, FaultStage stage, std::uint32_t token,
                   Pending& pending) noexcept;
    Status check_completions(const PlannedScript& script, FaultStage stage) noexcept;
    Status reset_devices() noexcept;
    Status set_word(std::uint32_t address, std::uint32_t value) noexcept;
    Status wait_for_setup(const PlannedScript& setup) noexcept;
    Status verify_release() noexcept;
    Status complete_and_verify(const PlannedScript& script) noexcept;
    Status complete_oldest(bool to_the_end) noexcept;
    Status look(bool to_the_end) noexcept;
    Status finish(Status submitted) noexcept;
    Status compare(std::uint32_t end_range, std::uint32_t limit_bytes, ScrubCursor& cursor, FaultStage stage) noexcept;
    Status compare_constants(std::uint32_t limit_bytes, ScrubCursor& cursor) noexcept;
    void plan_release() noexcept;
    [[nodiscard]] bool verify_all_if_late(bool is_begun) noexcept;
    Status sum_state(std::uint64_t& sum) noexcept;
    Status check_state_sum() noexcept;
    Status check_read_back(const Envelope& envelope, std::uint64_t sum) noexcept;
    void withhold_outputs() noexcept;

    std::array<Device*, kMaxMeshDevices> devices_{};
    std::uint32_t device_count_{1U};
    std::uint16_t rows_{1U};  // of at most kMaxMeshDevices
    std::uint16_t columns_{1U};
    Platform& platform_;
    const CommandSet& command_set_;
    const SessionConfig& config_;
    std::uint32_t call_{0U};  // kInCall while a call may call a port, which must not call the session
    std::uint32_t loaded_seal_{0U};
    std::uint32_t running_seal_{0U};
    std::uint32_t bound_seal_{0U};
    FaultRecord fault_{};
    FaultHistory history_{};
    Bound bound_{};
    Bound bound_copy_{};  // so that one of them survives any bit flip
    Running running_{};
    Loaded loaded_{};
};

}  // namespace pianola
