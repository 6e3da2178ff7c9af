# What is installed besides the program: completions for shells, and manual pages that help2man makes of --help. The
# program makes both, so that they say what it does; not where it is instrumented, which takes longer and changes
# nothing.
include(GNUInstallDirs)
set(pianola_share "${PROJECT_BINARY_DIR}/share")
if(NOT PIANOLA_SANITIZE)
    add_custom_command(
        OUTPUT "${pianola_share}/pianola.bash" "${pianola_share}/_pianola" "${pianola_share}/pianola.fish"
        COMMAND "${CMAKE_COMMAND}" -E make_directory "${pianola_share}"
        COMMAND pianola completion bash > "${pianola_share}/pianola.bash"
        COMMAND pianola completion zsh > "${pianola_share}/_pianola"
        COMMAND pianola completion fish > "${pianola_share}/pianola.fish"
        DEPENDS pianola
        COMMENT "Completions for shells"
        VERBATIM)
    add_custom_target(pianola_completions ALL
        DEPENDS "${pianola_share}/pianola.bash" "${pianola_share}/_pianola" "${pianola_share}/pianola.fish")
    install(FILES "${pianola_share}/pianola.bash" RENAME pianola
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" COMPONENT tools)
    install(FILES "${pianola_share}/_pianola"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions" COMPONENT tools)
    install(FILES "${pianola_share}/pianola.fish"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" COMPONENT tools)

    find_program(PIANOLA_HELP2MAN help2man DOC "Makes the manual pages")
    if(PIANOLA_HELP2MAN)
        find_package(Python3 REQUIRED COMPONENTS Interpreter)
        set(pages "${CMAKE_CURRENT_SOURCE_DIR}/man_pages.py")
        add_custom_command(
            OUTPUT "${pianola_share}/man1/pianola.1.gz"
            COMMAND "${Python3_EXECUTABLE}" -B "${pages}" --pianola "$<TARGET_FILE:pianola>"
                    --sample "$<TARGET_FILE:pianola_sample>" --help2man "${PIANOLA_HELP2MAN}"
                    --version "${PROJECT_VERSION}" --out "${pianola_share}/man1"
            DEPENDS pianola pianola_sample "${pages}"
            COMMENT "Manual pages"
            VERBATIM)
        add_custom_target(pianola_man_pages ALL DEPENDS "${pianola_share}/man1/pianola.1.gz")
        install(DIRECTORY "${pianola_share}/man1/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT tools
            FILES_MATCHING PATTERN "*.1.gz")
    else()
        message(STATUS "No help2man: manual pages are not made")
    endif()
endif()
