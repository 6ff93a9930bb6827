/**
 * Precompiles over the host's OpenSSL and WebAssembly. Functions that the host lacks or computes incorrectly stay
 * portable, without a message.
 * @module
 */
import { createHash } from 'node:crypto'
import { deferPrecompile, installPrecompile } from '../../../src/evm/precompiles/install.ts'
import type { InstallablePrecompile } from '../../../src/evm/precompiles/knownValues.ts'
import type { RunPrecompile } from '../../../src/evm/precompiles/runPrecompile.ts'
import { createWasmBlake2f } from '../../shared/wasmBlake2f.ts'
import { createP256Verify } from './p256.ts'

/** Deno's key exchange takes several times as long as the portable curve. */
const isDeno: boolean = 'Deno' in globalThis

const CANDIDATES: readonly (readonly [InstallablePrecompile, () => RunPrecompile])[] = [
  ['SHA256', () => sha256],
  ['RIPEMD160', () => ripemd160],
  ['BLAKE2F', createWasmBlake2f],
  ...(isDeno ? [] : [['P256VERIFY', createP256Verify] as const]),
]

/** @returns the names of the installed precompiles */
export function installNodePrecompiles(): InstallablePrecompile[] {
  const installed: InstallablePrecompile[] = []
  for (const [name, create] of CANDIDATES) {
    try {
      installPrecompile(name, create())
      installed.push(name)
    } catch {}
  }
  return installed
}

/** Each precompile is installed by its first call. */
export function deferNodePrecompiles(): void {
  for (const [name, create] of CANDIDATES) deferPrecompile(name, create)
}

/** Returns a copy, because a digest may be part of a shared buffer. */
export function sha256(input: Uint8Array): Uint8Array {
  return Uint8Array.from(createHash('sha256').update(input).digest())
}

function ripemd160(input: Uint8Array): Uint8Array {
  const word = new Uint8Array(32)
  word.set(createHash('ripemd160').update(input).digest(), 12)
  return word
}
