# pianola_add_baremetal_test(<name> SCRIPT file.py [IMAGE target] [TIMEOUT seconds] [BOARDS board...] [ARGS argument...]): the test
# <board>.<name>, on pianola_baremetal unless IMAGE names another. With BOARDS, of these boards only. The script is told the board,
# the image and where host tools, models and a work folder are; see baremetal_support.py.
function(pianola_add_baremetal_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "SCRIPT;IMAGE;TIMEOUT" "BOARDS;ARGS")
    if(arg_BOARDS AND NOT PIANOLA_BOARD IN_LIST arg_BOARDS)
        return()
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300)
    endif()
    if(NOT arg_IMAGE)
        set(arg_IMAGE pianola_baremetal)
    endif()
    add_test(NAME ${PIANOLA_BOARD}.${name} CONFIGURATIONS Release
        COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${arg_SCRIPT}"
                --board ${PIANOLA_BOARD} --image "$<TARGET_FILE:${arg_IMAGE}>"
                --pianola "$<TARGET_FILE:pianola>" --sample "${PROJECT_SOURCE_DIR}/build/sample"
                --models "${PROJECT_SOURCE_DIR}/../shared/models" --work "${PROJECT_BINARY_DIR}/work"
                ${arg_ARGS})
    set_tests_properties(${PIANOLA_BOARD}.${name} PROPERTIES LABELS baremetal TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77)
endfunction()
