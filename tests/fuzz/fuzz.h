/*
 * fuzz.h - what fuzz targets share. A target is one function that takes any bytes; libFuzzer calls
 * it with new ones (meson setup -Dfuzz=true, clang), replay.c with those of its corpus in every
 * test run.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* An expectation that holds whatever the bytes, with NDEBUG too. */
#define must(condition) ((condition) ? (void)0 : abort())

#endif
