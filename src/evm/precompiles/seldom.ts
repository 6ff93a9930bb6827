/**
 * Small precompiles that contracts rarely call. A page loads them when it needs them (seldom.page.ts).
 * @module
 */
import { blake2f } from './blake2f.ts'
import { modexp } from './modexp.ts'
import { ripemd160 } from './ripemd160.ts'
import type { RunPrecompile } from './runPrecompile.ts'

type SeldomName = 'RIPEMD160' | 'MODEXP' | 'BLAKE2F'

export const SELDOM: Readonly<Record<SeldomName, RunPrecompile>> = {
  RIPEMD160: ripemd160,
  MODEXP: modexp,
  BLAKE2F: blake2f,
}

/** Those whose code is loaded first. */
export const SELDOM_LIBRARIES: Readonly<Partial<Record<SeldomName | 'ECREC', { load(): Promise<void> }>>> = {}
