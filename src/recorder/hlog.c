/*
 * hlog.c - histograms as HdrHistogram's tools read them: its V2 encoding and its log.
 *
 * A histogram of lowest value 1 and 3 digits counts in just our cells, so a cell's index is the
 * index of the format. Written are the counts up to the last one that is not zero, runs of zeros as
 * one negative number, each ZigZag and LEB128 (of at most nine bytes, the ninth of eight bits);
 * then deflated, then base64. Two big-endian headers with cookies stand around it. What is read may
 * be hostile: every length is checked and nothing is allocated by what the input says.
 */
#define ZLIB_CONST
#include <string.h>
#include <zlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "recorder/base64.h"
#include "recorder/recorder.h"

#define COOKIE_PLAIN      0x1c849303u
#define COOKIE_COMPRESSED 0x1c849304u
#define COOKIE_WORD       0x10u /* the lowest bit of the word size: counts are LEB128 */
#define COOKIE_WORD_MASK  0xf0u
#define COUNT_BYTES_MAX   9
#define HEADER_BYTES      40
#define OUTER_BYTES       8
#define RATIO_ONE         UINT64_C(0x3ff0000000000000) /* 1.0 as a double */
/* Another tool's cells may go on to 2^63; none lies beyond. */
#define FOREIGN_CELLS   (1024 * 54)
#define PLAIN_BYTES_MAX (HEADER_BYTES + COUNT_BYTES_MAX * FOREIGN_CELLS)
#define DIGITS          3

/* ---- writing ---- */

struct writer {
    unsigned char *bytes;
    size_t length;
};

static void put(struct writer *writer, uint64_t number, int byte_count)
{
    for (int shift = 8 * (byte_count - 1); shift >= 0; shift -= 8)
        writer->bytes[writer->length++] = (unsigned char)(number >> shift & 255);
}

static void put_count(struct writer *writer, int64_t count)
{
    uint64_t left = (uint64_t)count << 1 ^ (uint64_t)(count >> 63);

    for (int i = 0; i < COUNT_BYTES_MAX - 1 && left > 127; i++) {
        writer->bytes[writer->length++] = (unsigned char)((left & 127) | 128);
        left >>= 7;
    }
    writer->bytes[writer->length++] = (unsigned char)left;
}

static void put_cells(struct writer *writer, const struct histogram *histogram)
{
    int64_t max_ns = histogram->max_ns < HISTOGRAM_MAX_NS ? histogram->max_ns : HISTOGRAM_MAX_NS;
    int end = histogram_cell(max_ns) + 1;

    for (int cell = 0; cell < end;) {
        int zeros = 0;

        while (cell + zeros < end && histogram->cells[cell + zeros] == 0)
            zeros++;
        if (zeros > 1)
            put_count(writer, -zeros);
        else
            put_count(writer, histogram->cells[cell]);
        cell += zeros > 1 ? zeros : 1;
    }
}

/* Memory of zlib comes through our one door as well. */
static void *zlib_take(void *context, uInt count, uInt size_bytes)
{
    (void)context;
    return memory_make(count, size_bytes);
}

static void zlib_give(void *context, void *memory)
{
    (void)context;
    memory_free(memory);
}

/* Deflates into `out`, which is as large as needed. */
static void put_deflated(struct writer *out, const struct writer *plain, size_t room)
{
    z_stream stream = { .zalloc = zlib_take, .zfree = zlib_give };

    if (deflateInit(&stream, Z_DEFAULT_COMPRESSION) != Z_OK)
        return;
    stream.next_in = plain->bytes;
    stream.avail_in = (uInt)plain->length;
    stream.next_out = out->bytes + out->length;
    stream.avail_out = (uInt)room;
    if (deflate(&stream, Z_FINISH) == Z_STREAM_END)
        out->length += stream.total_out;
    deflateEnd(&stream);
}

void histogram_encode(const struct histogram *histogram, struct text *out)
{
    size_t plain_max = HEADER_BYTES + (size_t)COUNT_BYTES_MAX * HISTOGRAM_CELLS;
    size_t room = compressBound(plain_max);
    struct writer plain = { .bytes = memory_make(plain_max, 1) };
    struct writer packed = { .bytes = memory_make(OUTER_BYTES + room, 1) };
    struct writer length_at;

    put(&plain, COOKIE_PLAIN | COOKIE_WORD, 4);
    length_at = plain;
    put(&plain, 0, 4); /* the length, known below */
    put(&plain, 0, 4); /* normalizing index offset */
    put(&plain, DIGITS, 4);
    put(&plain, 1, 8); /* lowest value that is told apart */
    put(&plain, HISTOGRAM_MAX_NS, 8);
    put(&plain, RATIO_ONE, 8);
    put_cells(&plain, histogram);
    put(&length_at, plain.length - HEADER_BYTES, 4);

    packed.length = OUTER_BYTES;
    put_deflated(&packed, &plain, room);
    length_at = (struct writer){ .bytes = packed.bytes };
    put(&length_at, COOKIE_COMPRESSED | COOKIE_WORD, 4);
    put(&length_at, packed.length - OUTER_BYTES, 4);
    base64_add(out, packed.bytes, packed.length);
    memory_free(packed.bytes);
    memory_free(plain.bytes);
}

/* ---- reading ---- */

struct reader {
    const unsigned char *bytes;
    size_t at, length;
};

/* The caller has seen that the bytes are there. */
static uint64_t take(struct reader *reader, int byte_count)
{
    uint64_t number = 0;

    for (int i = 0; i < byte_count; i++)
        number = number << 8 | reader->bytes[reader->at++];
    return number;
}

static bool take_count(struct reader *reader, int64_t *count)
{
    uint64_t value = 0;

    for (int i = 0; i < COUNT_BYTES_MAX; i++) {
        uint64_t byte;

        if (reader->at >= reader->length)
            return false;
        byte = reader->bytes[reader->at++];
        if (i == COUNT_BYTES_MAX - 1 || byte < 128) {
            value |= byte << 7 * i;
            break;
        }
        value |= (byte & 127) << 7 * i;
    }
    *count = (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
    return true;
}

/* Adds a cell as the format has it, which may lie beyond ours. False when a sum would not fit. */
static bool add_cell(struct histogram *histogram, int cell, int64_t count)
{
    int64_t low_ns = histogram_cell_low_ns(cell), high_ns = histogram_cell_high_ns(cell);
    int64_t sum_ns, total;

    if (__builtin_mul_overflow(low_ns + (high_ns - low_ns) / 2, count, &sum_ns) ||
        __builtin_add_overflow(histogram->sum_ns, sum_ns, &sum_ns) ||
        __builtin_add_overflow(histogram->count, count, &total))
        return false;
    histogram->sum_ns = sum_ns;
    histogram->count = total;
    if (low_ns < histogram->min_ns)
        histogram->min_ns = low_ns;
    histogram->max_ns = high_ns;
    if (cell >= HISTOGRAM_CELLS) {
        histogram->overflow += count;
        cell = HISTOGRAM_CELLS - 1;
    }
    histogram->cells[cell] += count;
    return true;
}

static bool take_cells(struct reader *reader, struct histogram *histogram)
{
    int cell = 0;

    while (reader->at < reader->length) {
        int64_t count;

        if (!take_count(reader, &count) || count < -FOREIGN_CELLS)
            return false;
        if (count < 0) {
            cell += (int)-count;
        } else {
            if (cell >= FOREIGN_CELLS || (count > 0 && !add_cell(histogram, cell, count)))
                return false;
            cell++;
        }
        if (cell > FOREIGN_CELLS)
            return false;
    }
    return true;
}

static bool take_plain(struct reader *reader, struct histogram *histogram)
{
    uint64_t cookie, payload, offset, digits, lowest;

    if (reader->length < HEADER_BYTES)
        return false;
    cookie = take(reader, 4);
    payload = take(reader, 4);
    offset = take(reader, 4);
    digits = take(reader, 4);
    lowest = take(reader, 8);
    take(reader, 16); /* highest and ratio say nothing about where counts belong */
    /* An offset shifts all cells; a plain histogram has none. hdr-histogram-js writes 1 and means
     * none; a real shift is a multiple of 1,024. */
    if ((cookie & ~(uint64_t)COOKIE_WORD_MASK) != COOKIE_PLAIN || offset > 1 || digits != DIGITS ||
        lowest != 1 || payload > reader->length - reader->at)
        return false;
    reader->length = reader->at + payload;
    return take_cells(reader, histogram);
}

/* Gives the number of bytes that came out, 0 when it is not a whole stream or too long. */
static size_t inflate_all(const struct reader *packed, unsigned char *bytes, size_t room)
{
    z_stream stream = { .zalloc = zlib_take, .zfree = zlib_give };
    size_t made = 0;

    if (inflateInit(&stream) != Z_OK)
        return 0;
    stream.next_in = packed->bytes + packed->at;
    stream.avail_in = (uInt)(packed->length - packed->at);
    stream.next_out = bytes;
    stream.avail_out = (uInt)room;
    if (inflate(&stream, Z_FINISH) == Z_STREAM_END)
        made = stream.total_out;
    inflateEnd(&stream);
    return made;
}

static bool take_packed(struct reader *packed, struct histogram *histogram)
{
    struct reader plain = { 0 };
    unsigned char *bytes;
    uint64_t cookie, length;
    bool good;

    if (packed->length < OUTER_BYTES)
        return false;
    cookie = take(packed, 4);
    length = take(packed, 4);
    if ((cookie & ~(uint64_t)COOKIE_WORD_MASK) != COOKIE_COMPRESSED ||
        length > packed->length - packed->at)
        return false;
    packed->length = packed->at + length; /* some writers leave slack behind it */
    bytes = memory_make(PLAIN_BYTES_MAX, 1);
    plain.bytes = bytes;
    plain.length = inflate_all(packed, bytes, PLAIN_BYTES_MAX);
    good = take_plain(&plain, histogram);
    memory_free(bytes);
    return good;
}

bool histogram_decode(struct histogram *histogram, const char *base64)
{
    size_t length = strlen(base64);
    struct reader packed = { 0 };
    unsigned char *bytes;
    bool good;

    histogram_reset(histogram);
    if (length > 4 * (size_t)PLAIN_BYTES_MAX)
        return false;
    bytes = memory_make(length / 4 + 1, 3);
    packed.bytes = bytes;
    good = base64_read(base64, length, bytes, &packed.length) && take_packed(&packed, histogram);
    memory_free(bytes);
    if (!good)
        histogram_reset(histogram);
    return good;
}

/* ---- the log ---- */

void hlog_header(struct text *out, int64_t start_wall_ns)
{
    char date[32];

    clock_iso(start_wall_ns, date, sizeof date);
    text_add(out, "#[Histogram log format version 1.3]\n");
    text_add(out, "#[Values in ns, times in s, Interval_Max in ms]\n");
    text_format(out, "#[StartTime: %.3f (seconds since epoch), %s]\n",
                (double)start_wall_ns / (double)NS_PER_S, date);
    text_add(out, "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
                  "\"Interval_Compressed_Histogram\"\n");
}

/* A tag ends at a comma, and readers stumble over blanks. */
static void add_tag(struct text *out, const char *tag)
{
    text_add(out, "Tag=");
    for (; *tag != '\0'; tag++) {
        bool plain = (unsigned char)*tag > ' ' && *tag != ',' && *tag != 0x7f;

        text_add_char(out, plain ? *tag : '_');
    }
    text_add_char(out, ',');
}

void hlog_line(struct text *out, const char *tag, double begin_s, double length_s,
               const struct histogram *histogram)
{
    if (tag != NULL && tag[0] != '\0')
        add_tag(out, tag);
    text_format(out, "%.3f,%.3f,%.3f,", begin_s, length_s,
                (double)histogram->max_ns / (double)NS_PER_MS);
    histogram_encode(histogram, out);
    text_add_char(out, '\n');
}
