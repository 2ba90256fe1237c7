/*
 * Call counters and injected faults (x1_sim.h).
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "internal.h"

enum { MAX_FAULTS = 16, ANY_KERNEL = X1I_FUNCTION_COUNT };

typedef enum effect { EFFECT_STATUS, EFFECT_HANG, EFFECT_SEGV, EFFECT_ABORT } effect;

typedef struct fault {
    effect effect;
    x1_status_t status;
    int function; /* an x1i_function, or ANY_KERNEL */
    unsigned long long at;
    bool onwards;
    unsigned long long seen;
} fault;

static const struct {
    const char *name;
    effect effect;
    x1_status_t status;
} kinds[] = {
    {"oom", EFFECT_STATUS, X1_ERROR_OUT_OF_MEMORY},
    {"device", EFFECT_STATUS, X1_ERROR_DEVICE},
    {"unsupported", EFFECT_STATUS, X1_ERROR_UNSUPPORTED},
    {"hang", EFFECT_HANG, X1_SUCCESS},
    {"segv", EFFECT_SEGV, X1_SUCCESS},
    {"abort", EFFECT_ABORT, X1_SUCCESS},
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fault faults[MAX_FAULTS];
static atomic_int fault_count; /* read without the lock: a healthy board pays one load per call */
static atomic_ullong calls[X1I_FUNCTION_COUNT];

static int find_function(const char *name, size_t length)
{
    for (int i = 0; i < X1I_FUNCTION_COUNT; ++i)
        if (strlen(x1i_name(i)) == length && memcmp(x1i_name(i), name, length) == 0) return i;
    return -1;
}

/* One KIND@FUNCTION:N[+] of `length` characters. */
static bool parse_fault(const char *text, size_t length, fault *out)
{
    const char *end = text + length;
    const char *at = memchr(text, '@', length);
    if (at == NULL) return false;
    const char *colon = memchr(at, ':', (size_t)(end - at));
    if (colon == NULL) return false;
    const size_t kind_length = (size_t)(at - text), function_length = (size_t)(colon - at - 1);
    size_t kind = 0;
    while (kind < sizeof kinds / sizeof *kinds &&
           (strlen(kinds[kind].name) != kind_length || memcmp(kinds[kind].name, text, kind_length) != 0))
        ++kind;
    if (kind == sizeof kinds / sizeof *kinds) return false;
    int function = find_function(at + 1, function_length);
    if (function_length == strlen("kernel") && memcmp(at + 1, "kernel", function_length) == 0) function = ANY_KERNEL;
    if (function < 0 || !isdigit((unsigned char)colon[1])) return false;
    char *rest;
    const unsigned long long number = strtoull(colon + 1, &rest, 10);
    const bool onwards = rest < end && *rest == '+';
    if (rest + onwards != end || number == 0) return false;
    *out = (fault){kinds[kind].effect, kinds[kind].status, function, number, onwards, 0};
    return true;
}

bool x1i_set_faults(const char *text)
{
    fault parsed[MAX_FAULTS];
    int count = 0;
    while (text != NULL && *text != '\0') {
        const size_t length = strcspn(text, ",");
        if (count == MAX_FAULTS || !parse_fault(text, length, &parsed[count])) return false;
        ++count;
        text += length;
        if (*text == ',' && *++text == '\0') return false;
    }
    pthread_mutex_lock(&lock);
    memcpy(faults, parsed, (size_t)count * sizeof *parsed);
    atomic_store(&fault_count, count);
    pthread_mutex_unlock(&lock);
    return true;
}

static x1_status_t suffer(x1i_function function, effect effect, x1_status_t status)
{
    switch (effect) {
    case EFFECT_HANG:
        for (;;) nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    case EFFECT_SEGV: {
        int *volatile nowhere = NULL; /* volatile: the compiler must not turn the fault into another one */
        *(volatile int *)nowhere = 0;
        break;
    }
    case EFFECT_ABORT: abort();
    case EFFECT_STATUS: break;
    }
    return x1i_fail(function, status, "injected fault");
}

x1_status_t x1i_strike(x1i_function function)
{
    atomic_fetch_add_explicit(&calls[function], 1, memory_order_relaxed);
    if (atomic_load_explicit(&fault_count, memory_order_relaxed) == 0) return X1_SUCCESS;
    const fault *struck = NULL;
    fault copy;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < atomic_load(&fault_count); ++i) {
        fault *f = &faults[i];
        if (f->function != (int)function && !(f->function == ANY_KERNEL && x1i_is_kernel(function))) continue;
        ++f->seen;
        if (struck == NULL && (f->seen == f->at || (f->onwards && f->seen > f->at))) {
            copy = *f;
            struck = &copy;
        }
    }
    pthread_mutex_unlock(&lock);
    return struck == NULL ? X1_SUCCESS : suffer(function, struck->effect, struck->status);
}

x1_status_t x1_sim_set_faults(const char *text) { return x1i_set_faults(text) ? X1_SUCCESS : X1_ERROR_INVALID_VALUE; }

uint64_t x1_sim_calls(const char *function)
{
    const int index = function == NULL ? -1 : find_function(function, strlen(function));
    return index < 0 ? UINT64_MAX : atomic_load_explicit(&calls[index], memory_order_relaxed);
}

void x1_sim_reset_calls(void)
{
    for (int i = 0; i < X1I_FUNCTION_COUNT; ++i) atomic_store_explicit(&calls[i], 0, memory_order_relaxed);
}
