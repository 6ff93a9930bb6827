import process from 'node:process'
import type { Clock } from '../../../src/base/ports/host.ts'
import type { Evm } from '../../../src/evm/evm.ts'
import { loadNativeEvm } from '../../../src/evm/loadNativeEvm.ts'
import { loadReferenceEvm } from '../../../src/evm/loadReferenceEvm.ts'
import { testRandom } from '../host/testPorts.ts'
import { nativeModule } from './nativeModule.ts'

const loaded = new WeakMap<Clock, Promise<Evm>>()

/**
 * The EVM of the suite, selected by `ISONODE_TEST_EVM`: `native` (default) or `reference`. Chains with one clock share it,
 * because each new memory of a module makes Bun collect all garbage once the process has many of them.
 */
export function loadTestEvm(clock: Clock): Promise<Evm> {
  let evm = loaded.get(clock)
  if (evm === undefined) {
    evm = process.env['ISONODE_TEST_EVM'] === 'reference' ? loadReferenceEvm(clock) : loadTestNativeEvm(clock)
    loaded.set(clock, evm)
  }
  return evm
}

export async function loadTestNativeEvm(clock: Clock): Promise<Evm> {
  return loadNativeEvm(clock, testRandom, await nativeModule)
}
