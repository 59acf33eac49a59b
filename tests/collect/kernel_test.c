/*
 * kernel_test.c - the kernel's counters as recorded, and in forms that break readers.
 */
#include "collect/kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collect/proc.h"

static void words(void **state)
{
    (void)state;
    const char *text = "pgfault 12\npgfaults 13\nallocstall_dma 1\nallocstall_normal 20\n"
                       "odd x\nctxt 649035043\nlast 7";
    assert_int_equal(kernel_find(text, KERNEL_WORD, "pgfault"), 12);
    assert_int_equal(kernel_find(text, KERNEL_WORD, "pgfaul"), KERNEL_UNKNOWN);
    assert_int_equal(kernel_find(text, KERNEL_WORD, "allocstall_*"), 21);
    assert_int_equal(kernel_find(text, KERNEL_WORD, "odd"), KERNEL_UNKNOWN);
    assert_int_equal(kernel_find(text, KERNEL_WORD, "ctxt"), 649035043);
    assert_int_equal(kernel_find(text, KERNEL_WORD, "last"), 7);
    assert_int_equal(kernel_find("", KERNEL_WORD, "ctxt"), KERNEL_UNKNOWN);
    assert_int_equal(kernel_find("ctxt", KERNEL_WORD, "ctxt"), KERNEL_UNKNOWN);
}

static void cpu(void **state)
{
    (void)state;
    const char *text = "cpu  2108407 98458 872321 2248775 14722 0 8565 1459 0 0\n"
                       "cpu0 1037213 48486 422350 1161447 4052 0 1936 761 0 0\n"
                       "cpu1 1071194 49971 449971 1087327 10669 0 6629 698 0 0\n"
                       "intr 62879918 0 0\nctxt 5\n";
    assert_int_equal(kernel_cpus(text), 2);
    assert_int_equal(kernel_find(text, KERNEL_CPU, "user"), INT64_C(21084070000000));
    assert_int_equal(kernel_find(text, KERNEL_CPU, "iowait"), INT64_C(147220000000));
    assert_int_equal(kernel_find(text, KERNEL_CPU, "steal"), INT64_C(14590000000));
    assert_int_equal(kernel_find(text, KERNEL_CPU, "guest"), KERNEL_UNKNOWN);
    /* Of a kernel that knows fewer columns. */
    assert_int_equal(kernel_find("cpu  1 2 3 4\n", KERNEL_CPU, "steal"), KERNEL_UNKNOWN);
    assert_int_equal(kernel_find("cpu0 1 2 3 4\n", KERNEL_CPU, "user"), KERNEL_UNKNOWN);
}

static void pressure(void **state)
{
    (void)state;
    const char *text = "some avg10=58.54 avg60=43.16 avg300=34.89 total=11874916478\n"
                       "full avg10=0.00 avg60=0.00 avg300=0.00 total=17\n";
    assert_int_equal(kernel_find(text, KERNEL_PRESSURE, "some"), INT64_C(11874916478));
    assert_int_equal(kernel_find(text, KERNEL_PRESSURE, "full"), 17);
    assert_int_equal(kernel_find("some avg10=1\nfull total=3\n", KERNEL_PRESSURE, "some"),
                     KERNEL_UNKNOWN);
}

static void columns(void **state)
{
    (void)state;
    const char *text = "Ip: Forwarding OutSegs\nIp: 1 64\n"
                       "Tcp: RtoAlgorithm MaxConn OutSegs RetransSegs\nTcp: 1 -1 12127035 5287\n";
    assert_int_equal(kernel_find(text, KERNEL_COLUMN, "Tcp RetransSegs"), 5287);
    assert_int_equal(kernel_find(text, KERNEL_COLUMN, "Tcp OutSegs"), 12127035);
    assert_int_equal(kernel_find(text, KERNEL_COLUMN, "Ip OutSegs"), 64);
    assert_int_equal(kernel_find(text, KERNEL_COLUMN, "Tcp MaxConn"), KERNEL_UNKNOWN);
    assert_int_equal(kernel_find(text, KERNEL_COLUMN, "Tcp Retrans"), KERNEL_UNKNOWN);
    assert_int_equal(kernel_find("Tcp: A B\nTcp: 1\n", KERNEL_COLUMN, "Tcp B"), KERNEL_UNKNOWN);
    assert_int_equal(kernel_find("Tcp: A B\n", KERNEL_COLUMN, "Tcp A"), KERNEL_UNKNOWN);
}

static void limits(void **state)
{
    (void)state;
    assert_int_equal(kernel_find("max\n", KERNEL_LIMIT, ""), PROC_UNLIMITED);
    assert_int_equal(kernel_find("4096\n", KERNEL_LIMIT, ""), 4096);
    assert_int_equal(kernel_find("150000 100000\n", KERNEL_CPU_LIMIT, ""), 1500);
}

static void process(void **state)
{
    (void)state;
    struct kernel_process process;
    /* A name may hold anything. */
    assert_true(kernel_process("4242 (a) S (b) R) S 17 17 17 0 -1 4194560 100 0 0 0 5 6 70 80 20 0"
                               " 3 0 2692682 3133440 410\n",
                               &process));
    assert_int_equal(process.parent, 17);
    assert_int_equal(process.threads, 3);
    assert_int_equal(process.cpu_ticks, 11);
    assert_int_equal(process.children_ticks, 150);
    assert_int_equal(process.start_ticks, 2692682);
    assert_false(kernel_process("4242 (cat) S 17 17", &process));
    assert_false(kernel_process("", &process));
    assert_false(kernel_process("4242 (cat)", &process));
}

/* Rows of a file must stand together, or it is read twice at two instants. */
static void rows(void **state)
{
    (void)state;
    bool seen[KERNEL_FILES] = { false };
    int64_t values[KERNEL_ROWS_MAX];
    int cpus = 0;

    assert_true(kernel_row_count() > 30);
    for (int i = 0; i < kernel_row_count(); i++) {
        if (i == 0 || kernel_rows[i].file != kernel_rows[i - 1].file)
            assert_false(seen[kernel_rows[i].file]);
        seen[kernel_rows[i].file] = true;
    }
    kernel_read(NULL, values, &cpus);
    assert_true(cpus > 0);
    for (int i = 0; i < kernel_row_count(); i++)
        if (kernel_rows[i].file == KERNEL_STAT)
            assert_true(values[i] >= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),   cmocka_unit_test(cpu),    cmocka_unit_test(pressure),
        cmocka_unit_test(columns), cmocka_unit_test(limits), cmocka_unit_test(process),
        cmocka_unit_test(rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
