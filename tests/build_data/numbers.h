/* Tensors are numbers that a session's table gives out; a card is opened, and its session is a number too. */
#ifndef NB_NUMBERS_H
#define NB_NUMBERS_H

typedef int nb32;

#define NB_F32 0
#define NB_S32 1
#define NB_U8 2

/* ---- card: all functions give >= 0 on success, < 0 is an error */
nb32 nb_open(nb32 card);  /* gives a session id */
nb32 nb_close(nb32 sess);
nb32 nb_wait(nb32 sess, nb32 ms);

/* ---- tensors, numbers that the card's tensor table gives out */
nb32 nb_new(nb32 sess, nb32 type, nb32 ndim, const nb32 *dim); /* gives a tensor id */
nb32 nb_del(nb32 sess, nb32 t);
nb32 nb_put(nb32 sess, nb32 t, const void *host, nb32 bytes);
nb32 nb_get(nb32 sess, nb32 t, void *host, nb32 bytes);

/* ---- arithmetic: r is the result, it must exist and have the right dims */
nb32 nb_add(nb32 sess, nb32 r, nb32 a, nb32 b);
nb32 nb_sub(nb32 sess, nb32 r, nb32 a, nb32 b);
nb32 nb_relu(nb32 sess, nb32 r, nb32 a);
nb32 nb_clip(nb32 sess, nb32 r, nb32 a, float lo, float hi);
nb32 nb_cmp_lt(nb32 sess, nb32 r, nb32 a, nb32 b); /* r is u8 */
nb32 nb_mux(nb32 sess, nb32 r, nb32 sel, nb32 a, nb32 b); /* sel ? a : b */
nb32 nb_sum(nb32 sess, nb32 r, nb32 a, nb32 axis);
nb32 nb_softmax(nb32 sess, nb32 r, nb32 a, nb32 axis);
nb32 nb_perm(nb32 sess, nb32 r, nb32 a, const nb32 *order);
nb32 nb_mm(nb32 sess, nb32 r, nb32 a, nb32 b); /* 2-d */

#endif
