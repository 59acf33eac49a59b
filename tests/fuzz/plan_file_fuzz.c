/*
 * plan_file_fuzz.c - a plan is from a stranger: whatever it is, it is read within bounds, or
 * refused with the file's name and a place.
 */
#include <string.h>

#include "base/arena.h"
#include "fuzz/fuzz.h"
#include "plan/plan.h"
#include "plan/plan_file.h"

#define INPUT_MAX   65536
#define ARENA_LIMIT (512 << 20)

static bool options(const char *workload, const char *compat, const struct option **rows)
{
    *rows = compat == NULL ? plan_options : NULL;
    return workload[0] != 'x';
}

static const char *nearest(const char *workload)
{
    return workload[1] == '\0' ? "null" : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const suites[] = { "micro", NULL };
    static const char *const workloads[] = { "null", NULL };
    static const struct plan_words words = { options, nearest, suites, workloads };
    struct plan_file_source source = { .path = "plan", .words = &words, .scale = 0.5, .time = 2 };
    struct error err = { .kind = ERROR_NONE };
    struct arena *arena;
    struct plan_file plan;

    if (size > INPUT_MAX)
        return 0;
    arena = arena_new(ARENA_LIMIT);
    source.content = (const char *)bytes;
    source.size = size;
    if (plan_file_read(&source, arena, &plan, &err)) {
        must(plan.name != NULL && plan.target_count > 0 && plan.row_count > 0);
        must(plan.row_count <= PLAN_ROWS_MAX && plan.repeats >= 1);
        for (int i = 0; i < plan.row_count; i++)
            must((plan.rows[i].workload == NULL) != (plan.rows[i].suite == NULL));
    } else {
        must(err.kind == ERROR_PLAN && strncmp(err.text, "plan:", 5) == 0);
    }
    plan_file_close(&plan);
    arena_free(arena);
    return 0;
}
