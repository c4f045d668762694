/* Test that unwinding by CFI reaches the caller at each instruction of
   functions of libmvec that call narrower ones.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The tunable in the Makefile makes powf such a function.  */

#include "../stdlib/tst-cfi-step.h"

#ifdef HAVE_CFI_STEP

# include <math.h>
# include <immintrin.h>
# include <sys/platform/x86.h>

# include <support/test-driver.h>

extern __m128 _ZGVbN4vv_powf (__m128, __m128);
extern void _ZGVcN4vvv_sincos (__m256d, __m128i, __m128i, __m128i, __m128i);
extern void _ZGVcN8vvv_sincosf (__m256, __m128i, __m128i, __m128i, __m128i,
				__m128i, __m128i, __m128i, __m128i);

static void __attribute__ ((noinline))
step_powf (void)
{
  __m128 two = _mm_set1_ps (2);
  start_steps ();
  __m128 result = _ZGVbN4vv_powf (two, two);
  stop_steps ();
  TEST_VERIFY (fabsf (result[3] - 4) < 1e-5);
}

/* Two pointers.  */
static inline __m128i
two (void *array, size_t size, int i)
{
  return _mm_set_epi64x ((intptr_t) array + size * (2 * i + 1),
			 (intptr_t) array + size * 2 * i);
}

static void __attribute__ ((noinline, target ("avx")))
step_sincos (void)
{
  double sines[4] = { 0 }, cosines[4] = { 0 };
  __m128i s0 = two (sines, sizeof *sines, 0);
  __m128i s1 = two (sines, sizeof *sines, 1);
  __m128i c0 = two (cosines, sizeof *cosines, 0);
  __m128i c1 = two (cosines, sizeof *cosines, 1);
  start_steps ();
  _ZGVcN4vvv_sincos (_mm256_set1_pd (0.5), s0, s1, c0, c1);
  stop_steps ();
  TEST_VERIFY (fabs (sines[3] - 0.479426) < 1e-5);
  TEST_VERIFY (fabs (cosines[3] - 0.877583) < 1e-5);
}

static void __attribute__ ((noinline, target ("avx")))
step_sincosf (void)
{
  float sines[8] = { 0 }, cosines[8] = { 0 };
  __m128i s[4], c[4];
  for (int i = 0; i < 4; ++i)
    {
      s[i] = two (sines, sizeof *sines, i);
      c[i] = two (cosines, sizeof *cosines, i);
    }
  start_steps ();
  _ZGVcN8vvv_sincosf (_mm256_set1_ps (0.5), s[0], s[1], s[2], s[3],
		      c[0], c[1], c[2], c[3]);
  stop_steps ();
  TEST_VERIFY (fabsf (sines[7] - 0.479426f) < 1e-5);
  TEST_VERIFY (fabsf (cosines[7] - 0.877583f) < 1e-5);
}

static int
do_test (void)
{
  prepare_steps ();

  step_powf ();
  check_steps (100);
  if (CPU_FEATURE_ACTIVE (AVX))
    {
      step_sincos ();
      step_sincosf ();
      check_steps (300);
    }
  return 0;
}

#endif

#include <support/test-driver.c>
