/*
 * hlog_fuzz.c - reading a histogram that someone else encoded, for libFuzzer.
 *
 * The fuzzer's bytes are taken twice: as base64 words, and as the payload of an honest encoding,
 * since no fuzzer finds its way through deflate. What is accepted must hold together and come back
 * the same when it is written again.
 */
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "fuzz/fuzz.h"
#include "recorder/base64.h"
#include "recorder/histogram.h"

#define HEADER_BYTES 40

static struct histogram *read_one, *read_again;

static void check(const char *base64)
{
    int64_t sum = 0;
    struct text text;

    if (!histogram_decode(read_one, base64)) {
        must(read_one->count == 0 && read_one->sum_ns == 0 && read_one->max_ns == 0);
        return;
    }
    for (int cell = 0; cell < HISTOGRAM_CELLS; cell++)
        sum += read_one->cells[cell];
    must(sum == read_one->count && read_one->overflow <= sum);
    must(histogram_percentile_ns(read_one, 50) <= read_one->max_ns);
    text_init(&text, HISTOGRAM_ENCODED_MAX);
    histogram_encode(read_one, &text);
    if (read_one->overflow == 0) {
        must(histogram_decode(read_again, text.bytes));
        must(memcmp(read_one, read_again, sizeof *read_one) == 0);
    }
    text_close(&text);
}

static void check_words(const uint8_t *data, size_t size)
{
    char *words = memory_make(size + 1, 1);

    memcpy(words, data, size);
    check(words);
    memory_free(words);
}

static void put32(unsigned char *at, size_t number)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(number >> (24 - 8 * i));
}

static void check_payload(const uint8_t *data, size_t size)
{
    uLongf packed_size = compressBound(HEADER_BYTES + size);
    unsigned char *plain = memory_make(HEADER_BYTES + size, 1);
    unsigned char *packed = memory_make(8 + packed_size, 1);
    struct text text;

    put32(plain, 0x1c849313);
    put32(plain + 4, size);
    put32(plain + 12, 3);
    put32(plain + 20, 1);
    memcpy(plain + HEADER_BYTES, data, size);
    compress2(packed + 8, &packed_size, plain, HEADER_BYTES + size, 1);
    put32(packed, 0x1c849314);
    put32(packed + 4, packed_size);
    text_init(&text, 2 * (8 + packed_size) + 8);
    base64_add(&text, packed, 8 + packed_size);
    check(text.bytes);
    text_close(&text);
    memory_free(packed);
    memory_free(plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (read_one == NULL) {
        read_one = histogram_new();
        read_again = histogram_new();
    }
    check_words(data, size);
    if (size > 0)
        check_payload(data, size);
    return 0;
}
