// slow: generated states
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import type { MutableState, StateReader, StateRoot } from '../../../src/state/contract.ts'
import { EMPTY_STATE_ROOT } from '../../../src/state/emptyRoot.ts'
import { rebuildFlatView } from '../../../src/state/flatRebuild.ts'
import { checkState } from '../../../src/state/stateCheck.ts'
import { isSameRoot, readFlatPosition } from '../../../src/state/stateContext.ts'
import type { BlockId } from '../../../src/state/stateDiff.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import type { WorldState } from '../../../src/state/worldState.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { StagedStore } from '../../../src/storage/stagedStore.ts'
import { flatEntries } from '../../support/chains/flatEntries.ts'
import { LossyReader, retryMisses } from '../../support/chains/lossyReader.ts'
import { Random } from '../../support/host/random.ts'
import { runToEnd } from '../../support/host/runToEnd.ts'
import { BaseOfMaps, randomBase, remoteBlock } from './baseOfMaps.ts'
import { copyOf, type NaiveAccounts, NaiveState, ZERO } from './naiveState.ts'
import { ADDRESSES, randomTransaction, SLOTS, values } from './randomState.ts'

const word = (n: number) => Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? n & 255 : i === 30 ? n >> 8 : 0))
const FORK_BLOCK = remoteBlock(100)
const FORK_ROOT: StateRoot = { ...EMPTY_STATE_ROOT, base: FORK_BLOCK }
const ALL = new Uint8Array(32)

interface TestBlock {
  readonly id: BlockId
  readonly parent: TestBlock | undefined
  root: StateRoot
  accounts: NaiveAccounts
}

interface Variant {
  /** Whether the base and the store miss. */
  readonly misses: boolean
  readonly proves: boolean
  /** Whether everything is read before it is changed, and the store opened again for each block. */
  readonly readsAhead: boolean
}

/** Repeats every call until no data is missing. */
function retrying(state: WorldState): WorldState {
  return new Proxy(state, {
    get: (target, name) => {
      const member = Reflect.get(target, name, target) as unknown
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => retryMisses(() => (member as (...all: unknown[]) => unknown).apply(target, args))
    },
  })
}

function readAll(reader: StateReader, random: Random): void {
  for (let i = 0; i < 60; i++) {
    const address = hexToBytes(random.pick(ADDRESSES))
    retryMisses(() => [reader.getAccount(address), reader.getCode(address)])
    retryMisses(() => reader.getStorage(address, hexToBytes(random.pick(SLOTS))))
  }
}

function pathBetween(from: TestBlock, to: TestBlock) {
  const ancestors = new Set<TestBlock>()
  for (let at: TestBlock | undefined = from; at !== undefined; at = at.parent) ancestors.add(at)
  const redo: BlockId[] = []
  let common = to
  for (; !ancestors.has(common) && common.parent !== undefined; common = common.parent) redo.unshift(common.id)
  const undo: BlockId[] = []
  for (let at = from; at !== common && at.parent !== undefined; at = at.parent) undo.push(at.id)
  return { undo, redo }
}

/** A chain of random blocks over a random base, with reorganisations and amendments. */
class ForkChain {
  readonly kv = new MemoryStore()
  readonly base: BaseOfMaps
  readonly baseAccounts: NaiveAccounts
  readonly blocks: TestBlock[]
  readonly roots: string[] = []
  states: StateStore
  head: TestBlock
  readonly #random: Random
  readonly #noise: Random
  readonly #variant: Variant

  constructor(seed: number, variant: Variant) {
    this.#random = new Random(seed)
    this.#noise = new Random(seed + 1000)
    this.#variant = variant
    this.baseAccounts = randomBase(this.#random)
    this.base = new BaseOfMaps([[FORK_BLOCK, copyOf(this.baseAccounts)]], variant)
    const id = { number: FORK_BLOCK.number, hash: FORK_BLOCK.hash }
    this.head = { id, parent: undefined, root: FORK_ROOT, accounts: this.baseAccounts }
    this.blocks = [this.head]
    this.states = this.open()
  }

  open(): StateStore {
    const reader = this.#variant.misses ? new LossyReader(this.kv) : this.kv
    return new StateStore(reader, { base: this.base, nodeCacheBytes: this.#noise.pick([0, 1_000_000]) })
  }

  step(version: number): void {
    const { readsAhead, misses } = this.#variant
    if (readsAhead) this.states = this.open()
    if (misses && this.#noise.chance(30)) this.base.evict()
    const stage = new StagedStore(misses ? new LossyReader(this.kv) : this.kv)
    const random = this.#random
    if (this.head.parent !== undefined && random.chance(15) && !this.blocks.some((b) => b.parent === this.head)) {
      this.#amend(stage, version)
    } else if (random.chance(65)) {
      this.#extend(stage, version, random.chance(60) ? this.head : random.pick(this.blocks))
    } else {
      this.#moveTo(stage, random.pick(this.blocks))
    }
    this.kv.commit(stage.mutations())
  }

  #execute(parent: TestBlock, stage: StagedStore): { state: WorldState; model: NaiveState } {
    if (this.#variant.readsAhead) readAll(this.states.reader(parent.root, stage), this.#noise)
    const state = retrying(retryMisses(() => this.states.mutable(parent.root, stage)))
    const model = new NaiveState()
    model.accounts = copyOf(parent.accounts)
    for (let count = this.#random.below(3); count >= 0; count--) {
      randomTransaction(this.#random, state, model, expectSame)
      expectSame(state, model)
    }
    return { state, model }
  }

  /** A change from outside extends the diff of the head. */
  #amend(stage: StagedStore, version: number): void {
    const { head } = this
    const { state, model } = this.#execute(head, stage)
    const isOnFlat = retryMisses(() => isSameRoot(readFlatPosition(stage).root, head.root))
    const root = state.persist({ version, stage, block: head.id, amend: true })
    if (!isOnFlat) retryMisses(() => this.states.moveFlat(stage, [head.id], [head.id], root))
    head.root = root
    head.accounts = model.accounts
    this.roots.push(bytesToHex(root.hash))
  }

  #extend(stage: StagedStore, version: number, parent: TestBlock): void {
    const { state, model } = this.#execute(parent, stage)
    const id = { number: parent.id.number + 1, hash: word(version) }
    const root = state.persist({ version, stage, block: id, isSide: this.#random.chance(30) })
    const block = { id, parent, root, accounts: model.accounts }
    this.roots.push(bytesToHex(root.hash))
    this.blocks.push(block)
    if (parent !== this.head || this.#random.chance(50)) return
    expect(retryMisses(() => this.states.moveFlat(stage, [], [id], root))).toBe(true)
    this.head = block
  }

  #moveTo(stage: StagedStore, target: TestBlock): void {
    const { undo, redo } = pathBetween(this.head, target)
    if (undo.length + redo.length > 0) {
      expect(retryMisses(() => this.states.moveFlat(stage, undo, redo, target.root))).toBe(true)
    }
    this.head = target
  }
}

function expectSame(state: MutableState, model: NaiveState): void {
  const { mine, expected } = values(state, model)
  expect(mine).toEqual(expected)
}

/** Reads a whole state, and checks that the base was asked only for what is not stored. */
function expectState(chain: ForkChain, states: StateStore, { root, accounts }: TestBlock): void {
  const stored = new Map(
    retryMisses(() => states.storedAccounts(root, ALL, 100)).map(({ address = ALL, account }) => [
      bytesToHex(address),
      account,
    ]),
  )
  const storedSlots = new Set(
    [...stored.keys()].flatMap((address) =>
      retryMisses(() => states.storedSlots(root, hexToBytes(address), ALL, 100)).map(
        ({ slot = ALL }) => address + bytesToHex(slot),
      ),
    ),
  )
  chain.base.queries = []
  const reader = states.reader(root)
  for (const address of ADDRESSES) {
    const bytes = hexToBytes(address)
    const known = accounts.get(address)
    const account = retryMisses(() => reader.getAccount(bytes))
    expect(account && [account.nonce, account.balance, account.codeHash]).toEqual(
      known && [known.nonce, known.balance, keccak256(known.code)],
    )
    expect(retryMisses(() => reader.getCode(bytes))).toEqual(known?.code ?? new Uint8Array(0))
    for (const slot of SLOTS) {
      const value = retryMisses(() => reader.getStorage(bytes, hexToBytes(slot)))
      expect(bytesToHex(value)).toBe(known?.storage.get(slot) ?? ZERO)
    }
  }
  for (const { kind, address, slot } of chain.base.queries) {
    const record = stored.get(address)
    if (kind === 'account') expect(record).toBeUndefined()
    else if (kind === 'slot' && record !== undefined) expect(record.fromBase).toBe('slots')
    expect(storedSlots).not.toContain(`${address}${slot}`)
  }
}

function expectHasStorage(chain: ForkChain, { root, accounts }: TestBlock, isKnown: boolean): void {
  const state = retrying(chain.states.mutable(root))
  for (const address of ADDRESSES) {
    const hasStorage = state.hasStorage(hexToBytes(address))
    const inBase = chain.baseAccounts.get(address)
    const has = (accounts.get(address)?.storage.size ?? 0) > 0
    const hadMore = inBase !== undefined && (inBase.storage.size > 0 || !isKnown)
    if (!hadMore) expect(hasStorage).toBe(has)
    else if (isKnown) expect(hasStorage || !has).toBe(true)
  }
}

/** The flat view has exactly what the trie has. */
function expectFlatView({ kv, blocks }: ForkChain): void {
  const { root } = readFlatPosition(kv)
  expect(blocks.some((block) => isSameRoot({ hash: block.root.hash, version: block.root.version }, root))).toBe(true)
  const problems: string[] = []
  runToEnd(
    checkState(kv, root, { hasFlatView: true, isOverBase: true }, (column, key, problem) =>
      problems.push(`${column} ${bytesToHex(key)}: ${problem}`),
    ),
  )
  expect(problems).toEqual([])
}

const PLAIN: Variant = { misses: false, proves: true, readsAhead: false }

describe('a state over the state of another chain', () => {
  it('equals one that holds everything, across reorganisations, amendments and restarts', () => {
    for (let seed = 1; seed <= 6; seed++) {
      const chain = new ForkChain(seed, { ...PLAIN, misses: seed % 2 === 0, proves: seed % 3 > 0 })
      const untouched = copyOf(chain.baseAccounts)
      for (let version = 1; version <= 20; version++) {
        chain.step(version)
        expectFlatView(chain)
        expectState(chain, chain.states, chain.head)
        expectHasStorage(chain, chain.head, seed % 3 > 0)
        if (version % 5 > 0) continue
        const reopened = chain.open()
        for (const block of chain.blocks) {
          expectState(chain, chain.states, block)
          expectState(chain, reopened, block)
        }
      }
      expect(chain.baseAccounts).toEqual(untouched)
    }
  })

  it('gives equal changes equal roots, whatever was read before and whether the remote proves its accounts', () => {
    const roots = (seed: number, variant: Variant): string[] => {
      const chain = new ForkChain(seed, variant)
      for (let version = 1; version <= 12; version++) chain.step(version)
      return chain.roots
    }
    for (let seed = 20; seed <= 24; seed++) {
      const expected = roots(seed, PLAIN)
      expect(roots(seed, { misses: true, proves: true, readsAhead: true })).toEqual(expected)
      expect(roots(seed, { misses: false, proves: false, readsAhead: true })).toEqual(expected)
    }
  })

  it('builds the flat view again', async () => {
    const chain = new ForkChain(31, PLAIN)
    for (let version = 1; version <= 20; version++) chain.step(version)
    const { kv, states } = chain
    const position = readFlatPosition(kv)
    const before = flatEntries(kv)
    expect(before.accounts.size).toBeGreaterThan(3)
    const stage = new StagedStore(kv)
    states.dropFlat(stage)
    kv.commit(stage.mutations())
    await rebuildFlatView({ kv, states, residency: undefined, slicer: undefined }, position)
    const { accounts, slots } = flatEntries(kv)
    expect({ accounts, slots }).toEqual({ accounts: before.accounts, slots: before.slots })
    for (const block of chain.blocks) expectState(chain, states, block)
  })
})
