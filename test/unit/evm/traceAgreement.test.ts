// slow: generated programs on both EVMs
import { beforeAll, describe, expect, it } from 'vitest'
import type { Evm } from '../../../src/evm/evm.ts'
import { loadReferenceEvm } from '../../../src/evm/loadReferenceEvm.ts'
import { execute, prepare } from '../../fuzz/execute.mjs'
import { FUZZ_FORKS } from '../../fuzz/forks.mjs'
import { Fuzzer } from '../../fuzz/fuzzer.mjs'
import { testClock } from '../../support/evm/evm.ts'
import { loadTestNativeEvm } from '../../support/evm/testEvm.ts'
import { fuzzProject } from '../../support/host/fuzzProject.ts'
import { generatedCases } from '../../support/host/generatedCases.ts'
import { traceDifference } from './hooks/traceDifference.ts'
import { ViewRecorder } from './hooks/viewRecorder.ts'

type Drive = Parameters<typeof execute>[2]

const SEED = 23
const CASES = generatedCases(150)

describe('traces of the two EVMs', () => {
  let native: Evm
  let reference: Evm
  beforeAll(async () => {
    native = await loadTestNativeEvm(testClock)
    reference = await loadReferenceEvm(testClock)
  })

  async function linesOf(evm: Evm, prepared: ReturnType<typeof prepare>, drive: Drive) {
    const recorder = new ViewRecorder()
    const { hooks } = recorder
    const hooked: Evm = {
      name: evm.name,
      start: (message, environment, state, options) => evm.start(message, environment, state, { ...options, hooks }),
    }
    const { thrown } = await execute(prepared, hooked, drive)
    return { lines: recorder.lines, thrown }
  }

  it('are the same for any program', { timeout: 120_000 }, async () => {
    const fuzzer = new Fuzzer(fuzzProject, native)
    let seen = 0
    for (let caseNumber = 0; caseNumber < CASES; caseNumber++) {
      const fuzzCase = fuzzer.generate({ seed: SEED, caseNumber, forks: FUZZ_FORKS })
      const prepared = prepare(fuzzProject, fuzzCase)
      const theirs = await linesOf(reference, prepared, fuzzCase.drive)
      // The reference EVM supports an opcode that the fork lacks.
      if (theirs.thrown !== undefined) continue
      const ours = await linesOf(native, prepared, fuzzCase.drive)
      const difference = traceDifference(ours.lines, theirs.lines)
      expect({ caseNumber, fork: fuzzCase.fork, difference }).toEqual({ caseNumber, fork: fuzzCase.fork })
      seen += ours.lines.length
    }
    expect(seen).toBeGreaterThan(66 * CASES)
  })
})
