/*
 * routines.c - the routines as load makes them: HammerDB's signatures around a body (spec hammerdb,
 * annex A).
 *
 * What a procedure has as a parameter and the function has not is a variable of the function, so
 * that one body serves both.
 */
#include "workload/tproc/tproc.h"

#define BODY "$routine$"

struct parameter {
    const char *mode, *name, *type; /* mode "", "INOUT " */
};

/* One of the two forms of a routine. */
struct form {
    const struct parameter *parameters; /* ended by name NULL */
    const char *returns;                /* NULL: a procedure */
    const char *declare;
    const char *end; /* after the body, before the handler */
    bool catches;    /* as published: has the exception handler */
};

struct routine {
    const char *name;
    struct form forms[2]; /* by enum tproc_routines */
};

#define IN(name_, type_)  \
    {                     \
        "", #name_, type_ \
    }
#define INOUT(name_, type_)     \
    {                           \
        "INOUT ", #name_, type_ \
    }
#define END              \
    {                    \
        NULL, NULL, NULL \
    }
#define NUMBER "integer"

/* clang-format off */
static const struct parameter neword_function[] = {
    IN(home, NUMBER), IN(home_max, NUMBER), IN(dist, NUMBER), IN(cust, NUMBER),
    IN(line_count, NUMBER), IN(order_id, NUMBER), END
};
static const struct parameter neword_procedure[] = {
    IN(home, NUMBER), IN(home_max, NUMBER), IN(dist, NUMBER), IN(cust, NUMBER),
    IN(line_count, NUMBER), INOUT(discount, "numeric"), INOUT(last_name, "varchar"),
    INOUT(credit, "varchar"), INOUT(dist_tax, "numeric"), INOUT(home_tax, "numeric"),
    INOUT(order_id, NUMBER), IN(stamp, "timestamp"), END
};
static const struct parameter payment_function[] = {
    IN(home, NUMBER), IN(dist, NUMBER), IN(cust_home, NUMBER), IN(cust_dist, NUMBER),
    IN(cust, NUMBER), IN(by_name, NUMBER), IN(amount, "numeric"), IN(last_name, "varchar"),
    IN(credit, "varchar"), IN(balance, "numeric"), END
};
static const struct parameter payment_procedure[] = {
    IN(home, NUMBER), IN(dist, NUMBER), IN(cust_home, NUMBER), IN(cust_dist, NUMBER),
    IN(by_name, NUMBER), IN(amount, "numeric"), INOUT(credit, "char"), INOUT(last_name, "varchar"),
    INOUT(cust, NUMBER), INOUT(home_street_1, "varchar"), INOUT(home_street_2, "varchar"),
    INOUT(home_city, "varchar"), INOUT(home_state, "char"), INOUT(home_zip, "char"),
    INOUT(dist_street_1, "varchar"), INOUT(dist_street_2, "varchar"), INOUT(dist_city, "varchar"),
    INOUT(dist_state, "char"), INOUT(dist_zip, "char"), INOUT(first_name, "varchar"),
    INOUT(middle_name, "char"), INOUT(street_1, "varchar"), INOUT(street_2, "varchar"),
    INOUT(city, "varchar"), INOUT(state, "char"), INOUT(zip, "char"), INOUT(phone, "char"),
    INOUT(since, "timestamp"), INOUT(credit_limit, "numeric"), INOUT(discount, "numeric"),
    INOUT(balance, "numeric"), INOUT(notes, "varchar"), IN(stamp, "timestamp"), END
};
static const struct parameter delivery_function[] = {
    IN(home, NUMBER), IN(carrier, NUMBER), END
};
static const struct parameter delivery_procedure[] = {
    IN(home, NUMBER), IN(carrier, NUMBER), IN(stamp, "timestamp"), END
};
static const struct parameter slev_function[] = {
    IN(home, NUMBER), IN(dist, NUMBER), IN(threshold, NUMBER), END
};
static const struct parameter slev_procedure[] = {
    IN(home, NUMBER), IN(dist, NUMBER), IN(threshold, NUMBER), INOUT(low_count, NUMBER), END
};
static const struct parameter ostat_function[] = {
    IN(home, NUMBER), IN(dist, NUMBER), IN(cust, NUMBER), IN(by_name, NUMBER),
    IN(last_name, "varchar"), END
};
static const struct parameter ostat_procedure[] = {
    IN(home, NUMBER), IN(dist, NUMBER), INOUT(cust, NUMBER), IN(by_name, NUMBER),
    INOUT(last_name, "varchar"), INOUT(first_name, "varchar"), INOUT(middle_name, "char"),
    INOUT(balance, "numeric"), INOUT(order_id, NUMBER), INOUT(entered, "timestamp"),
    INOUT(carrier, NUMBER), INOUT(order_lines, "text"), END
};
static const struct parameter random_function[] = {
    IN(low, NUMBER), IN(high, NUMBER), END
};
/* clang-format on */

static const char ostat_rows[] =
    "  RETURN QUERY SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d, cust,\n"
    "         last_name, first_name, middle_name, balance, order_id, entered, carrier\n"
    "    FROM order_line WHERE ol_w_id = home AND ol_d_id = dist AND ol_o_id = order_id;\n"
    "  RETURN;\n";

static const char ostat_words[] =
    "  SELECT string_agg(concat_ws(',', ol_i_id, ol_supply_w_id, ol_quantity, ol_amount,\n"
    "                              ol_delivery_d), ',') INTO order_lines\n"
    "    FROM order_line WHERE ol_w_id = home AND ol_d_id = dist AND ol_o_id = order_id;\n";

static const struct routine routines[TPROC_KINDS] = {
    [TPROC_NEWORD] = { "neword",
                       { { .parameters = neword_function,
                           .returns = "numeric",
                           .declare = "  discount numeric;\n"
                                      "  last_name varchar;\n"
                                      "  credit varchar;\n"
                                      "  dist_tax numeric;\n"
                                      "  home_tax numeric;\n",
                           .catches = true },
                         { .parameters = neword_procedure, .catches = true } } },
    [TPROC_PAYMENT] = { "payment",
                        { { .parameters = payment_function,
                            .returns = "integer",
                            .declare = "  home_street_1 varchar;\n"
                                       "  home_street_2 varchar;\n"
                                       "  home_city varchar;\n"
                                       "  home_state varchar;\n"
                                       "  home_zip varchar;\n"
                                       "  dist_street_1 varchar;\n"
                                       "  dist_street_2 varchar;\n"
                                       "  dist_city varchar;\n"
                                       "  dist_state varchar;\n"
                                       "  dist_zip varchar;\n"
                                       "  first_name varchar;\n"
                                       "  middle_name varchar;\n"
                                       "  street_1 varchar;\n"
                                       "  street_2 varchar;\n"
                                       "  city varchar;\n"
                                       "  state varchar;\n"
                                       "  zip varchar;\n"
                                       "  phone varchar;\n"
                                       "  since timestamp;\n"
                                       "  credit_limit numeric;\n"
                                       "  discount numeric;\n"
                                       "  notes varchar;\n"
                                       "  stamp timestamp := current_timestamp;\n",
                            .catches = true },
                          { .parameters = payment_procedure, .catches = true } } },
    [TPROC_DELIVERY] = { "delivery",
                         { { .parameters = delivery_function,
                             .returns = "integer",
                             .catches = true },
                           { .parameters = delivery_procedure, .catches = true } } },
    [TPROC_SLEV] = { "slev",
                     { { .parameters = slev_function,
                         .returns = "integer",
                         .declare = "  low_count integer;\n",
                         .catches = true },
                       { .parameters = slev_procedure } } },
    [TPROC_OSTAT] = { "ostat",
                      { { .parameters = ostat_function,
                          .returns = "SETOF record",
                          .declare = "  first_name varchar;\n"
                                     "  middle_name varchar;\n"
                                     "  balance numeric;\n"
                                     "  order_id integer;\n"
                                     "  entered timestamp;\n"
                                     "  carrier integer;\n",
                          .end = ostat_rows,
                          .catches = true },
                        { .parameters = ostat_procedure, .end = ostat_words, .catches = true } } },
};

/* Draws within [low, high] inclusive. */
static const char random_body[] = "BEGIN\n"
                                  "  RETURN floor(random() * (high - low + 1))::integer + low;\n"
                                  "END\n";

/* In a function the ROLLBACK is itself an error, which hides what happened (2D000). */
static const char handler[] =
    "EXCEPTION\n"
    "  WHEN serialization_failure OR deadlock_detected OR no_data_found THEN\n"
    "    ROLLBACK;\n";

/* "FUNCTION delivery(integer, integer)" */
static const char *write_name(const char *name, const struct form *form, struct arena *arena)
{
    struct text text;
    const char *words;

    text_init(&text, WORKLOAD_SQL_MAX);
    text_format(&text, "%s %s(", form->returns != NULL ? "FUNCTION" : "PROCEDURE", name);
    for (int i = 0; form->parameters[i].name != NULL; i++)
        text_format(&text, "%s%s", i > 0 ? ", " : "", form->parameters[i].type);
    text_add_char(&text, ')');
    words = arena_text(arena, text.bytes);
    text_close(&text);
    return words;
}

/* "CREATE FUNCTION %s.delivery(home integer, carrier integer) RETURNS integer", for the loader. */
static void write_head(struct text *out, const char *name, const struct form *form)
{
    text_format(out, "CREATE %s %%s.%s(", form->returns != NULL ? "FUNCTION" : "PROCEDURE", name);
    for (int i = 0; form->parameters[i].name != NULL; i++) {
        const struct parameter *parameter = &form->parameters[i];
        text_format(out, "%s%s%s %s", i > 0 ? ", " : "", parameter->mode, parameter->name,
                    parameter->type);
    }
    text_add_char(out, ')');
    if (form->returns != NULL)
        text_format(out, " RETURNS %s", form->returns);
    text_add(out, " LANGUAGE plpgsql AS " BODY "\n");
}

static void add(struct text *out, const char *words)
{
    if (words != NULL)
        text_add(out, words);
}

static void write_body(struct text *out, const struct form *form, const struct tproc_body *body,
                       bool mended)
{
    text_add(out, "DECLARE\n");
    add(out, form->declare);
    add(out, body->declare);
    text_add(out, "BEGIN\n");
    if (body->write != NULL)
        body->write(out);
    add(out, body->sql);
    add(out, form->end);
    if (form->returns != NULL)
        add(out, body->function_end);
    if (form->catches && !mended)
        text_add(out, handler);
    text_add(out, "END\n");
}

bool tproc_object(struct object_spec *object, const void *world, int index, struct arena *arena)
{
    static const struct form random_form = { .parameters = random_function, .returns = "integer" };
    const struct tproc_world *tproc = world;
    bool random = index == TPROC_KINDS;
    const char *name = random ? "dbms_random" : NULL;
    const struct form *form = &random_form;
    struct text text;

    if (index > TPROC_KINDS)
        return false;
    if (!random) {
        name = routines[index].name;
        form = &routines[index].forms[tproc->options.routines];
    }
    text_init(&text, WORKLOAD_SQL_MAX);
    write_head(&text, name, form);
    if (random)
        text_add(&text, random_body);
    else
        write_body(&text, form, tproc->mended ? &tproc_mended[index] : &tproc_published[index],
                   tproc->mended);
    text_add(&text, BODY);
    object->name = write_name(name, form, arena);
    object->create = arena_text(arena, text.bytes);
    text_close(&text);
    return true;
}
