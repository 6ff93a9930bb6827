import { describe, expect, it } from 'vitest'
import { forkRules } from '../../src/config/forks.ts'
import { loadReferenceEvm } from '../../src/evm/loadReferenceEvm.ts'
import { testClock } from '../support/evm/evm.ts'
import { fuzzProject } from '../support/host/fuzzProject.ts'
import { assemble } from './assembler.mjs'
import { FUZZ_FORKS } from './forks.mjs'
import { Fuzzer } from './fuzzer.mjs'
import { FAULT_NAMES, wrongEvm } from './wrongEvm.mjs'

const SEED = 1

describe('the EVM fuzzer', () => {
  it('generates the same case for the same seed', async () => {
    const fuzzer = new Fuzzer(fuzzProject, await loadReferenceEvm(testClock))
    const which = { seed: SEED, caseNumber: 7, forks: FUZZ_FORKS }
    expect(fuzzer.generate(which)).toEqual(fuzzer.generate(which))
    expect(fuzzer.generate({ ...which, caseNumber: 8 })).not.toEqual(fuzzer.generate(which))
  })

  it('knows only existing forks', () => {
    for (const fork of FUZZ_FORKS) expect(forkRules(fork as Parameters<typeof forkRules>[0]).name).toBe(fork)
  })

  it('finds no difference between the reference EVM and itself', { timeout: 60_000 }, async () => {
    const fuzzer = new Fuzzer(fuzzProject, await loadReferenceEvm(testClock))
    for (let caseNumber = 0; caseNumber < 60; caseNumber++) {
      const { differs } = await fuzzer.judge(fuzzer.generate({ seed: SEED, caseNumber, forks: FUZZ_FORKS }))
      expect({ caseNumber, differs }).toEqual({ caseNumber, differs: [] })
    }
  })

  const faults = FAULT_NAMES.filter((name) => name !== 'none')
  it.each(faults)('finds an EVM with a fault in %s, and shrinks the case', { timeout: 60_000 }, async (fault) => {
    const fuzzer = new Fuzzer(fuzzProject, wrongEvm(await loadReferenceEvm(testClock), fault))
    const generate = (caseNumber: number) => fuzzer.generate({ seed: SEED, caseNumber, forks: ['prague'] })
    let caseNumber = 0
    let { differs } = await fuzzer.judge(generate(caseNumber))
    while (differs.length === 0 && ++caseNumber < 1000) differs = (await fuzzer.judge(generate(caseNumber))).differs
    expect(differs, 'no case showed it').not.toEqual([])
    const small = await fuzzer.shrink(generate(caseNumber), differs)
    expect((await fuzzer.run(small)).differs).toEqual(differs)
    const tokens = Object.values(small.programs).flat()
    expect(tokens.length).toBeLessThan(40)
  })
})

describe('the assembler', () => {
  it('resolves labels, sizes and other programs', () => {
    const programs = {
      main: ['PUSH @end', 'JUMP', 'SIZE other', 'PUSH @other', 'PUSH 0x', ':end', 'DATA 0xfe5b', 'CODE other'],
      other: ['PUSH 0x0102', 'STOP'],
    }
    const code = Array.from(assemble('main', programs), (byte) => byte.toString(16).padStart(2, '0')).join('')
    expect(code).toBe('61000b5661000461000e5f5bfe5b61010200')
  })

  it('names undefined references', () => {
    expect(() => assemble('main', { main: ['PUSH @nowhere'] })).toThrow('no label nowhere')
    expect(() => assemble('main', { main: ['NOTHING'] })).toThrow('no opcode NOTHING')
    expect(() => assemble('other', {})).toThrow('no program other')
  })
})
