# pianola_cxx_headers: the options with which a compiler that has no C++ standard library reads the headers of the Arm
# compiler's. All that is used of them is templates and inline functions; no C++ library is ever linked.
file(GLOB pianola_newlib_cxx LIST_DIRECTORIES true "/usr/include/newlib/c++/[0-9]*")
if(NOT pianola_newlib_cxx)
    message(FATAL_ERROR "No C++ headers in /usr/include/newlib/c++: run toolchains/setup-debian.sh --all")
endif()
list(SORT pianola_newlib_cxx COMPARE NATURAL)
list(GET pianola_newlib_cxx -1 pianola_newlib_cxx)
set(pianola_cxx_headers -nostdinc++ -isystem ${pianola_newlib_cxx} -isystem ${pianola_newlib_cxx}/arm-none-eabi)
