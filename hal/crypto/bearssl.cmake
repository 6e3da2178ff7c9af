# pianola_bearssl for boards: the files of BearSSL that are needed to verify an ECDSA signature on P-256, from the
# sources that toolchains/fetch_bearssl.sh has unpacked. i31 is its arithmetic for cores with a 32-bit multiplication,
# m31 the same for this one curve. None of it has mutable data, or needs more than memcpy and similar functions.
set(PIANOLA_BEARSSL_DIR "${PROJECT_SOURCE_DIR}/build/deps/bearssl" CACHE PATH "Unpacked sources of BearSSL")
if(NOT EXISTS "${PIANOLA_BEARSSL_DIR}/inc/bearssl_ec.h")
    if(pianola_crypto STREQUAL "AUTO")
        return()
    endif()
    message(FATAL_ERROR "No sources of BearSSL in ${PIANOLA_BEARSSL_DIR}: run toolchains/setup-debian.sh --all, "
        "or build with PIANOLA_CRYPTO=OFF")
endif()

enable_language(C)
set(sources
    codec/ccopy.c
    ec/ec_p256_m31.c
    ec/ec_secp256r1.c
    ec/ec_secp384r1.c # constants, which a switch over all curves refers to
    ec/ec_secp521r1.c
    ec/ecdsa_i31_bits.c
    ec/ecdsa_i31_vrfy_raw.c
    int/i31_add.c
    int/i31_bitlen.c
    int/i31_decmod.c
    int/i31_decode.c
    int/i31_encode.c
    int/i31_fmont.c
    int/i31_iszero.c
    int/i31_modpow.c
    int/i31_montmul.c
    int/i31_muladd.c
    int/i31_ninv31.c
    int/i31_rshift.c
    int/i31_sub.c
    int/i31_tmont.c
    int/i32_div32.c)
list(TRANSFORM sources PREPEND "${PIANOLA_BEARSSL_DIR}/src/")
add_library(pianola_bearssl STATIC ${sources})
set_target_properties(pianola_bearssl PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON)
target_include_directories(pianola_bearssl SYSTEM PUBLIC "$<BUILD_INTERFACE:${PIANOLA_BEARSSL_DIR}/inc>"
    PRIVATE "${PIANOLA_BEARSSL_DIR}/src")
target_link_libraries(pianola_bearssl PRIVATE pianola_warnings pianola_target_rules)
# Third-party code: -w disables the project's warnings, only here.
target_compile_options(pianola_bearssl PRIVATE -ffreestanding -w)
