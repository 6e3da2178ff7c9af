# What of runtime/ the measured tests execute, held to docs/COVERAGE.md and justified.csv: the preset coverage.
if(NOT PIANOLA_COVERAGE)
    return()
endif()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
get_property(measured GLOBAL PROPERTY pianola_measured_tests)
list(TRANSFORM measured REPLACE "(.+)" "--program;$<TARGET_FILE:\\1>" OUTPUT_VARIABLE programs)
string(REGEX MATCH "^[0-9]+" major "${CMAKE_CXX_COMPILER_VERSION}")
set(arguments --root "${PROJECT_SOURCE_DIR}" --library "$<TARGET_FILE:pianola_runtime>"
    --work "${PROJECT_BINARY_DIR}/tests/coverage/work"
    --suffix=-${major} ${programs})
add_test(NAME coverage.gate COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_LIST_DIR}/coverage_gate.py"
    ${arguments})
add_test(NAME coverage.proof COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_LIST_DIR}/coverage_proof.py"
    ${arguments})
# The proof takes the profiles of the gate, but for the one program that it runs with a test left out.
set_tests_properties(coverage.gate PROPERTIES FIXTURES_SETUP measured_profiles)
set_tests_properties(coverage.proof PROPERTIES FIXTURES_REQUIRED measured_profiles)
set_tests_properties(coverage.gate coverage.proof PROPERTIES LABELS coverage TIMEOUT 600)
