/* usage: tool FILE.ptb. A build step that refuses what an ECU would refuse, through libpianola.so. */
#include <pianola_host.h>
#include <stdio.h>

static unsigned char bytes[1U << 22];

int main(int argc, char** argv) {
    FILE* const file = (argc == 2) ? fopen(argv[1], "rb") : NULL;
    int code = 100;
    if (file != NULL) {
        const size_t size = fread(bytes, 1U, sizeof(bytes), file);
        pianola_result* const result = pianola_verify(bytes, size);
        (void)fclose(file);
        code = (int)pianola_result_status(result);
        (void)printf("%s %s\n", pianola_result_rule(result), pianola_result_text(result));
        pianola_result_free(result);
    }
    return code;
}
