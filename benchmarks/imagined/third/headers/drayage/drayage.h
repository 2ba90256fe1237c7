/*******************************************************************************
 *  Drayage host library                                            rev. 2.18
 *
 *  Copyright 2018-2026, Teamster Silicon, Inc. and its licensors.
 *  Licensed under the Apache License, Version 2.0 (the "License"); you may not
 *  use this file except in compliance with the License. You may obtain a copy
 *  at http://www.apache.org/licenses/LICENSE-2.0
 *
 *  Terms
 *    mule    an accelerator card
 *    paddock everything that a process has on a mule
 *    crate   memory on a mule
 *    pallet  host memory that mules can reach
 *    trail   jobs that are done one after the other
 *    cairn   a mark on a trail
 *    yoke    code for a mule; a harness is one entry of it
 ******************************************************************************/
#ifndef DRAYAGE_H
#define DRAYAGE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DRY_REVISION   218
#define DRY_DEPRECATED __attribute__((deprecated))

/* every call but a few gives a mood */
typedef enum dry_mood {
    DRY_CALM            = 0,
    DRY_STILL_WALKING   = 1,    /* not an error: not finished yet */
    DRY_NO_MULE         = 100,
    DRY_NO_SUCH_CRATE   = 101,
    DRY_OVERLOADED      = 102,  /* no memory */
    DRY_BAD_HANDS       = 103,  /* a bad argument */
    DRY_BOLTED          = 104,  /* the mule has hung itself up */
    DRY_LAME            = 105,  /* hardware error, ECC */
    DRY_OLD_FIRMWARE    = 106
} dry_mood;

typedef int dry_mule;                        /* 0 .. n-1 */
typedef struct dry_paddock_s *dry_paddock;
typedef struct dry_trail_s   *dry_trail;     /* NULL is the trail of the paddock */
typedef struct dry_cairn_s   *dry_cairn;
typedef struct dry_yoke_s    *dry_yoke;
typedef struct dry_harness_s *dry_harness;
typedef struct dry_convoy_s  *dry_convoy;    /* mules that reduce and broadcast together */

enum dry_way { DRY_UPHILL = 1 /* host to mule */, DRY_DOWNHILL = 2 /* mule to host */, DRY_LEVEL = 3 /* mule to mule */ };
enum dry_cairn_trait { DRY_CAIRN_PLAIN = 0, DRY_CAIRN_NO_CLOCK = 1 };
enum dry_convoy_sum { DRY_SUM_F32, DRY_SUM_F16, DRY_MAX_F32, DRY_MIN_F32 };

typedef struct dry_mule_facts {
    char     name[64];
    uint32_t cores;
    uint32_t clock_khz;
    uint64_t crate_bytes;
    int      numa_node;
    uint32_t fw;
    uint32_t spare[9];
} dry_mule_facts;

typedef struct dry_load {                    /* how a harness is spread over cores */
    uint32_t teams, per_team;
    uint32_t local_bytes;
} dry_load;

typedef void (*dry_yell)(dry_mood mood, const char *why, void *whose);

/* ---------------------------------------------------------------- the library */
dry_mood dry_saddle_up(void);                        /* before anything else */
dry_mood dry_unsaddle(void);                         /* the last thing */
const char *dry_mood_words(dry_mood mood);
dry_mood dry_last_mood(void);                        /* of this thread; sets it back to calm */
dry_mood dry_on_yell(dry_yell yell, void *whose);
void dry_log(int level, const char *format, ...);
int dry_revision(void);

/* ---------------------------------------------------------------- mules */
dry_mood dry_count_mules(int *count);
dry_mood dry_mule_get_facts(dry_mule mule, dry_mule_facts *facts);
dry_mood dry_ride(dry_mule mule);                    /* calls of this thread go to that mule from now on */
dry_mood dry_riding(dry_mule *mule);                 /* which one? */
dry_mood dry_rest(void);                             /* until the mule has nothing left to do */
dry_mood dry_shoe(dry_mule mule);                    /* puts it back to the state after boot. All crates are lost! */
dry_mood dry_can_peer(dry_mule from, dry_mule to, int *yes);
dry_mood dry_pair(dry_mule from, dry_mule to);
dry_mood dry_max_teams(dry_mule mule, uint32_t *teams);
dry_mood dry_min_align(dry_mule mule, size_t *align);

dry_mood dry_paddock_fence(dry_mule mule, unsigned traits, dry_paddock *paddock);
dry_mood dry_paddock_open(dry_paddock paddock);      /* lets it go */

/* ---------------------------------------------------------------- crates */
dry_mood dry_crate(void **crate, size_t bytes);
dry_mood dry_crate_aligned(void **crate, size_t bytes, size_t align);
dry_mood dry_uncrate(void *crate);
dry_mood dry_crate_room(size_t *left, size_t *in_all);
dry_mood dry_crate_owner(const void *crate, dry_mule *mule, size_t *bytes);
dry_mood dry_pallet(void **pallet, size_t bytes);
dry_mood dry_unpallet(void *pallet);
dry_mood dry_strap(void *host, size_t bytes);        /* pins memory that is there already */
dry_mood dry_unstrap(void *host);
void *dry_pallet_seen_by(void *pallet, dry_mule mule);

/* blocks until it is done */
dry_mood dry_haul(void *to, const void *from, size_t bytes, enum dry_way way);
dry_mood dry_haul_along(void *to, const void *from, size_t bytes, enum dry_way way, dry_trail trail);
/* rows of `width` bytes, `height` of them */
dry_mood dry_haul_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, enum dry_way way);
dry_mood dry_haul_between(void *to, dry_mule to_mule, const void *from, dry_mule from_mule, size_t bytes, dry_trail trail);
/* many pieces in one go */
dry_mood dry_gather(void *to, const void *const *from, const size_t *bytes, size_t pieces, enum dry_way way, dry_trail trail);
dry_mood dry_scatter(void *const *to, const void *from, const size_t *bytes, size_t pieces, enum dry_way way, dry_trail trail);
dry_mood dry_whitewash(void *crate, int byte, size_t bytes);
dry_mood dry_whitewash_along(void *crate, int byte, size_t bytes, dry_trail trail);
dry_mood dry_whitewash_words(void *crate, uint32_t word, size_t words, dry_trail trail);
DRY_DEPRECATED dry_mood dry_transpose_bytes(void *to, const void *from, uint32_t rows, uint32_t cols); /* DMA test only */

/* ---------------------------------------------------------------- trails and cairns */
dry_mood dry_trail_blaze(dry_trail *trail);
dry_mood dry_trail_blaze_ranked(dry_trail *trail, unsigned traits, int rank);
dry_mood dry_trail_overgrow(dry_trail trail);        /* no more of it */
dry_mood dry_trail_walk_to_end(dry_trail trail);     /* waits */
dry_mood dry_trail_at_end(dry_trail trail);          /* calm or still walking */
dry_mood dry_trail_halt_for(dry_trail trail, dry_cairn cairn, unsigned traits);
dry_mood dry_trail_shout(dry_trail trail, void (*shout)(void *), void *whose);
dry_mood dry_cairn_pile(dry_cairn *cairn, enum dry_cairn_trait trait);
dry_mood dry_cairn_topple(dry_cairn cairn);
dry_mood dry_cairn_place(dry_cairn cairn, dry_trail trail);
dry_mood dry_cairn_reach(dry_cairn cairn);           /* the host waits for it */
dry_mood dry_cairn_passed(dry_cairn cairn);          /* calm or still walking */
dry_mood dry_cairn_apart(float *ms, dry_cairn earlier, dry_cairn later);

/* ---------------------------------------------------------------- code */
dry_mood dry_yoke_fit(const void *image, size_t bytes, dry_yoke *yoke);
dry_mood dry_yoke_off(dry_yoke yoke);
dry_mood dry_harness_of(dry_yoke yoke, const char *name, dry_harness *harness);
dry_mood dry_harness_pull(dry_harness harness, const dry_load *load, void **straps, size_t n_straps, dry_trail trail);
dry_mood dry_harness_add_strap(dry_harness harness, int position, const void *value, size_t bytes);

/* ---------------------------------------------------------------- convoys */
dry_mood dry_convoy_form(dry_convoy *convoy, const dry_mule *mules, int count);
dry_mood dry_convoy_disband(dry_convoy convoy);
dry_mood dry_convoy_sum(dry_convoy convoy, void *const *crates, size_t count, enum dry_convoy_sum how, dry_trail trail);   /* all-reduce */
dry_mood dry_convoy_tell(dry_convoy convoy, void *const *crates, size_t bytes, int root, dry_trail trail);                  /* broadcast */

#ifdef __cplusplus
}
#endif
#endif /* DRAYAGE_H */
