# What CMake reads of hal/boards/<board>/board.json. toolchains/boards.py says what the facts are.

# pianola_board_fact(<variable> <board> <fact> [<default>]): a fact; a list where it is one. Without a default it must
# be there.
function(pianola_board_fact variable board fact)
    set(file "${PROJECT_SOURCE_DIR}/hal/boards/${board}/board.json")
    set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(READ "${file}" facts)
    string(JSON type ERROR_VARIABLE missing TYPE "${facts}" ${fact})
    if(missing)
        if(ARGC LESS 4)
            message(FATAL_ERROR "${file}: no ${fact}")
        endif()
        set(value "${ARGV3}")
    elseif(type STREQUAL "ARRAY")
        set(value "")
        string(JSON count LENGTH "${facts}" ${fact})
        foreach(number RANGE 1 ${count})
            math(EXPR index "${number} - 1")
            string(JSON item GET "${facts}" ${fact} ${index})
            list(APPEND value "${item}")
        endforeach()
    else()
        string(JSON value GET "${facts}" ${fact})
    endif()
    set(${variable} "${value}" PARENT_SCOPE)
endfunction()

# pianola_boards(<variable>): all boards, in the order of CMakePresets.json.
function(pianola_boards variable)
    set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY
        CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/CMakePresets.json")
    file(READ "${PROJECT_SOURCE_DIR}/CMakePresets.json" presets)
    string(REGEX MATCHALL "\"hal/boards/[^/\"]+/presets\\.json\"" boards "${presets}")
    list(TRANSFORM boards REPLACE "^\"hal/boards/([^/]+)/presets\\.json\"$" "\\1")
    set(${variable} "${boards}" PARENT_SCOPE)
endfunction()
