import process from 'node:process'
import type { Engine } from '../../src/evm/engine.ts'
import { loadNativeEngine } from '../../src/evm/loadNativeEngine.ts'
import { loadReferenceEngine } from '../../src/evm/loadReferenceEngine.ts'
import type { Clock } from '../../src/ports/host.ts'

/** The engine that the suite runs on: `ISONODE_TEST_EVM`, `native` unless it says `reference`. */
export function loadTestEngine(clock: Clock): Promise<Engine> {
  return process.env['ISONODE_TEST_EVM'] === 'reference' ? loadReferenceEngine(clock) : loadNativeEngine(clock)
}
