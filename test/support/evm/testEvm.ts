import process from 'node:process'
import type { Clock } from '../../../src/base/ports/host.ts'
import type { Evm } from '../../../src/evm/evm.ts'
import { loadNativeEvm } from '../../../src/evm/loadNativeEvm.ts'
import { loadReferenceEvm } from '../../../src/evm/loadReferenceEvm.ts'
import { testRandom } from '../host/testPorts.ts'
import { nativeModule } from './nativeModule.ts'

/** The EVM of the suite, selected by `ISONODE_TEST_EVM`: `native` (default) or `reference`. */
export function loadTestEvm(clock: Clock): Promise<Evm> {
  return process.env['ISONODE_TEST_EVM'] === 'reference' ? loadReferenceEvm(clock) : loadTestNativeEvm(clock)
}

export async function loadTestNativeEvm(clock: Clock): Promise<Evm> {
  return loadNativeEvm(clock, testRandom, await nativeModule)
}
