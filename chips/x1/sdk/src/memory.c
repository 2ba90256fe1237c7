/*
 * Device memory, copies and mapped host memory.
 *
 * A core's memory is one memfd mapped twice: `base` is PROT_NONE and is what users get addresses in, `mirror` is
 * the library's own mapping of the same pages. A host access through a device address therefore faults, on any
 * thread, while kernels work through the mirror. Mapped host memory works the same way: the device address is
 * taken from a reserved PROT_NONE range, and kernels translate it to the host's.
 *
 * The allocation unit is a page; `owner` tells for every page where its allocation starts, so that translating
 * an address is two array reads. Checks use the size that was asked for, to the byte.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

#define PAGE ((size_t)4096)
/* Freed allocations of this size and more give their pages back to the host. */
#define RETURN_BYTES ((size_t)64 << 10)

typedef struct run {
    size_t start, pages;
} run;

typedef struct board_memory {
    char *base;      /* PROT_NONE: the addresses of the device */
    char *mirror;    /* the same pages, readable and writable */
    uint32_t *owner; /* per page: 1 + first page of its allocation, 0 if free */
    size_t *size;    /* per first page: bytes asked for */
    run *free_runs;  /* by address; never adjacent to each other */
    size_t free_count, free_capacity;
    size_t pages, pages_free;
    int file;
} board_memory;

typedef struct mapping {
    char *device; /* PROT_NONE, page-aligned */
    char *host;
    size_t bytes;
} mapping;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static board_memory boards[X1I_MAX_DEVICES];
static int board_count;
static mapping *mappings; /* by device address */
static size_t mapping_count, mapping_capacity;

static size_t pages_of(size_t bytes) { return bytes / PAGE + (bytes % PAGE != 0); }

/* ---- life cycle ----------------------------------------------------------- */

static void *reserve(size_t bytes)
{
    void *range = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return range == MAP_FAILED ? NULL : range;
}

static void close_board(board_memory *board)
{
    const size_t bytes = board->pages * PAGE;
    if (board->base != NULL) munmap(board->base, bytes);
    if (board->mirror != NULL) munmap(board->mirror, bytes);
    if (board->owner != NULL) munmap(board->owner, board->pages * sizeof *board->owner);
    if (board->size != NULL) munmap(board->size, board->pages * sizeof *board->size);
    if (board->file >= 0) close(board->file);
    free(board->free_runs);
    *board = (board_memory){.file = -1};
}

static bool open_board(board_memory *board, size_t bytes)
{
    *board = (board_memory){.pages = pages_of(bytes), .file = memfd_create("x1-device-memory", MFD_CLOEXEC)};
    bytes = board->pages * PAGE;
    board->pages_free = board->pages;
    if (board->file < 0 || ftruncate(board->file, (off_t)bytes) != 0) return false;
    void *base = mmap(NULL, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, board->file, 0);
    if (base != MAP_FAILED) board->base = base;
    void *mirror = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, board->file, 0);
    if (mirror != MAP_FAILED) board->mirror = mirror;
    board->owner = reserve(board->pages * sizeof *board->owner);
    board->size = reserve(board->pages * sizeof *board->size);
    board->free_capacity = 64;
    board->free_runs = malloc(board->free_capacity * sizeof *board->free_runs);
    if (!board->base || !board->mirror || !board->owner || !board->size || !board->free_runs) return false;
    board->free_runs[0] = (run){0, board->pages};
    board->free_count = 1;
    /* A child process must not reach the board through its parent's mappings. */
    return madvise(board->base, bytes, MADV_DONTFORK) == 0 && madvise(board->mirror, bytes, MADV_DONTFORK) == 0;
}

x1_status_t x1i_memory_open(int devices, size_t bytes)
{
    pthread_mutex_lock(&lock);
    bool opened = true;
    for (board_count = 0; board_count < devices && opened; ++board_count)
        opened = open_board(&boards[board_count], bytes);
    pthread_mutex_unlock(&lock);
    if (opened) return X1_SUCCESS;
    x1i_memory_close();
    return x1i_fail(X1I_x1_init, X1_ERROR_DEVICE, "the host cannot hold %d x %zu bytes of board memory", devices, bytes);
}

void x1i_memory_close(void)
{
    pthread_mutex_lock(&lock);
    while (board_count > 0) close_board(&boards[--board_count]);
    while (mapping_count > 0) {
        --mapping_count;
        munmap(mappings[mapping_count].device, pages_of(mappings[mapping_count].bytes) * PAGE);
    }
    free(mappings);
    mappings = NULL;
    mapping_capacity = 0;
    pthread_mutex_unlock(&lock);
}

void x1i_memory_forget(void)
{
    for (int i = 0; i < board_count; ++i) close(boards[i].file);
    board_count = 0;
    mapping_count = 0;
}

/* ---- translation ---------------------------------------------------------- */

/* Index of the first mapping whose device address is above `address`. */
static size_t mapping_above(const char *address)
{
    size_t low = 0, high = mapping_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (mappings[middle].device <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The device whose address range holds `address`, or -1. */
static int device_of(const char *address)
{
    for (int i = 0; i < board_count; ++i)
        if (address >= boards[i].base && address < boards[i].base + boards[i].pages * PAGE) return i;
    return -1;
}

/* Fills host and room; returns NULL, or what is wrong with the address. Lock held. */
static const char *translate(x1i_operand *operand)
{
    const char *address = operand->address;
    const int device = device_of(address);
    if (device >= 0) {
        const board_memory *board = &boards[device];
        if (device != x1i_current_device()) return "belongs to another device than the current one";
        const size_t offset = (size_t)(address - board->base);
        const uint32_t owner = board->owner[offset / PAGE];
        if (owner == 0) return "is not in a live allocation";
        const size_t inside = offset - (size_t)(owner - 1) * PAGE;
        const size_t size = board->size[owner - 1];
        operand->room = inside < size ? size - inside : 0;
        operand->host = board->mirror + offset;
    } else {
        const size_t above = mapping_above(address);
        if (above == 0) return "is not device memory";
        const mapping *m = &mappings[above - 1];
        const size_t inside = (size_t)(address - m->device);
        if (inside >= m->bytes) return "is not device memory";
        operand->room = m->bytes - inside;
        operand->host = m->host + inside;
    }
    return operand->bytes <= operand->room ? NULL : "runs past the end of its allocation";
}

x1_status_t x1i_resolve(x1i_function function, x1i_operand *operands, int count)
{
    const char *wrong = NULL;
    int i = 0;
    pthread_mutex_lock(&lock);
    for (; i < count && wrong == NULL; ++i) {
        x1i_operand *operand = &operands[i];
        operand->host = NULL;
        operand->room = 0;
        if (operand->bytes == 0) continue;
        if (operand->address == NULL)
            wrong = "is NULL";
        else if ((uintptr_t)operand->address % operand->alignment != 0)
            wrong = "is not aligned to its element type";
        else
            wrong = translate(operand);
    }
    pthread_mutex_unlock(&lock);
    if (wrong == NULL) return X1_SUCCESS;
    const x1i_operand *bad = &operands[i - 1];
    return x1i_fail(function, X1_ERROR_INVALID_VALUE, "%s (%p, %zu bytes) %s", bad->name, bad->address, bad->bytes,
                    wrong);
}

bool x1i_overlap(const x1i_operand *a, const x1i_operand *b)
{
    const uintptr_t first = (uintptr_t)a->host, second = (uintptr_t)b->host;
    return a->bytes != 0 && b->bytes != 0 && first < second + b->bytes && second < first + a->bytes;
}

/* ---- allocation ----------------------------------------------------------- */

static bool insert_run(board_memory *board, size_t at, run value)
{
    if (board->free_count == board->free_capacity) {
        run *grown = realloc(board->free_runs, 2 * board->free_capacity * sizeof *grown);
        if (grown == NULL) return false;
        board->free_runs = grown;
        board->free_capacity *= 2;
    }
    memmove(&board->free_runs[at + 1], &board->free_runs[at], (board->free_count - at) * sizeof(run));
    board->free_runs[at] = value;
    ++board->free_count;
    return true;
}

static void remove_run(board_memory *board, size_t at)
{
    --board->free_count;
    memmove(&board->free_runs[at], &board->free_runs[at + 1], (board->free_count - at) * sizeof(run));
}

/* First fit. Returns the first page, or SIZE_MAX. */
static size_t take_pages(board_memory *board, size_t pages)
{
    for (size_t i = 0; i < board->free_count; ++i) {
        run *r = &board->free_runs[i];
        if (r->pages < pages) continue;
        const size_t start = r->start;
        r->start += pages;
        r->pages -= pages;
        if (r->pages == 0) remove_run(board, i);
        board->pages_free -= pages;
        return start;
    }
    return SIZE_MAX;
}

static bool give_pages(board_memory *board, size_t start, size_t pages)
{
    size_t low = 0, high = board->free_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (board->free_runs[middle].start < start)
            low = middle + 1;
        else
            high = middle;
    }
    run *before = low > 0 ? &board->free_runs[low - 1] : NULL;
    run *after = low < board->free_count ? &board->free_runs[low] : NULL;
    const bool joins_before = before != NULL && before->start + before->pages == start;
    const bool joins_after = after != NULL && start + pages == after->start;
    if (joins_before && joins_after) {
        before->pages += pages + after->pages;
        remove_run(board, low);
    } else if (joins_before) {
        before->pages += pages;
    } else if (joins_after) {
        after->start = start;
        after->pages += pages;
    } else if (!insert_run(board, low, (run){start, pages})) {
        return false;
    }
    board->pages_free += pages;
    return true;
}

x1_status_t x1_malloc(void **ptr, size_t size)
{
    X1I_ENTER(x1_malloc);
    if (ptr == NULL) return x1i_fail(X1I_x1_malloc, X1_ERROR_INVALID_VALUE, "ptr is NULL");
    *ptr = NULL;
    const int device = x1i_current_device();
    if (device >= x1i_device_count()) return x1i_fail(X1I_x1_malloc, X1_ERROR_INVALID_VALUE, "there is no device");
    if (size == 0) return x1i_fail(X1I_x1_malloc, X1_ERROR_INVALID_VALUE, "size is 0");
    const size_t pages = pages_of(size);
    pthread_mutex_lock(&lock);
    board_memory *board = &boards[device];
    const size_t start = take_pages(board, pages), left = board->pages_free * PAGE;
    if (start != SIZE_MAX) {
        for (size_t i = 0; i < pages; ++i) board->owner[start + i] = (uint32_t)start + 1;
        board->size[start] = size;
        *ptr = board->base + start * PAGE;
    }
    pthread_mutex_unlock(&lock);
    if (start != SIZE_MAX) return X1_SUCCESS;
    return x1i_fail(X1I_x1_malloc, X1_ERROR_OUT_OF_MEMORY, "%zu bytes on device %d, where %zu are free", size, device,
                    left);
}

x1_status_t x1_free(void *ptr)
{
    X1I_ENTER(x1_free);
    if (ptr == NULL) return X1_SUCCESS;
    bool freed = false;
    pthread_mutex_lock(&lock);
    const int device = device_of(ptr);
    if (device >= 0) {
        board_memory *board = &boards[device];
        const size_t offset = (size_t)((char *)ptr - board->base), start = offset / PAGE;
        if (offset % PAGE == 0 && board->owner[start] == (uint32_t)start + 1) {
            const size_t bytes = board->size[start], pages = pages_of(bytes);
            freed = give_pages(board, start, pages);
            if (freed) {
                memset(&board->owner[start], 0, pages * sizeof *board->owner);
                if (bytes >= RETURN_BYTES)
                    fallocate(board->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(start * PAGE),
                              (off_t)(pages * PAGE));
            }
        }
    }
    pthread_mutex_unlock(&lock);
    return freed ? X1_SUCCESS : x1i_fail(X1I_x1_free, X1_ERROR_INVALID_VALUE, "%p is not a live allocation", ptr);
}

x1_status_t x1_mem_get_info(size_t *free_bytes, size_t *total_bytes)
{
    X1I_ENTER(x1_mem_get_info);
    if (free_bytes == NULL || total_bytes == NULL)
        return x1i_fail(X1I_x1_mem_get_info, X1_ERROR_INVALID_VALUE, "an argument is NULL");
    const int device = x1i_current_device();
    if (device >= x1i_device_count())
        return x1i_fail(X1I_x1_mem_get_info, X1_ERROR_INVALID_VALUE, "there is no device");
    pthread_mutex_lock(&lock);
    *free_bytes = boards[device].pages_free * PAGE;
    *total_bytes = boards[device].pages * PAGE;
    pthread_mutex_unlock(&lock);
    return X1_SUCCESS;
}

/* ---- copies --------------------------------------------------------------- */

/* Host memory is anything that is not an address of the device. */
static x1_status_t check_host(x1i_function function, const char *name, const void *host, size_t bytes)
{
    const char *wrong = NULL;
    if (host == NULL) {
        wrong = "is NULL";
    } else {
        const char *first = host;
        pthread_mutex_lock(&lock);
        for (int i = 0; i < board_count; ++i)
            if (first < boards[i].base + boards[i].pages * PAGE && boards[i].base < first + bytes)
                wrong = "is device memory";
        const size_t above = mapping_above(first + bytes - 1);
        if (above > 0 && first < mappings[above - 1].device + mappings[above - 1].bytes) wrong = "is a device address";
        pthread_mutex_unlock(&lock);
    }
    if (wrong == NULL) return X1_SUCCESS;
    return x1i_fail(function, X1_ERROR_INVALID_VALUE, "%s (%p, %zu bytes) %s; host memory was expected", name, host,
                    bytes, wrong);
}

x1_status_t x1_memcpy(void *dst, const void *src, size_t size, x1_memcpy_kind_t kind)
{
    X1I_ENTER(x1_memcpy);
    const x1i_function self = X1I_x1_memcpy;
    const int code = (int)kind;
    if (code < X1_MEMCPY_HOST_TO_DEVICE || code > X1_MEMCPY_DEVICE_TO_DEVICE)
        return x1i_fail(self, X1_ERROR_INVALID_VALUE, "kind %d does not exist", code);
    if (size == 0) return X1_SUCCESS;
    const bool to_device = kind != X1_MEMCPY_DEVICE_TO_HOST, from_device = kind != X1_MEMCPY_HOST_TO_DEVICE;
    x1i_operand sides[2] = {{"dst", dst, to_device ? size : 0, 1, NULL, 0},
                            {"src", src, from_device ? size : 0, 1, NULL, 0}};
    x1_status_t status = x1i_resolve(self, sides, 2);
    if (status == X1_SUCCESS && !to_device) status = check_host(self, "dst", dst, size);
    if (status == X1_SUCCESS && !from_device) status = check_host(self, "src", src, size);
    if (status != X1_SUCCESS) return status;
    memmove(to_device ? sides[0].host : dst, from_device ? sides[1].host : src, size);
    return X1_SUCCESS;
}

x1_status_t x1_memset(void *ptr, int value, size_t size)
{
    X1I_ENTER(x1_memset);
    x1i_operand target = {"ptr", ptr, size, 1, NULL, 0};
    const x1_status_t status = x1i_resolve(X1I_x1_memset, &target, 1);
    if (status == X1_SUCCESS && size != 0) memset(target.host, value, size);
    return status;
}

/* ---- mapped host memory ---------------------------------------------------- */

static bool insert_mapping(mapping value)
{
    if (mapping_count == mapping_capacity) {
        const size_t capacity = mapping_capacity == 0 ? 64 : 2 * mapping_capacity;
        mapping *grown = realloc(mappings, capacity * sizeof *grown);
        if (grown == NULL) return false;
        mappings = grown;
        mapping_capacity = capacity;
    }
    const size_t at = mapping_above(value.device);
    memmove(&mappings[at + 1], &mappings[at], (mapping_count - at) * sizeof *mappings);
    mappings[at] = value;
    ++mapping_count;
    return true;
}

x1_status_t x1_mem_map(void *host_ptr, size_t size, void **device_ptr)
{
    X1I_ENTER(x1_mem_map);
    const x1i_function self = X1I_x1_mem_map;
    if (device_ptr == NULL) return x1i_fail(self, X1_ERROR_INVALID_VALUE, "device_ptr is NULL");
    *device_ptr = NULL;
    if (size == 0 || (uintptr_t)host_ptr % PAGE != 0)
        return x1i_fail(self, X1_ERROR_INVALID_VALUE, "%p, %zu bytes, is not page-aligned host memory", host_ptr, size);
    x1_status_t status = check_host(self, "host_ptr", host_ptr, size);
    if (status != X1_SUCCESS) return status;
    /* Writes nothing back for anonymous memory; fails where a page of the range does not exist. */
    if (msync(host_ptr, pages_of(size) * PAGE, MS_ASYNC) != 0)
        return x1i_fail(self, X1_ERROR_INVALID_VALUE, "%p, %zu bytes, is not mapped in this process", host_ptr, size);
    char *alias = mmap(NULL, pages_of(size) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (alias == MAP_FAILED) return x1i_fail(self, X1_ERROR_OUT_OF_MEMORY, "no addresses left for %zu bytes", size);
    char *host = host_ptr;
    bool overlaps = false, inserted = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < mapping_count; ++i)
        overlaps |= host < mappings[i].host + mappings[i].bytes && mappings[i].host < host + size;
    if (!overlaps) inserted = insert_mapping((mapping){alias, host, size});
    pthread_mutex_unlock(&lock);
    if (inserted) {
        *device_ptr = alias;
        return X1_SUCCESS;
    }
    munmap(alias, pages_of(size) * PAGE);
    if (overlaps) return x1i_fail(self, X1_ERROR_INVALID_VALUE, "%p, %zu bytes, is mapped already", host_ptr, size);
    return x1i_fail(self, X1_ERROR_OUT_OF_MEMORY, "no memory for the table of mappings");
}

x1_status_t x1_mem_unmap(void *host_ptr)
{
    X1I_ENTER(x1_mem_unmap);
    char *alias = NULL;
    size_t bytes = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < mapping_count && alias == NULL; ++i) {
        if (mappings[i].host != host_ptr) continue;
        alias = mappings[i].device;
        bytes = mappings[i].bytes;
        --mapping_count;
        memmove(&mappings[i], &mappings[i + 1], (mapping_count - i) * sizeof *mappings);
    }
    pthread_mutex_unlock(&lock);
    if (alias == NULL) return x1i_fail(X1I_x1_mem_unmap, X1_ERROR_INVALID_VALUE, "%p is not mapped", host_ptr);
    munmap(alias, pages_of(bytes) * PAGE);
    return X1_SUCCESS;
}

/* ---- miscellaneous ---------------------------------------------------------- */

x1_status_t x1_crc32(const void *data, size_t size, uint32_t *crc)
{
    X1I_ENTER(x1_crc32);
    if (crc == NULL) return x1i_fail(X1I_x1_crc32, X1_ERROR_INVALID_VALUE, "crc is NULL");
    x1i_operand source = {"data", data, size, 1, NULL, 0};
    const x1_status_t status = x1i_resolve(X1I_x1_crc32, &source, 1);
    if (status != X1_SUCCESS) return status;
    const uint8_t *bytes = source.host;
    uint32_t sum = 0xffffffffu;
    for (size_t i = 0; i < size; ++i) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ (0xedb88320u & (0u - (sum & 1u)));
    }
    *crc = ~sum;
    return X1_SUCCESS;
}

x1_status_t x1_dma_benchmark(size_t size, double *gbps)
{
    X1I_ENTER(x1_dma_benchmark);
    const x1i_function self = X1I_x1_dma_benchmark;
    if (gbps == NULL || size == 0) return x1i_fail(self, X1_ERROR_INVALID_VALUE, "gbps is NULL or size is 0");
    void *device = NULL, *host = calloc(1, size);
    if (host == NULL) return x1i_fail(self, X1_ERROR_OUT_OF_MEMORY, "no host memory for %zu bytes", size);
    x1_status_t status = x1_malloc(&device, size);
    struct timespec start, stop;
    clock_gettime(CLOCK_MONOTONIC, &start);
    if (status == X1_SUCCESS) status = x1_memcpy(device, host, size, X1_MEMCPY_HOST_TO_DEVICE);
    clock_gettime(CLOCK_MONOTONIC, &stop);
    const double seconds = (double)(stop.tv_sec - start.tv_sec) + 1e-9 * (double)(stop.tv_nsec - start.tv_nsec);
    if (status == X1_SUCCESS) *gbps = (double)size / (seconds > 1e-9 ? seconds : 1e-9) * 1e-9;
    x1_free(device);
    free(host);
    return status;
}
