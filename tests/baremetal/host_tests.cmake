# What of this folder the host's build tests: that the Python parts see what they must, and fail where they must.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME baremetal.python.proof
    COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_LIST_DIR}/tools/baremetal_proof.py")
# The examples of what compares an inference with CMSIS-NN.
add_test(NAME baremetal.peer.proof
    COMMAND "${Python3_EXECUTABLE}" -B -m doctest "${PROJECT_SOURCE_DIR}/toolchains/cmsis_nn_driver.py"
            "${PROJECT_SOURCE_DIR}/toolchains/compare_cmsis_nn.py")
# The numbers of the cost models are those that were checked against counts.
add_test(NAME baremetal.costs_page
    COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/tests/docs/generated_page.py"
            "${Python3_EXECUTABLE}" -B
            "${CMAKE_CURRENT_LIST_DIR}/tools/costs_page.py" "${PROJECT_SOURCE_DIR}/docs/evidence/costs.md")
set_tests_properties(baremetal.python.proof baremetal.peer.proof baremetal.costs_page
    PROPERTIES LABELS gate TIMEOUT 300)

# What the test of several devices replays on a board.
add_executable(pianola_board_mesh_binaries "${CMAKE_CURRENT_LIST_DIR}/mesh/host/binaries.cpp")
target_link_libraries(pianola_board_mesh_binaries PRIVATE pianola_mesh pianola_base pianola_kernels pianola_warnings)
