# Objects that were compiled before come from the user's cache. Paths are hashed relative to the project, so that a
# second clone finds what the first one left.
if(PIANOLA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(PIANOLA_CCACHE_PROGRAM ccache)
    mark_as_advanced(PIANOLA_CCACHE_PROGRAM)
    if(PIANOLA_CCACHE_PROGRAM)
        set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}"
            CCACHE_NOHASHDIR=true
            CCACHE_MAXSIZE=10G "${PIANOLA_CCACHE_PROGRAM}")
    endif()
endif()
