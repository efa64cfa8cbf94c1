// What the compilers spell differently.
#pragma once

#if defined(_MSC_VER) && !defined(__clang__)
#define PACELINE_INLINE __forceinline
#define PACELINE_UNROLL
#else
#define PACELINE_INLINE inline __attribute__((always_inline))
// Loops over registers: their arrays only leave the stack when the loop is gone.
#if defined(__clang__)
#define PACELINE_UNROLL _Pragma("unroll")
#else
#define PACELINE_UNROLL _Pragma("GCC unroll 32")
#endif
#endif

// Have a register ready here. Without it GCC moves the sums of many rows past each other and spills
// them: products in AVX2 then take 1.7 times as long.
#if defined(_MSC_VER) && !defined(__clang__)
#define PACELINE_KEEP(x)
#else
#define PACELINE_KEEP(x) __asm__("" : "+x"(x))
#endif
