/*
 * What load puts into the tables is what TPC-C clause 4.3.3.1 says, and hangs on nothing but the
 * seed and the place of the row.
 */
#include "tpcc_help.h"

#define FIELDS_MAX 32
#define WORDS_MAX  512

/* ---- COPY, as far as rows can tell ---- */

struct field {
    char words[WORDS_MAX]; /* text, or a number as decimal digits */
    int64_t number;
    int scale;
    bool null;
};

struct copy_row {
    struct field fields[FIELDS_MAX];
    int count, lines;
    uint64_t hash; /* of everything said */
    void (*line)(const struct copy_row *row);
};

static struct field *next_field(struct copy_row *row)
{
    struct field *field = &row->fields[row->count++];

    assert_true(row->count <= FIELDS_MAX);
    memset(field, 0, sizeof *field);
    return field;
}

static void mix(struct copy_row *row, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        row->hash = rng_mix(row->hash ^ ((const unsigned char *)bytes)[i]);
}

void copy_decimal(struct copy_row *row, int64_t unscaled, int scale)
{
    struct field *field = next_field(row);

    field->number = unscaled;
    field->scale = scale;
    mix(row, &unscaled, sizeof unscaled);
}

void copy_whole(struct copy_row *row, int64_t whole)
{
    copy_decimal(row, whole, 0);
}

void copy_moment(struct copy_row *row, int64_t unix_us)
{
    copy_decimal(row, unix_us, 0);
}

void copy_text(struct copy_row *row, const char *text, int length)
{
    struct field *field = next_field(row);

    assert_in_range(length, 0, WORDS_MAX - 1);
    memcpy(field->words, text, (size_t)length);
    mix(row, text, (size_t)length);
}

void copy_null(struct copy_row *row)
{
    next_field(row)->null = true;
    mix(row, "null", 4);
}

void copy_next(struct copy_row *row)
{
    if (row->line != NULL)
        row->line(row);
    row->lines++;
    row->count = 0;
}

static void say_row(struct copy_row *row, enum tpcc_table table, const struct tpcc_world *world,
                    int64_t number)
{
    struct rng rng;

    row->count = 0;
    row->lines = 1;
    row->hash = 0;
    rng_init(&rng, world->data_seed, (uint64_t)table, (uint64_t)number);
    tpcc_rows[table].row(row, world, number, &rng);
}

/* ---- tests ---- */

static void permutations(void **state)
{
    static const int64_t counts[] = { 1, 2, 3, 10, 64, 1000, 3000, 4096, 100000 };
    unsigned char *seen = memory_make(100000, 1);
    int64_t moved = 0, same = 0;

    (void)state;
    for (int i = 0; i < COUNT_OF(counts); i++) {
        memset(seen, 0, (size_t)counts[i]);
        for (int64_t index = 0; index < counts[i]; index++) {
            int64_t to = permute(77, counts[i], index);
            assert_in_range(to, 0, counts[i] - 1);
            assert_false(seen[to]);
            seen[to] = 1;
        }
    }
    for (int64_t index = 0; index < 3000; index++) {
        moved += permute(1, 3000, index) != index;
        same += permute(1, 3000, index) == permute(2, 3000, index);
    }
    assert_true(moved > 2950 && same < 50);
    memory_free(seen);
}

static void rows_are_pure(void **state)
{
    struct tpcc_world small = make_world(1, 1, "deck", 0), large = make_world(9, 1, "deck", 0);
    struct tpcc_world other = small;
    struct copy_row one = { .count = 0 }, two = { .count = 0 };

    (void)state;
    tpcc_set_data_seed(&other, 2);
    for (int table = 0; table < TPCC_TABLES; table++) {
        int64_t count = tpcc_rows[table].each > 0 ? tpcc_rows[table].each : TPCC_ITEMS;
        int differ = 0, columns = 0;
        for (const char *const *type = tpcc_rows[table].types; *type != NULL; type++)
            columns++;
        for (int i = 0; i < 20; i++) {
            int64_t number = 1 + (count - 1) * i / 19;
            say_row(&one, (enum tpcc_table)table, &small, number);
            assert_int_equal(one.count, columns);
            say_row(&two, (enum tpcc_table)table, &large, number);
            assert_true(one.hash == two.hash);
            say_row(&two, (enum tpcc_table)table, &other, number);
            differ += one.hash != two.hash;
        }
        assert_true(differ > 0 || table == TPCC_NEW_ORDER);
    }
}

enum {
    C_ID,
    C_D_ID,
    C_W_ID,
    C_FIRST,
    C_MIDDLE,
    C_LAST,
    C_STREET_1,
    C_STREET_2,
    C_CITY,
    C_STATE,
    C_ZIP,
    C_PHONE,
    C_SINCE,
    C_CREDIT,
    C_CREDIT_LIM,
    C_DISCOUNT,
    C_BALANCE
};

/* Names of a district's customers, and how many have each; they match names drawn in a run about
 * 3.2 times. */
static void customers(void **state)
{
    struct tpcc_world world = make_world(1, 1, "deck", 0);
    struct copy_row row = { .count = 0 };
    char(*there)[WORDS_MAX] = memory_make(TPCC_CUSTOMERS, WORDS_MAX), name[LAST_NAME_MAX];
    int64_t bad = 0, matches = 0, searches = 3000;
    struct rng rng;

    (void)state;
    for (int i = 0; i < TPCC_CUSTOMERS; i++) {
        say_row(&row, TPCC_CUSTOMER, &world, TPCC_CUSTOMERS + 1 + i);
        assert_int_equal(row.fields[C_ID].number, i + 1);
        assert_int_equal(row.fields[C_D_ID].number, 2);
        assert_int_equal(row.fields[C_W_ID].number, 1);
        assert_string_equal(row.fields[C_ZIP].words + 4, "11111");
        assert_int_equal(strlen(row.fields[C_PHONE].words), 16);
        assert_in_range(strlen(row.fields[C_FIRST].words), 8, 16);
        assert_in_range(row.fields[C_DISCOUNT].number, 0, 5000);
        assert_int_equal(row.fields[C_DISCOUNT].scale, 4);
        assert_true(row.fields[C_BALANCE].number == -1000);
        bad += strcmp(row.fields[C_CREDIT].words, "BC") == 0;
        memcpy(there[i], row.fields[C_LAST].words, WORDS_MAX);
        if (i < 1000) {
            last_name(name, i);
            assert_string_equal(there[i], name);
        }
    }
    assert_int_equal(bad, TPCC_CUSTOMERS / 10);
    rng_init(&rng, 1, 2, 3);
    for (int64_t i = 0; i < searches; i++) {
        last_name(name, (int)nurand(&rng, NURAND_A_LAST, 0, 999, NURAND_C_LAST_RUN));
        for (int at = 0; at < TPCC_CUSTOMERS; at++)
            matches += strcmp(there[at], name) == 0;
    }
    if (fabs((double)matches / (double)searches - 3.2) > 0.3)
        fail_msg("a name finds %.3f customers", (double)matches / (double)searches);
    memory_free(there);
}

enum {
    OL_O_ID,
    OL_D_ID,
    OL_W_ID,
    OL_NUMBER,
    OL_I_ID,
    OL_SUPPLY,
    OL_DELIVERY,
    OL_QUANTITY,
    OL_AMOUNT,
    OL_DIST_INFO
};

static void check_line(const struct copy_row *row)
{
    bool delivered = row->fields[OL_O_ID].number <= TPCC_DELIVERED;

    assert_int_equal(row->fields[OL_NUMBER].number, row->lines);
    assert_in_range(row->fields[OL_I_ID].number, 1, TPCC_ITEMS);
    assert_int_equal(row->fields[OL_SUPPLY].number, row->fields[OL_W_ID].number);
    assert_true(row->fields[OL_DELIVERY].null == !delivered);
    assert_int_equal(row->fields[OL_QUANTITY].number, 5);
    assert_in_range(row->fields[OL_AMOUNT].number, delivered ? 0 : 1, delivered ? 0 : 999999);
    assert_int_equal(row->fields[OL_AMOUNT].scale, 2);
    assert_int_equal(strlen(row->fields[OL_DIST_INFO].words), 24);
}

/* A district's orders: each customer once, lines as many as the order says. */
static void orders(void **state)
{
    struct tpcc_world world = make_world(2, 1, "deck", 0);
    struct copy_row row = { .line = check_line };
    unsigned char seen[TPCC_CUSTOMERS + 1] = { 0 };
    int64_t lines = 0, first = 13 * TPCC_ORDERS + 1; /* district 4 of warehouse 2 */

    (void)state;
    for (int64_t number = first; number < first + TPCC_ORDERS; number++) {
        int64_t customer, said;
        say_row(&row, TPCC_ORDER, &world, number);
        assert_int_equal(row.fields[0].number, number - first + 1);
        assert_int_equal(row.fields[1].number, 4);
        assert_int_equal(row.fields[2].number, 2);
        customer = row.fields[3].number;
        assert_in_range(customer, 1, TPCC_CUSTOMERS);
        assert_false(seen[customer]++);
        assert_true(row.fields[5].null == (number - first >= TPCC_DELIVERED));
        said = row.fields[6].number;
        assert_in_range(said, TPCC_LINES_MIN, TPCC_LINES_MAX);
        say_row(&row, TPCC_ORDER_LINE, &world, number);
        check_line(&row);
        assert_int_equal(row.lines, said);
        lines += said;
    }
    assert_share("lines", lines - TPCC_LINES_MIN * TPCC_ORDERS, 10 * TPCC_ORDERS, 0.5);
}

static void a_tenth_is_original(void **state)
{
    struct tpcc_world world = make_world(2, 1, "deck", 0);
    struct copy_row row = { .count = 0 };
    int64_t items = 0, stocks = 0, quantities = 0;

    (void)state;
    for (int64_t i = 1; i <= TPCC_ITEMS; i++) {
        say_row(&row, TPCC_ITEM, &world, i);
        items += strstr(row.fields[4].words, "ORIGINAL") != NULL;
        assert_in_range(strlen(row.fields[4].words), 26, 50);
        assert_in_range(row.fields[3].number, 100, 10000);
        say_row(&row, TPCC_STOCK, &world, TPCC_ITEMS + i);
        stocks += strstr(row.fields[16].words, "ORIGINAL") != NULL;
        assert_in_range(row.fields[2].number, 10, 100);
        quantities += row.fields[2].number - 10;
    }
    assert_int_equal(items, TPCC_ITEMS / 10);
    assert_int_equal(stocks, TPCC_ITEMS / 10);
    assert_share("quantities", quantities, 90 * TPCC_ITEMS, 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permutations),        cmocka_unit_test(rows_are_pure),
        cmocka_unit_test(customers),           cmocka_unit_test(orders),
        cmocka_unit_test(a_tenth_is_original),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
