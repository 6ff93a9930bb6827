/**
 * The memory layout of the module, in bytes. AssemblyScript and TypeScript both compile this file, so it holds plain
 * numbers only. Keccak works below INPUT.
 * @module
 */

/** Written by the host: the pow hash, 32 bytes. */
export const INPUT = 0x4000
/** Written by the host for search(): the target, 32 bytes, big-endian. */
export const TARGET = 0x4040
/** Written by hash(): the mix hash and, 32 bytes later, the result. */
export const OUTPUT = 0x4080
/** The nonces of a search that are hashed together. */
export const LANE_NONCES = 4
/** LANE_NONCES seeds of 64 bytes. */
export const SEEDS = 0x4200
/** LANE_NONCES mixes of 128 bytes. */
export const MIXES = 0x4400
/** Two dataset items of 64 bytes for each nonce. */
export const ITEMS = 0x4800
/** Numbers of these items, u32. */
export const NUMBERS = 0x4c00
/** Rows of 64 bytes, to the end of the memory. */
export const CACHE = 0x10000
