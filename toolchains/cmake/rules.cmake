# The rules that own targets follow. Every own target links pianola_warnings; code that runs on a target links
# pianola_target_rules as well. pianola_check_rules() refuses a target which forgot one.

# Include paths start at the project root: "hal/arch/mmio.h"; public headers of the runtime are "pianola/span.h".
add_library(pianola_warnings INTERFACE)
# Installed libraries name it, and there it is empty: nobody else has our warnings.
set(pianola_warning_options
    -Wall -Wextra -Wundef
    "$<$<COMPILE_LANGUAGE:CXX>:-Wpedantic;-Wconversion;-Wsign-conversion;-Wshadow;-Wold-style-cast>"
    "$<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual;-Wnon-virtual-dtor;-Wimplicit-fallthrough;-Wmissing-declarations>"
    $<$<BOOL:${PIANOLA_WERROR}>:-Werror>)
target_include_directories(pianola_warnings INTERFACE
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>" "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/runtime/include>")
target_compile_options(pianola_warnings INTERFACE "$<BUILD_INTERFACE:${pianola_warning_options}>")

# What ISO 26262-6 and the runtime's own contract rule out is switched off in the compiler, so that it cannot slip in.
# One section per function and object lets a linker drop what an ECU does not use.
add_library(pianola_target_rules INTERFACE)
target_link_libraries(pianola_target_rules INTERFACE pianola_warnings)
target_compile_options(pianola_target_rules INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions;-fno-rtti;-fno-threadsafe-statics>"
    "$<$<COMPILE_LANGUAGE:C,CXX>:-ffunction-sections;-fdata-sections>")

if(PIANOLA_OBJECT_GATES)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        message(FATAL_ERROR "PIANOLA_OBJECT_GATES needs GCC: only GCC writes call graphs with frame sizes")
    endif()
    # Without identical-code folding: a function that was folded into another has no frame in the call graph.
    target_compile_options(pianola_target_rules INTERFACE
        "$<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:C,CXX>:-fstack-usage;-fcallgraph-info=su,da;-fno-ipa-icf>>")
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        # Up to 128 bytes of a leaf's frame may lie in the red zone, which the compiler does not count.
        target_compile_options(pianola_target_rules INTERFACE "$<BUILD_INTERFACE:-mno-red-zone>")
    endif()
endif()

# For folders whose code runs once per command, or in tests: most of it is templates of libraries, and -O3 would take
# half of a release build's time for it. What computes lies elsewhere.
macro(pianola_optimise_lightly)
    add_compile_options("$<$<CONFIG:Release>:-O1>")
endmacro()
# For such folders that are large, and for tests that compute little: half of a compiler's time at -O1 goes into
# AddressSanitizer's checks.
set(pianola_unoptimised "")
if(PIANOLA_SANITIZE MATCHES "address")
    set(pianola_unoptimised "$<$<CONFIG:RelWithDebInfo>:-O0>")
endif()

if(PIANOLA_SANITIZE)
    # Whole program: a library without instrumentation would hide what its callers do wrong. -fno-rtti code cannot
    # carry the vptr check. The first finding ends the test, so that none is lost in the output.
    add_compile_options(-fsanitize=${PIANOLA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${PIANOLA_SANITIZE})
    if(PIANOLA_SANITIZE MATCHES "undefined")
        add_compile_options(-fno-sanitize=vptr)
    endif()
endif()

# For code that no fuzzer searches. At each comparison libFuzzer's instrumentation calls a function, by which a fuzzer
# learns what its input is compared with; a loop of a kernel takes 3.5 times as long with these calls. The second
# option is for folders of fuzzers in a folder that has the first.
set(pianola_not_fuzzed "")
set(pianola_fuzzed "")
if(PIANOLA_SANITIZE MATCHES "fuzzer")
    set(pianola_not_fuzzed -fno-sanitize-coverage=trace-cmp)
    set(pianola_fuzzed -fsanitize-coverage=trace-cmp)
endif()

# What a target that is measured compiles with. The runtime is, and the tests that exercise it are: the inline functions
# of the runtime's headers are compiled into them too. Every path in them begins with /pianola, wherever the project
# lies, and whether the compiler is given relative paths (ccache's) or absolute ones: tests/coverage/coverage_gate.py
# takes that off.
add_library(pianola_measured INTERFACE)
if(PIANOLA_COVERAGE)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        message(FATAL_ERROR "PIANOLA_COVERAGE needs clang: MC/DC is counted by its instrumentation")
    endif()
    target_compile_options(pianola_measured INTERFACE -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc
        "-fcoverage-prefix-map=${PROJECT_SOURCE_DIR}=/pianola")
    target_link_options(pianola_measured INTERFACE -fprofile-instr-generate)
    list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER "${PROJECT_SOURCE_DIR}/tests/coverage/counted.sh")
endif()

# pianola_generated_first(<target> <generated file>...): the files are also made by a target that links nothing. Their
# command waits for the libraries of `target` otherwise, and clang-tidy, which needs the files, would compile these.
function(pianola_generated_first target)
    add_custom_target(${target}_generated DEPENDS ${ARGN})
    add_dependencies(${target} ${target}_generated)
endfunction()

# True in `out` where code of `folder` runs on a target: it then follows pianola_target_rules, and its objects are
# gated.
function(pianola_is_target_code folder out)
    # Simulators and what the host's tools know of devices run on the host; the conformance kit is a test.
    set(of_the_host "^hal/(host|registry|port_kit|devices/[^/]+/(sim|vulkan|host))(/|$)")
    if(folder MATCHES "^(runtime|hal)(/|$)" AND NOT folder MATCHES "${of_the_host}"
       AND NOT folder STREQUAL "hal/devices")
        set(${out} TRUE PARENT_SCOPE)
    else()
        set(${out} FALSE PARENT_SCOPE)
    endif()
endfunction()

# Collects in `out` every target that is defined in `directory` or below it.
function(pianola_collect_targets directory out)
    get_property(targets DIRECTORY "${directory}" PROPERTY BUILDSYSTEM_TARGETS)
    get_property(children DIRECTORY "${directory}" PROPERTY SUBDIRECTORIES)
    foreach(child IN LISTS children)
        pianola_collect_targets("${child}" below)
        list(APPEND targets ${below})
    endforeach()
    set(${out} "${targets}" PARENT_SCOPE)
endfunction()

# Generator expression in `out`: every object of the target side that this build compiles from C++ or C, one per line.
function(pianola_target_objects out)
    set(objects "")
    pianola_collect_targets("${PROJECT_SOURCE_DIR}" targets)
    foreach(target IN LISTS targets)
        get_target_property(type ${target} TYPE)
        get_target_property(source_dir ${target} SOURCE_DIR)
        file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${source_dir}")
        pianola_is_target_code("${folder}" is_target_code)
        if(is_target_code AND type MATCHES "STATIC_LIBRARY|OBJECT_LIBRARY")
            set(compiled "$<FILTER:$<TARGET_OBJECTS:${target}>,EXCLUDE,\\.S\\.>")
            string(APPEND objects "$<JOIN:${compiled},\n>\n")
        endif()
    endforeach()
    set(${out} "${objects}" PARENT_SCOPE)
endfunction()

# True in `out` where `target` links `library`, directly or through another own target.
function(pianola_links target library out)
    set(${out} FALSE PARENT_SCOPE)
    set(pending ${target})
    set(seen "")
    while(pending)
        list(POP_FRONT pending current)
        if(current IN_LIST seen OR NOT TARGET ${current})
            continue()
        endif()
        list(APPEND seen ${current})
        foreach(property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
            get_target_property(libraries ${current} ${property})
            if(libraries)
                string(REGEX REPLACE "\\$<(LINK_ONLY|BUILD_INTERFACE):([^>]+)>" "\\2" libraries "${libraries}")
                if(library IN_LIST libraries)
                    set(${out} TRUE PARENT_SCOPE)
                    return()
                endif()
                if(property STREQUAL "INTERFACE_LINK_LIBRARIES" OR current STREQUAL target)
                    list(APPEND pending ${libraries})
                endif()
            endif()
        endforeach()
    endwhile()
endfunction()

# Refuses to configure where a compiled target does not follow the rules of its layer. Writes target_links.txt, one line
# target|folder|library;library per own target, for the layering gate.
function(pianola_check_rules)
    pianola_collect_targets("${PROJECT_SOURCE_DIR}" targets)
    set(lines "")
    foreach(target IN LISTS targets)
        get_target_property(type ${target} TYPE)
        get_target_property(source_dir ${target} SOURCE_DIR)
        file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${source_dir}")

        # Own targets among the libraries, also those inside generator expressions.
        set(own_libraries "")
        foreach(property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
            get_target_property(libraries ${target} ${property})
            string(REGEX MATCHALL "[A-Za-z0-9_]+" words "${libraries}")
            foreach(word IN LISTS words)
                if(word IN_LIST targets)
                    list(APPEND own_libraries ${word})
                endif()
            endforeach()
        endforeach()
        list(REMOVE_DUPLICATES own_libraries)
        string(APPEND lines "${target}|${folder}|${own_libraries}\n")

        if(NOT type MATCHES "EXECUTABLE|STATIC_LIBRARY|OBJECT_LIBRARY|SHARED_LIBRARY|MODULE_LIBRARY")
            continue()
        endif()
        set(required pianola_warnings)
        pianola_is_target_code("${folder}" is_target_code)
        if(is_target_code)
            list(APPEND required pianola_target_rules)
            if(PIANOLA_OBJECT_GATES)
                # A cache would bring back the object without the call graph that was written beside it.
                set_property(TARGET ${target} PROPERTY CXX_COMPILER_LAUNCHER "")
            endif()
        endif()
        foreach(library IN LISTS required)
            pianola_links(${target} ${library} links)
            if(NOT links)
                message(SEND_ERROR "${target} (${folder}) must link ${library}")
            endif()
        endforeach()
    endforeach()
    file(WRITE "${PROJECT_BINARY_DIR}/target_links.txt" "${lines}")
endfunction()
