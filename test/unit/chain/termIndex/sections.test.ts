import { describe, expect, it } from 'vitest'
import { writeUint } from '../../../../src/base/primitives/bytes.ts'
import { encodeBlockTerms } from '../../../../src/chain/termIndex/blockTerms.ts'
import { SECTION_BLOCKS, SECTION_DEPTH } from '../../../../src/chain/termIndex/section.ts'
import { HEAD_STEP, retreat, sectionStep } from '../../../../src/chain/termIndex/sectionBuilder.ts'
import { TermIndex } from '../../../../src/chain/termIndex/termIndex.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { keys } from '../../../../src/storage/schema.ts'
import { numbers } from '../../../support/chains/indexedChain.ts'

const HEAD = SECTION_BLOCKS + SECTION_DEPTH - 1
const ACCOUNTS_PER_BLOCK = 300
/** Accessed in every block. */
const COMMON = new Uint8Array(20).fill(0xee)

function account(branch: number, block: number, index: number): Uint8Array {
  const address = new Uint8Array(20)
  writeUint(address, 0, branch, 4)
  writeUint(address, 8, block, 4)
  writeUint(address, 16, index, 4)
  return address
}

function blockHash(branch: number, block: number): Uint8Array {
  const hash = new Uint8Array(32)
  writeUint(hash, 0, branch, 4)
  writeUint(hash, 8, block, 4)
  return hash
}

/** Makes the blocks of a branch canonical from a number on. */
function putBranch(kv: MemoryStore, branch: number, from: number): void {
  kv.commit(retreat(kv, from))
  for (let block = from; block <= HEAD; block++) {
    const hash = blockHash(branch, block)
    const accounts = Array.from({ length: ACCOUNTS_PER_BLOCK }, (_, i) => account(branch, block, i))
    kv.commit([
      { key: keys.canonicalHash(block), value: hash },
      { key: keys.blockTerms(block, hash), value: encodeBlockTerms([], [...accounts, COMMON]) },
    ])
  }
}

function step(kv: MemoryStore): boolean {
  const mutations = sectionStep(kv, HEAD, HEAD_STEP)
  if (mutations !== undefined) kv.commit(mutations)
  return mutations !== undefined
}

function build(kv: MemoryStore): number {
  let steps = 0
  while (step(kv)) steps++
  return steps
}

function check(kv: MemoryStore, branchOf: (block: number) => number): void {
  const index = new TermIndex(kv)
  const find = (...accounts: readonly Uint8Array[]) => [...index.blocksWithAccounts(accounts, 0, HEAD)]
  for (let block = 0; block <= HEAD; block += 7) {
    const branch = branchOf(block)
    const wanted = account(branch, block, block % ACCOUNTS_PER_BLOCK)
    expect(find(wanted), `block ${block}`).toEqual([block])
    expect(find(account(1 - branch, block, 0))).toEqual([])
    expect(find(wanted, account(branchOf(0), 0, 5))).toEqual(block === 0 ? [0] : [0, block])
  }
  expect(find(COMMON)).toEqual(numbers(0, HEAD))
}

describe('sections of blocks with many terms', () => {
  const PARTING = 100
  const forked = (block: number): number => (block < PARTING ? 0 : 1)

  it('are built in several steps, and correct after each', () => {
    const kv = new MemoryStore()
    putBranch(kv, 0, 0)
    check(kv, () => 0)
    let steps = 0
    while (step(kv)) {
      steps++
      check(kv, () => 0)
    }
    expect(steps).toBeGreaterThan(2)
    expect(kv.get(keys.termSection(0))).toBeDefined()
  })

  it('are rebuilt, and never mixed, when a reorganisation reaches below them', () => {
    const kv = new MemoryStore()
    putBranch(kv, 0, 0)
    build(kv)
    putBranch(kv, 1, PARTING)
    check(kv, forked)
    step(kv)
    check(kv, forked)
    // Back to the first branch, while rows of both branches exist.
    putBranch(kv, 0, PARTING)
    check(kv, () => 0)
    step(kv)
    putBranch(kv, 1, PARTING)
    expect(build(kv)).toBeGreaterThan(2)
    check(kv, forked)
  })

  it('are not rebuilt when the same blocks become canonical again', () => {
    const kv = new MemoryStore()
    putBranch(kv, 0, 0)
    build(kv)
    putBranch(kv, 0, PARTING)
    expect(build(kv)).toBe(1)
    check(kv, () => 0)
  })
})
