/*
 * prepared.c - slots in a doubly linked list by use, found through a small hash table. When all
 * statements fit, a slot is simply its key and the list is never touched.
 */
#include "engine/prepared.h"

#include <assert.h>

#include "base/memory.h"
#include "base/rng.h"

struct slot {
    int64_t key; /* -1: empty */
    int newer, older, chain;
    bool doubtful; /* the server may hold a statement of this name */
};

struct prepared {
    int slot_count, bucket_count;
    bool all_fit;
    int newest, oldest;
    struct slot *slots;
    int *buckets; /* first slot of the chain, or -1; NULL when all fit */
};

/* Written when the first session is made, on one thread, then const. */
static struct wire_name names[PREPARED_MAX];

static void write_names(void)
{
    for (int i = PREPARED_MAX; names[0].size == 0 && i-- > 0;)
        names[i] = wire_name_number(i);
}

static void start_empty(struct prepared *prepared)
{
    for (int i = 0; i < prepared->slot_count; i++)
        prepared->slots[i] =
            (struct slot){ .key = -1, .newer = i - 1, .older = i + 1, .chain = -1 };
    prepared->slots[prepared->slot_count - 1].older = -1;
    prepared->newest = 0;
    prepared->oldest = prepared->slot_count - 1;
    for (int i = 0; i < prepared->bucket_count; i++)
        prepared->buckets[i] = -1;
}

struct prepared *prepared_new(int64_t total, int64_t cap)
{
    struct prepared *prepared = MEMORY_NEW(struct prepared);
    int64_t slots = cap < PREPARED_MAX ? cap : PREPARED_MAX;

    assert(total > 0 && cap > 0);
    write_names();
    prepared->all_fit = total <= slots;
    prepared->slot_count = (int)(prepared->all_fit ? total : slots);
    prepared->slots = MEMORY_ARRAY(struct slot, prepared->slot_count);
    if (!prepared->all_fit) {
        prepared->bucket_count = 1;
        while (prepared->bucket_count < prepared->slot_count * 2)
            prepared->bucket_count *= 2;
        prepared->buckets = MEMORY_ARRAY(int, prepared->bucket_count);
    }
    start_empty(prepared);
    return prepared;
}

void prepared_free(struct prepared *prepared)
{
    if (prepared == NULL)
        return;
    memory_free(prepared->slots);
    memory_free(prepared->buckets);
    memory_free(prepared);
}

void prepared_forget(struct prepared *prepared)
{
    start_empty(prepared);
}

static int *bucket_of(struct prepared *prepared, int64_t key)
{
    return &prepared->buckets[rng_mix((uint64_t)key) & (uint64_t)(prepared->bucket_count - 1)];
}

static void leave_chain(struct prepared *prepared, int slot)
{
    int *at = bucket_of(prepared, prepared->slots[slot].key);

    while (*at != slot)
        at = &prepared->slots[*at].chain;
    *at = prepared->slots[slot].chain;
    prepared->slots[slot].key = -1;
}

static void make_newest(struct prepared *prepared, int slot)
{
    struct slot *moved = &prepared->slots[slot];

    if (prepared->newest == slot)
        return;
    prepared->slots[moved->newer].older = moved->older;
    if (moved->older >= 0)
        prepared->slots[moved->older].newer = moved->newer;
    else
        prepared->oldest = moved->newer;
    moved->newer = -1;
    moved->older = prepared->newest;
    prepared->slots[prepared->newest].newer = slot;
    prepared->newest = slot;
}

static struct prepared_slot use_among_many(struct prepared *prepared, int64_t key)
{
    int *bucket = bucket_of(prepared, key);
    int slot = *bucket;
    bool evicted;

    while (slot >= 0 && prepared->slots[slot].key != key)
        slot = prepared->slots[slot].chain;
    if (slot >= 0) {
        make_newest(prepared, slot);
        return (struct prepared_slot){ .slot = slot, .name = &names[slot] };
    }
    slot = prepared->oldest;
    evicted = prepared->slots[slot].key >= 0 || prepared->slots[slot].doubtful;
    if (prepared->slots[slot].key >= 0)
        leave_chain(prepared, slot);
    prepared->slots[slot].doubtful = false;
    prepared->slots[slot].key = key;
    prepared->slots[slot].chain = *bucket;
    *bucket = slot;
    make_newest(prepared, slot);
    return (struct prepared_slot){
        .slot = slot, .name = &names[slot], .fresh = true, .evicted = evicted
    };
}

struct prepared_slot prepared_use(struct prepared *prepared, int64_t key)
{
    struct prepared_slot use;

    if (!prepared->all_fit)
        return use_among_many(prepared, key);
    use = (struct prepared_slot){ .slot = (int)key,
                                  .name = &names[key],
                                  .fresh = prepared->slots[key].key < 0,
                                  .evicted = prepared->slots[key].doubtful };
    prepared->slots[key].key = key;
    prepared->slots[key].doubtful = false;
    return use;
}

void prepared_drop(struct prepared *prepared, int slot)
{
    if (prepared->slots[slot].key < 0)
        return;
    prepared->slots[slot].doubtful = true;
    if (prepared->all_fit)
        prepared->slots[slot].key = -1;
    else
        leave_chain(prepared, slot);
}
