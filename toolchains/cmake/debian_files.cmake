# CPack runs this when a Debian package's files are staged. It adds what Debian wants of each package and an ordinary
# installation has no use for: copyright and changelog; and it compresses manual pages.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
    execute_process(COMMAND git log -1 --format=%ct WORKING_DIRECTORY "${CPACK_PIANOLA_SOURCE}"
        OUTPUT_VARIABLE seconds OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    set(ENV{SOURCE_DATE_EPOCH} "${seconds}")  # of packages of one commit too
endif()
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
string(TIMESTAMP year "%Y" UTC)
file(GLOB components "${CPACK_TEMPORARY_DIRECTORY}/*")
foreach(staged IN LISTS components)
    cmake_path(GET staged FILENAME component)
    string(TOUPPER "${component}" upper)
    set(package "${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
    if(NOT package OR NOT IS_DIRECTORY "${staged}/usr")
        continue()
    endif()
    set(docs "${staged}/usr/share/doc/${package}")
    file(WRITE "${docs}/copyright"
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: pianola

Files: *
Copyright: ${year} Pianola's developers
License: Apache-2.0
 On Debian systems, the text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
")
    file(WRITE "${docs}/changelog"
"pianola (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * CHANGELOG.md of the sources says what has changed.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
    if(component STREQUAL "runtime")
        file(WRITE "${staged}/usr/share/lintian/overrides/${package}" "${package}: maintscript-calls-ldconfig\n")
    endif()
    file(GLOB pages "${staged}/usr/share/man/man?/*.[1-9]")
    execute_process(COMMAND gzip -9nf "${docs}/changelog" ${pages} COMMAND_ERROR_IS_FATAL ANY)
    file(GLOB_RECURSE files "${staged}/usr/share/*")
    foreach(file IN LISTS files)
        file(CHMOD "${file}" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    endforeach()
endforeach()
