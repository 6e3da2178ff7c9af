/* Pianola's host side for other languages: is this trace binary acceptable, and what is in it?
 *
 * libpianola.so.0, for tools on development machines; an ECU has runtime/c/pianola.h. C99, usable from C++ and by
 * foreign function interfaces: every argument is a pointer, a number or a text that ends with a zero.
 * Ownership: each call that gives a result gives one that the caller frees, also where it says an error; texts belong
 * to their result. Nothing that is passed is kept. Calls may be made from several threads at once; a result is used by
 * one at a time. No call throws, aborts or prints.
 */
#ifndef PIANOLA_HOST_H
#define PIANOLA_HOST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised with each function that is added; functions are never removed or changed within libpianola.so.0. */
#define PIANOLA_HOST_API_VERSION 1U

#if defined(__GNUC__)
#define PIANOLA_HOST_API __attribute__((__visibility__("default")))
#else
#define PIANOLA_HOST_API
#endif

typedef struct pianola_result pianola_result;

/* What a call came to: the exit codes of the command line. */
#define PIANOLA_DONE 0U
#define PIANOLA_INTERNAL_ERROR 1U /* a defect in Pianola, or no memory */
#define PIANOLA_USAGE 2U          /* NULL where there is a size */
#define PIANOLA_REFUSED 3U        /* the validator refuses the binary; the result says why */

/* Of the library that is loaded, where the header is of the one that was compiled against. */
PIANOLA_HOST_API uint32_t pianola_api_version(void);
/* "0.1.0"; static. */
PIANOLA_HOST_API const char* pianola_version(void);

/* Every check of `pianola verify`, for the device that the binary names, with the same sources as the target's. The
 * digest is checked; signatures need a key and are not: `pianola verify --key`. NULL only where there is no memory. */
PIANOLA_HOST_API pianola_result* pianola_verify(const void* file, size_t file_bytes);

/* What is in a binary, as JSON, whatever device it is for: pianola_result_text(). Refused where it is not whole and
 * well-formed. NULL only where there is no memory. */
PIANOLA_HOST_API pianola_result* pianola_inspect_json(const void* file, size_t file_bytes);

/* NULL is no result: PIANOLA_INTERNAL_ERROR, an empty text, 0. */
PIANOLA_HOST_API uint32_t pianola_result_status(const pianola_result* result);
/* Of a refusal: rule ("ENV-DIGEST"), field ("traces[0].commands[17].dst"), first byte of that field in the file, and
 * what the file says and what it was compared with, where the rule compares numbers. */
PIANOLA_HOST_API const char* pianola_result_rule(const pianola_result* result);
PIANOLA_HOST_API const char* pianola_result_field(const pianola_result* result);
PIANOLA_HOST_API uint32_t pianola_result_offset(const pianola_result* result);
PIANOLA_HOST_API uint64_t pianola_result_actual(const pianola_result* result);
PIANOLA_HOST_API uint64_t pianola_result_limit(const pianola_result* result);
/* Of an error: one sentence. Of inspect: the JSON. UTF-8. */
PIANOLA_HOST_API const char* pianola_result_text(const pianola_result* result);
/* NULL is permitted. */
PIANOLA_HOST_API void pianola_result_free(pianola_result* result);

#ifdef __cplusplus
}
#endif

#endif
