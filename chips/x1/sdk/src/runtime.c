/*
 * Life cycle, devices and error texts.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum { STATE_DOWN = 0, STATE_UP = 1, STATE_FORKED = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int state;
static int references;
static int devices;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static _Thread_local int current_device;
static _Thread_local char error_text[256];

static const struct {
    const char *name;
    bool kernel;
} functions[X1I_FUNCTION_COUNT] = {
#define X1I_ROW(name, kernel) {#name, kernel},
    X1I_FUNCTIONS(X1I_ROW)
#undef X1I_ROW
};

const char *x1i_name(x1i_function function) { return functions[function].name; }
bool x1i_is_kernel(x1i_function function) { return functions[function].kernel; }
int x1i_current_device(void) { return current_device; }
int x1i_device_count(void) { return devices; }

x1_status_t x1i_fail(x1i_function function, x1_status_t status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int head = snprintf(error_text, sizeof error_text, "%s: ", x1i_name(function));
    vsnprintf(error_text + head, sizeof error_text - (size_t)head, format, arguments);
    va_end(arguments);
    return status;
}

static x1_status_t check_state(x1i_function function, int now)
{
    if (now == STATE_FORKED)
        return x1i_fail(function, X1_ERROR_DEVICE, "the board was in use when this process was forked; "
                                                   "a child process cannot use it");
    return x1i_fail(function, X1_ERROR_NOT_INITIALIZED, "x1_init() has not been called");
}

x1_status_t x1i_enter(x1i_function function)
{
    const x1_status_t status = x1i_strike(function);
    if (status != X1_SUCCESS) return status;
    const int now = atomic_load_explicit(&state, memory_order_acquire);
    if (now != STATE_UP) return check_state(function, now);
    /* After a restart with fewer cores a thread may still point at one that is gone. */
    if (current_device >= devices && function != X1I_x1_set_device && devices > 0) current_device = 0;
    return X1_SUCCESS;
}

/* A driver's context does not survive fork(): the child's mappings are gone (MADV_DONTFORK) and every call says so. */
static void after_fork_in_child(void)
{
    if (atomic_load(&state) == STATE_DOWN) return;
    atomic_store(&state, STATE_FORKED);
    x1i_memory_forget();
}

static void install_fork_handler(void) { pthread_atfork(NULL, NULL, after_fork_in_child); }

/* "2G", "512M", "4096": bytes. */
static bool parse_bytes(const char *text, size_t *bytes)
{
    if (!isdigit((unsigned char)text[0])) return false;
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    int shift = 0;
    if (*end == 'K') shift = 10;
    if (*end == 'M') shift = 20;
    if (*end == 'G') shift = 30;
    if (shift != 0) ++end;
    if (*end != '\0' || value == 0 || value > (1ull << 40) >> shift) return false;
    *bytes = (size_t)(value << shift);
    return true;
}

static x1_status_t bring_up(void)
{
    size_t bytes = (size_t)2 << 30;
    int count = 2;
    const char *text = getenv("X1_SIM_MEMORY");
    if (text != NULL && !parse_bytes(text, &bytes))
        return x1i_fail(X1I_x1_init, X1_ERROR_INVALID_VALUE, "X1_SIM_MEMORY=%s is not a size", text);
    text = getenv("X1_SIM_DEVICES");
    if (text != NULL) {
        if (text[0] < '0' || text[0] > '0' + X1I_MAX_DEVICES || text[1] != '\0')
            return x1i_fail(X1I_x1_init, X1_ERROR_INVALID_VALUE, "X1_SIM_DEVICES=%s is not 0 to %d", text,
                            X1I_MAX_DEVICES);
        count = text[0] - '0';
    }
    const x1_status_t status = x1i_memory_open(count, bytes);
    if (status == X1_SUCCESS) devices = count;
    return status;
}

x1_status_t x1_init(void)
{
    /* Faults come first, so that they can strike the initialisation itself. */
    static atomic_flag faults_read = ATOMIC_FLAG_INIT;
    const char *faults = getenv("X1_SIM_FAULTS");
    if (faults != NULL && !atomic_flag_test_and_set(&faults_read) && !x1i_set_faults(faults)) {
        atomic_flag_clear(&faults_read);
        return x1i_fail(X1I_x1_init, X1_ERROR_INVALID_VALUE, "X1_SIM_FAULTS=%s is not a list of faults", faults);
    }
    x1_status_t status = x1i_strike(X1I_x1_init);
    if (status != X1_SUCCESS) return status;
    if (atomic_load(&state) == STATE_FORKED) return check_state(X1I_x1_init, STATE_FORKED);
    pthread_once(&fork_once, install_fork_handler);
    pthread_mutex_lock(&lock);
    if (references == 0) status = bring_up();
    if (status == X1_SUCCESS && ++references == 1) atomic_store_explicit(&state, STATE_UP, memory_order_release);
    pthread_mutex_unlock(&lock);
    return status;
}

x1_status_t x1_shutdown(void)
{
    X1I_ENTER(x1_shutdown);
    pthread_mutex_lock(&lock);
    x1_status_t status = X1_SUCCESS;
    if (references == 0) {
        status = check_state(X1I_x1_shutdown, STATE_DOWN);
    } else if (--references == 0) {
        atomic_store_explicit(&state, STATE_DOWN, memory_order_release);
        x1i_memory_close();
    }
    pthread_mutex_unlock(&lock);
    return status;
}

x1_status_t x1_get_device_count(int *count)
{
    X1I_ENTER(x1_get_device_count);
    if (count == NULL) return x1i_fail(X1I_x1_get_device_count, X1_ERROR_INVALID_VALUE, "count is NULL");
    *count = devices;
    return X1_SUCCESS;
}

static x1_status_t check_device(x1i_function function, int device)
{
    if (device >= 0 && device < devices) return X1_SUCCESS;
    return x1i_fail(function, X1_ERROR_INVALID_VALUE, "device %d does not exist; there are %d", device, devices);
}

x1_status_t x1_set_device(int device)
{
    X1I_ENTER(x1_set_device);
    const x1_status_t status = check_device(X1I_x1_set_device, device);
    if (status == X1_SUCCESS) current_device = device;
    return status;
}

x1_status_t x1_get_device(int *device)
{
    X1I_ENTER(x1_get_device);
    if (device == NULL) return x1i_fail(X1I_x1_get_device, X1_ERROR_INVALID_VALUE, "device is NULL");
    *device = current_device;
    return X1_SUCCESS;
}

x1_status_t x1_get_device_name(int device, char *name, size_t size)
{
    X1I_ENTER(x1_get_device_name);
    const x1_status_t status = check_device(X1I_x1_get_device_name, device);
    if (status != X1_SUCCESS) return status;
    if (name == NULL || size == 0)
        return x1i_fail(X1I_x1_get_device_name, X1_ERROR_INVALID_VALUE, "no room for the name");
    snprintf(name, size, "X1-Edge core %d", device);
    return X1_SUCCESS;
}

/* Kernels of this board are complete when they return. */
x1_status_t x1_device_synchronize(void)
{
    X1I_ENTER(x1_device_synchronize);
    return X1_SUCCESS;
}

const char *x1_get_last_error(void)
{
    x1i_strike(X1I_x1_get_last_error);
    return error_text;
}

x1_status_t x1_get_temperature(int device, float *celsius)
{
    X1I_ENTER(x1_get_temperature);
    const x1_status_t status = check_device(X1I_x1_get_temperature, device);
    if (status != X1_SUCCESS) return status;
    if (celsius == NULL) return x1i_fail(X1I_x1_get_temperature, X1_ERROR_INVALID_VALUE, "celsius is NULL");
    *celsius = 41.5f + 2.0f * (float)device;
    return X1_SUCCESS;
}
