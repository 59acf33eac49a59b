/*
 * speak.h - the server's side of protocol 3, as much as a client under test needs.
 *
 * Both fake servers let speak_answer() put the answers together and differ in how they send them.
 * Every statement is believed; what it would give is guessed from its first word. Nothing is
 * stored.
 */
#ifndef FAKE_SPEAK_H
#define FAKE_SPEAK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An answer being put together. The caller zeroes it and frees bytes. */
struct speech {
    unsigned char *bytes;
    size_t length, size;
};

void speak_reserve(struct speech *speech, size_t more); /* room behind the length */
void speak_bytes(struct speech *speech, const void *bytes, size_t length);
void speak_begin(struct speech *speech, char type);
void speak_text(struct speech *speech, const char *text); /* with its NUL */
void speak_end(struct speech *speech);                    /* of the message begun last */

/* 'E' or 'N'. */
void speak_error(struct speech *speech, char type, const char *severity, const char *sqlstate,
                 const char *text);
/* Authentication is granted, parameters, key, ready. */
void speak_welcome(struct speech *speech, int pid);

/* What is known of a conversation. */
enum speak_kind {
    SPEAK_EMPTY,
    SPEAK_ROWS,
    SPEAK_CHANGE, /* one row changed */
    SPEAK_BEGIN,
    SPEAK_COMMIT,
    SPEAK_ROLLBACK,
    SPEAK_OTHER,
};
struct talk {
    int rows, width; /* of an answer */
    char status;     /* 'I', 'T' or 'E' */
    bool skipping;   /* an error: all until Sync is ignored */
    bool goodbye;    /* Terminate was said, or nonsense */
    int bound;       /* number of the statement in the unnamed portal */
};

/* What an Execute or Query is about to do. */
enum speak_kind speak_kind_of(const struct talk *talk, char type, const unsigned char *body);
/* Appends the answer to one message of the client. `body` is followed by a NUL. */
void speak_answer(struct talk *talk, char type, const unsigned char *body, size_t size,
                  struct speech *speech);
/* The talk fails with an error in place of an answer, as PostgreSQL would do it. */
void speak_failure(struct talk *talk, char type, const char *sqlstate, const char *text,
                   struct speech *speech);

/* Whole length of the message at `bytes`: 0 when that cannot be told yet, -1 when impossible.
 * Before the welcome messages have no type. */
int64_t speak_length(const unsigned char *bytes, size_t length, bool welcomed);

enum speak_startup { SPEAK_STARTUP, SPEAK_REFUSE_ENCRYPTION, SPEAK_CANCEL, SPEAK_NONSENSE };
enum speak_startup speak_startup_kind(const unsigned char *bytes, size_t length);

/* A listening socket FOLDER/.s.PGSQL.PORT, or 127.0.0.1:PORT when folder is NULL; ends the process
 * with a message when it cannot be had. */
int speak_listen(const char *folder, int port);

#endif
