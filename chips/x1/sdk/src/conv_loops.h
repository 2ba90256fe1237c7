/*
 * One image of a convolution; included once per accumulator type by conv.c, which defines
 *   ELEMENT              the type that inputs and weights are converted to, and that sums have
 *   NAME(x)              the name of x for this type
 *   ACCUMULATE(s, a, b)  s + a * b
 */

/* sums[r][0..width) += weights[r] * line[0..width * step) for four output channels. `step` is a constant at each
 * call, so that the loop is compiled for it. */
static inline void NAME(row)(ELEMENT *restrict sums, size_t width, const ELEMENT weights[4], const ELEMENT *restrict line,
                             size_t step)
{
    ELEMENT *restrict s0 = sums, *restrict s1 = s0 + width, *restrict s2 = s1 + width, *restrict s3 = s2 + width;
    const ELEMENT w0 = weights[0], w1 = weights[1], w2 = weights[2], w3 = weights[3];
    for (size_t x = 0; x < width; ++x) {
        const ELEMENT value = line[x * step];
        s0[x] = ACCUMULATE(s0[x], w0, value);
        s1[x] = ACCUMULATE(s1[x], w1, value);
        s2[x] = ACCUMULATE(s2[x], w2, value);
        s3[x] = ACCUMULATE(s3[x], w3, value);
    }
}

/* Up to four output channels from `channel`, one output row: sums[4][out_w] = bias, then every product in the order
 * of the weights. Channels behind the last are computed with weights of zero and dropped by the caller. */
static void NAME(lines)(const geometry *g, const ELEMENT *padded, const ELEMENT *weights, const ELEMENT *bias,
                        size_t channel, size_t count, size_t y, ELEMENT *sums)
{
    const size_t per_channel = g->group_in * g->kernel_h * g->kernel_w;
    const size_t group = channel / g->group_out;
    const size_t first_in = (X1_MUTANT_LAST_GROUP_WRONG && group + 1 == g->groups ? 0 : group) * g->group_in;
    const size_t step_h = read_step_h(g), step_w = read_step_w(g);
    for (size_t r = 0; r < 4; ++r) {
        const ELEMENT start = bias != NULL && r < count ? bias[X1_MUTANT_SHARED_BIAS ? 0 : channel + r] : (ELEMENT)0;
        for (size_t x = 0; x < g->out_w; ++x) sums[r * g->out_w + x] = start;
    }
    for (size_t i = 0; i < per_channel; ++i) {
        const size_t in = i / (g->kernel_h * g->kernel_w), kh = i / g->kernel_w % g->kernel_h, kw = i % g->kernel_w;
        const ELEMENT *line = padded + ((first_in + in) * g->padded_h + line_of(g, y * step_h + kh)) * g->padded_w + kw;
        ELEMENT w[4] = {0};
        for (size_t r = 0; r < count; ++r) w[r] = weights[(channel + r) * per_channel + i];
        if (step_w == 1)
            NAME(row)(sums, g->out_w, w, line, 1);
        else if (step_w == 2)
            NAME(row)(sums, g->out_w, w, line, 2);
        else
            NAME(row)(sums, g->out_w, w, line, 4);
    }
}

/* One image [in][h][w] into planes with room for the padding. */
static void NAME(pad)(const geometry *g, const ELEMENT *image, ELEMENT *padded)
{
    for (size_t c = 0; c < g->in; ++c)
        for (size_t y = 0; y < g->padded_h; ++y)
            for (size_t x = 0; x < g->padded_w; ++x) {
                const bool inside = y >= g->pad_h && y < g->pad_h + g->h && x >= g->pad_w && x < g->pad_w + g->w;
                ELEMENT value = 0;
                if (inside || X1_MUTANT_EDGE_PADDING)
                    value = image[(c * g->h + clamp(y, g->pad_h, g->h)) * g->w + clamp(x, g->pad_w, g->w)];
                padded[(c * g->padded_h + y) * g->padded_w + x] = value;
            }
}
