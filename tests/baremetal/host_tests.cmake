# What of this folder the host's build tests: that the Python parts see what they must, and fail where they must.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME baremetal.python.proof
    COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_LIST_DIR}/tools/baremetal_proof.py")
set_tests_properties(baremetal.python.proof PROPERTIES LABELS gate TIMEOUT 300)

# What the test of several devices replays on a board.
add_executable(pianola_board_mesh_binaries "${CMAKE_CURRENT_LIST_DIR}/mesh/host/binaries.cpp")
target_link_libraries(pianola_board_mesh_binaries PRIVATE pianola_mesh pianola_base pianola_kernels pianola_warnings)
