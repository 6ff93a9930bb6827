import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ForkName, forkRules } from '../../../src/config/forks.ts'
import { nextDifficulty } from '../../../src/consensus/pow/difficulty.ts'
import { needsData } from '../../support/host/needsData.ts'
import { conformancePath } from '../../support/recorded/conformance.ts'

interface Entry {
  readonly currentBlockNumber: string
  readonly currentDifficulty: string
  readonly currentTimestamp: string
  readonly parentDifficulty: string
  readonly parentTimestamp: string
  readonly parentUncles: string
}

type VectorFile = Record<string, Record<string, Record<string, Entry>>>

/** @returns number of entries checked */
function checkFile(file: string): number {
  let checked = 0
  for (const suite of Object.values(JSON.parse(readFileSync(file, 'utf8')) as VectorFile)) {
    for (const [network, entries] of Object.entries(suite)) {
      if (network === '_info') continue
      const { difficulty } = forkRules((network.charAt(0).toLowerCase() + network.slice(1)) as ForkName)
      for (const [name, entry] of Object.entries(entries)) {
        const parent = {
          number: BigInt(entry.currentBlockNumber) - 1n,
          timestamp: BigInt(entry.parentTimestamp),
          difficulty: BigInt(entry.parentDifficulty),
          hasOmmers: BigInt(entry.parentUncles) > 0n,
        }
        const actual = nextDifficulty(parent, BigInt(entry.currentTimestamp), difficulty)
        expect(actual, `${path.basename(file)} ${name}`).toBe(BigInt(entry.currentDifficulty))
        checked++
      }
    }
  }
  return checked
}

describe('difficulty', () => {
  it('agrees with the official vectors in this repository', () => {
    expect(checkFile(path.join(import.meta.dirname, '../../vectors/ethereum-tests/difficulty.json'))).toBe(28)
  })

  const folder = conformancePath('ethereum-tests', 'DifficultyTests')
  it('agrees with every official vector', needsData('ethereum-tests/DifficultyTests'), () => {
    const files = readdirSync(folder ?? '', { recursive: true, encoding: 'utf8' }).filter((f) => f.endsWith('.json'))
    let checked = 0
    for (const file of files) checked += checkFile(path.join(folder ?? '', file))
    expect(checked).toBeGreaterThan(1000)
  })

  const parent = { number: 4_999_999n, timestamp: 1000n, difficulty: 2n ** 40n, hasOmmers: false }
  const homestead = 2n ** 40n + 2n ** 29n

  it.each([
    ['ecip1015', homestead + 2n ** 48n],
    ['dieHard', homestead + 2n ** 28n],
    ['gotham', homestead + 2n ** 28n],
    ['ecip1041', homestead],
    ['atlantis', homestead],
  ] as const)('follows the classic rule of %s', (fork, expected) => {
    expect(nextDifficulty(parent, 1001n, forkRules(fork).difficulty)).toBe(expected)
  })

  it('is not below the minimum and falls by at most 99 parts', () => {
    const { difficulty } = forkRules('atlantis')
    const late = parent.timestamp + 100_000n
    expect(nextDifficulty(parent, late, difficulty)).toBe(2n ** 40n - 99n * 2n ** 29n)
    expect(nextDifficulty({ ...parent, difficulty: 131_072n }, late, difficulty)).toBe(131_072n)
  })

  it('has no bomb before its first periods', () => {
    const early = { ...parent, number: 0n }
    expect(nextDifficulty(early, 1001n, forkRules('gotham').difficulty)).toBe(homestead)
    expect(nextDifficulty(early, 1001n, forkRules('grayGlacier').difficulty)).toBe(homestead)
  })
})
