import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, it } from 'vitest'
import { LARGE_STATE_ENTRIES } from '../../../src/base/limits/limits.ts'
import { bytesToHex, uintBytes } from '../../../src/base/primitives/bytes.ts'
import type { StateRoot } from '../../../src/state/contract.ts'
import { EMPTY_STATE_ROOT } from '../../../src/state/emptyRoot.ts'
import { commitSteps, rootSteps } from '../../../src/state/largeState.ts'
import { commitState } from '../../../src/state/stateCommit.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import type { WorldState } from '../../../src/state/worldState.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { StagedStore } from '../../../src/storage/stagedStore.ts'
import { Random } from '../../support/host/random.ts'

const ACCOUNTS = 400
const SLOTS = 600
const BLOCKS = 3
/** A longer piece of work would be divided into more steps. */
const LEAST_STEPS = 40
/** Far too small for the nodes of a block, so that they leave the cache between steps. */
const SMALL_CACHE = 20_000

const address = (n: number) => uintBytes(0xa000 + n, 20)
const word = (n: number) => uintBytes(n, 32)

/** Changes many accounts and slots: new ones, others, and ones that disappear. */
function change(state: WorldState, random: Random): void {
  state.beginTransaction()
  for (let i = 0; i < ACCOUNTS; i++)
    state.setBalance(address(random.below(2 * ACCOUNTS)), BigInt(1 + random.below(1000)))
  for (const contract of [1, 2]) {
    if (random.chance(30)) state.deleteAccount(address(contract))
    state.setNonce(address(contract), 1n)
    for (let i = 0; i < SLOTS; i++)
      state.setStorage(address(contract), word(random.below(2 * SLOTS)), word(random.below(3)))
  }
  state.setCode(address(3), random.bytes(50))
  state.endTransaction({ selfDestructs: [address(4)], clearEmpty: true })
}

/** Takes all steps, with other work between them. */
function inSteps<T>(steps: Generator<void, T>, between: () => void): { readonly value: T; readonly count: number } {
  for (let count = 0; ; count++) {
    const { done, value } = steps.next()
    if (done) return { value, count }
    between()
  }
}

class Chain {
  readonly kv: MemoryStore = new MemoryStore()
  readonly states: StateStore
  root: StateRoot = EMPTY_STATE_ROOT
  version = 0

  constructor(nodeCacheBytes?: number) {
    this.states = new StateStore(this.kv, nodeCacheBytes === undefined ? {} : { nodeCacheBytes })
  }

  async block(seed: number, isStepped: boolean): Promise<number> {
    const stage = new StagedStore(this.kv)
    const state = this.states.mutable(this.root, stage)
    change(state, new Random(seed))
    expect(state.isLarge).toBe(true)
    const version = ++this.version
    const commit = { version, stage, block: { number: version, hash: word(version) } }
    const reader = this.states.reader(this.root)
    let reads = 0
    const between = (): void => void reader.getAccount(address(reads++ % ACCOUNTS))
    let count = 0
    if (isStepped) {
      count = inSteps(rootSteps(state.work()), between).count
      const committed = inSteps(commitSteps(state.work(), commit), between)
      count += committed.count
      this.root = committed.value
    } else this.root = state.persist(commit)
    await this.kv.commit(stage.mutations())
    return count
  }

  /** A hash of all entries. */
  content(): string {
    const hash = keccak_256.create()
    for (const [key, value] of this.kv.range({ prefix: new Uint8Array(0) })) hash.update(key).update(value)
    return bytesToHex(hash.digest())
  }
}

describe('a state with many changes', () => {
  it.each([undefined, SMALL_CACHE])(
    'is the same when it is committed in steps (cache of %s bytes)',
    async (cacheBytes) => {
      const [whole, stepped] = [new Chain(), new Chain(cacheBytes)]
      for (let block = 1; block <= BLOCKS; block++) {
        await whole.block(block, false)
        expect(await stepped.block(block, true)).toBeGreaterThan(LEAST_STEPS)
        expect(stepped.root).toEqual(whole.root)
        expect(stepped.content()).toBe(whole.content())
      }
    },
  )

  it('pauses within one storage of many slots, before and while anything is staged', async () => {
    const chain = new Chain()
    const slots = 20_000
    const write = async (first: number, count: number, value: number): Promise<readonly number[]> => {
      const stage = new StagedStore(chain.kv)
      const state = chain.states.mutable(chain.root, stage)
      state.beginTransaction()
      state.setNonce(address(1), 1n)
      for (let i = first; i < first + count; i++) state.setStorage(address(1), word(i), word(value))
      state.endTransaction({ selfDestructs: [], clearEmpty: true })
      state.rootHash()
      const version = ++chain.version
      const steps = commitState(state.work(), { version, stage, block: { number: version, hash: word(version) } })
      const staged: number[] = []
      const { value: root } = inSteps(steps, () => void staged.push(stage.mutations().length))
      chain.root = root
      await chain.kv.commit(stage.mutations())
      return staged
    }
    await write(1, 3, 1)
    const staged = await write(1, slots, 2)
    // The changes, their encoding, and the entries of the flat view.
    expect(staged.filter((count) => count === 0).length).toBeGreaterThan((3 * slots) / 2048)
    const reader = chain.states.reader(chain.root)
    for (const slot of [1, 3, 4, slots]) expect(reader.getStorage(address(1), word(slot))).toEqual(word(2))
    await write(2, 1, 3)
    const next = chain.states.reader(chain.root)
    expect([1, 2, 3].map((slot) => next.getStorage(address(1), word(slot)))).toEqual([word(2), word(3), word(2)])
  })

  it('is one of more entries than the limit', () => {
    const { states, root } = new Chain()
    const state = states.mutable(root)
    for (let i = 0; i < LARGE_STATE_ENTRIES; i++) state.setNonce(address(i), 1n)
    expect(state.isLarge).toBe(false)
    state.setNonce(address(LARGE_STATE_ENTRIES), 1n)
    expect(state.isLarge).toBe(true)
  })
})
