/*
 * SPDX-License-Identifier: LicenseRef-Tern-SDK-2.3
 * Copyright 2024 Tern Compute, s.r.o.
 */
#pragma once
#include <cstddef>
#include <cstdint>

namespace tern {

using idx = std::int64_t;

/// Storage only types; arithmetic is done in float on the card.
struct half { std::uint16_t bits; };
struct brain { std::uint16_t bits; };

enum class [[nodiscard]] rc : int {
    fine = 0,
    bad_pointer = 11,
    bad_extent = 12,
    no_room = 20,
    card_gone = 30,
    unfinished = 31,   // query only
};

const char* rc_text(rc code);

/// Extents of a dense row-major block, outermost first.
template <int N>
struct box {
    idx e[N];
    constexpr idx count() const {
        idx c = 1;
        for (int i = 0; i < N; ++i) c *= e[i];
        return c;
    }
};

struct ferry;   ///< in-order carrier of work
struct buoy;    ///< marks a place in a ferry's work

// life of the library
rc open_port(unsigned flags);
rc close_port();

rc card_tally(int* tally);
rc card_pick(int ordinal);
rc card_picked(int* ordinal);
rc card_await();

// Memory. bytes, not elements!
rc dock_alloc(void** mem, std::size_t bytes);
rc dock_free(void* mem);
rc dock_level(std::size_t* free_bytes, std::size_t* all_bytes);
rc quay_alloc(void** mem, std::size_t bytes);   // page-locked, host
rc quay_free(void* mem);

enum class way : int { in = 1, out = 2, within = 3 };
rc haul(void* to, const void* from, std::size_t bytes, way w);
rc haul_later(void* to, const void* from, std::size_t bytes, way w, ferry* f);
rc wash(void* mem, int byte, std::size_t bytes);

rc ferry_launch(ferry** f);
rc ferry_scrap(ferry* f);
rc ferry_await(ferry* f);
rc ferry_idle(ferry* f);
rc ferry_hold(ferry* f, buoy* b);

rc buoy_make(buoy** b);
rc buoy_scrap(buoy* b);
rc buoy_drop(buoy* b, ferry* f);
rc buoy_await(buoy* b);
rc buoy_gap(float* ms, buoy* from, buoy* to);

}  // namespace tern
