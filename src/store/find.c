/*
 * find.c - one value of a result by its path.
 *
 * Keys may hold dots ("p99.9"), so a dotted path tries the longest key first and comes back for a
 * shorter one when the rest is not there; the depth of a result bounds the search.
 */
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "store/store.h"

#define INDEX_DIGITS_MAX 9
#define KEY_MAX          4096

/* The element of an array that `digits` names, without leading zeros; NULL when none. */
static json_t *element(json_t *array, const char *digits, size_t length)
{
    size_t index = 0;

    if (length < 1 || length > INDEX_DIGITS_MAX || (digits[0] == '0' && length > 1))
        return NULL;
    for (size_t i = 0; i < length; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return NULL;
        index = 10 * index + (size_t)(digits[i] - '0');
    }
    return json_array_get(array, index);
}

static json_t *member(json_t *container, const char *key, size_t length)
{
    json_t *found;
    char *copy;

    if (json_is_array(container))
        return element(container, key, length);
    if (!json_is_object(container))
        return NULL;
    copy = memory_format("%.*s", (int)length, key);
    found = json_object_get(container, copy);
    memory_free(copy);
    return found;
}

static json_t *find_dotted(json_t *container, const char *path)
{
    for (size_t length = strlen(path);;) {
        json_t *found = member(container, path, length);
        if (found != NULL && path[length] == '\0')
            return found;
        if (found != NULL && (found = find_dotted(found, path + length + 1)) != NULL)
            return found;
        do {
            if (length == 0)
                return NULL;
            length--;
        } while (path[length] != '.');
    }
}

/* RFC 6901: "~1" stands for '/', "~0" for '~', nothing else may follow a '~'. */
static bool unescape(struct text *key, const char *from, size_t length)
{
    text_clear(key);
    for (size_t i = 0; i < length; i++) {
        if (from[i] != '~') {
            text_add_char(key, from[i]);
            continue;
        }
        i++;
        if (i == length || (from[i] != '0' && from[i] != '1'))
            return false;
        text_add_char(key, from[i] == '0' ? '~' : '/');
    }
    return true;
}

static json_t *find_pointer(json_t *container, const char *path)
{
    struct text key;

    text_init(&key, KEY_MAX);
    while (container != NULL && *path == '/') {
        size_t length = strcspn(path + 1, "/");
        bool valid = unescape(&key, path + 1, length);
        container = valid ? member(container, key.bytes, key.length) : NULL;
        path += 1 + length;
    }
    text_close(&key);
    return container;
}

json_t *store_find(json_t *result, const char *path)
{
    if (*path == '\0')
        return result;
    if (strlen(path) > KEY_MAX)
        return NULL;
    return *path == '/' ? find_pointer(result, path) : find_dotted(result, path);
}
