/* Insists on a platform, and declares one function for C++ alone. */
#if defined(PF_TARGET_EDGE)
typedef struct pfQueue *pfQueue_t;
#elif defined(PF_TARGET_CLOUD)
typedef int pfQueue_t;
#else
#error "define exactly one of PF_TARGET_EDGE or PF_TARGET_CLOUD"
#endif
#ifdef __cplusplus
extern "C" {
#endif
#if defined(PF_TARGET_EDGE) || defined(PF_TARGET_CLOUD)
int pf_add(pfQueue_t queue, const float *a, const float *b, float *c, int n);
#endif
#ifdef __cplusplus
int pf_mul(const float *a, const float *b, float *c, int n);
}
#endif
