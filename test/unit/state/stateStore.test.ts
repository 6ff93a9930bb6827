// slow: generated states
import { describe, expect, it } from 'vitest'
import type { RangeOptions } from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHex, compareBytes, hexToBytes, padLeft } from '../../../src/base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT, keccak256 } from '../../../src/base/primitives/keccak.ts'
import { rlpEncode } from '../../../src/base/primitives/rlp.ts'
import { decodeFlatAccount } from '../../../src/state/account.ts'
import type { StateReader, StateRoot } from '../../../src/state/contract.ts'
import { EMPTY_STATE_ROOT } from '../../../src/state/emptyRoot.ts'
import { genesisState } from '../../../src/state/genesisState.ts'
import { isSameRoot, readFlatPosition } from '../../../src/state/stateContext.ts'
import type { BlockId } from '../../../src/state/stateDiff.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Column, keys } from '../../../src/storage/schema.ts'
import { StagedStore } from '../../../src/storage/stagedStore.ts'
import { verifyProof } from '../../../src/trie/verifyProof.ts'
import { flatEntries } from '../../support/chains/flatEntries.ts'
import { LossyReader, retryMisses } from '../../support/chains/lossyReader.ts'
import { Random } from '../../support/host/random.ts'
import { runToEnd } from '../../support/host/runToEnd.ts'
import { copyOf, type NaiveAccounts, NaiveState, naiveStorageRoot, ZERO } from './naiveState.ts'
import { ADDRESSES, randomTransaction, SLOTS } from './randomState.ts'

const word = (n: number) => Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? n & 255 : i === 30 ? n >> 8 : 0))

interface TestBlock {
  readonly id: BlockId
  readonly parent: TestBlock | undefined
  root: StateRoot
  accounts: NaiveAccounts
}

/** The content of the flat view, in the model's form. */
function flatAccounts(kv: MemoryStore | StagedStore): NaiveAccounts {
  const found: NaiveAccounts = new Map()
  const preimage = (hash: Uint8Array): string => bytesToHex(kv.get(keys.preimage(hash)) ?? hash)
  const { accounts, slots } = flatEntries(kv)
  for (const [hash, value] of accounts) {
    const { nonce, balance, storageRoot } = decodeFlatAccount(value)
    found.set(preimage(hexToBytes(hash)), { nonce, balance, code: storageRoot, storage: new Map() })
  }
  for (const { owner, slot, value } of slots) {
    const account = found.get(preimage(hexToBytes(owner)))
    account?.storage.set(preimage(hexToBytes(slot)), bytesToHex(padLeft(value, 32)))
    expect(account).toBeDefined()
  }
  return found
}

function withStorageRoots(accounts: NaiveAccounts): NaiveAccounts {
  const copy = copyOf(accounts)
  for (const account of copy.values()) account.code = naiveStorageRoot(account.storage)
  return copy
}

/** Compares all at once, because there are many. */
function expectReads(reader: StateReader, accounts: NaiveAccounts): void {
  const read = ADDRESSES.map((address) => {
    const bytes = hexToBytes(address)
    const account = reader.getAccount(bytes)
    return [
      account && [account.nonce, account.balance, account.codeHash, account.storageRoot],
      reader.getCode(bytes),
      SLOTS.map((slot) => bytesToHex(reader.getStorage(bytes, hexToBytes(slot)))),
    ]
  })
  const expected = ADDRESSES.map((address) => {
    const known = accounts.get(address)
    return [
      known && [known.nonce, known.balance, keccak256(known.code), naiveStorageRoot(known.storage)],
      known?.code ?? new Uint8Array(0),
      SLOTS.map((slot) => known?.storage.get(slot) ?? ZERO),
    ]
  })
  expect(read).toEqual(expected)
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

describe('StateStore', () => {
  it('the flat view equals the trie at every head, across reorganisations and blocks that never become the head', () => {
    for (let seed = 1; seed <= 8; seed++) {
      const random = new Random(seed)
      const kv = new MemoryStore()
      const states = new StateStore(kv, { nodeCacheBytes: random.pick([0, 1_000_000]) })
      const genesis: TestBlock = {
        id: { number: 0, hash: word(0) },
        parent: undefined,
        root: EMPTY_STATE_ROOT,
        accounts: new Map(),
      }
      const blocks = [genesis]
      let head = genesis
      for (let version = 1; version <= 22; version++) {
        const stage = new StagedStore(kv)
        if (head !== genesis && random.chance(15) && !blocks.some(({ parent }) => parent === head)) {
          // A change from outside extends the diff of the head.
          const state = states.mutable(head.root, stage)
          const model = new NaiveState()
          model.accounts = copyOf(head.accounts)
          randomTransaction(random, state, model, () => {})
          const isOnFlat = isSameRoot(readFlatPosition(stage).root, head.root)
          const amended = state.persist({ version, stage, block: head.id, amend: true })
          if (!isOnFlat) states.moveFlat(stage, [head.id], [head.id], amended)
          head.root = amended
          head.accounts = model.accounts
        } else if (random.chance(60)) {
          const parent = random.chance(60) ? head : random.pick(blocks)
          const model = new NaiveState()
          model.accounts = copyOf(parent.accounts)
          const state = states.mutable(parent.root, stage)
          randomTransaction(random, state, model, () => {})
          const id = { number: parent.id.number + 1, hash: word(version) }
          const root = state.persist({ version, stage, block: id, isSide: random.chance(30) })
          const block = { id, parent, root, accounts: model.accounts }
          if (random.chance(10)) continue
          blocks.push(block)
          if (parent === head && random.chance(50)) {
            expect(states.moveFlat(stage, [], [id], root)).toBe(true)
            head = block
          }
        } else {
          const target = random.pick(blocks)
          const { undo, redo } = pathBetween(head, target)
          if (undo.length + redo.length > 0) {
            expect(states.moveFlat(stage, undo, redo, target.root)).toBe(true)
            expect(isSameRoot(readFlatPosition(stage).root, target.root)).toBe(true)
          }
          head = target
        }
        expectReads(states.reader(head.root, stage), head.accounts)
        const before = states.reader(head.root)
        kv.commit(stage.mutations())
        expectReads(before, head.accounts)
        const { root: flatRoot } = readFlatPosition(kv)
        const flat = blocks.find((block) => isSameRoot(block.root, flatRoot))
        expect(flatAccounts(kv)).toEqual(withStorageRoots(flat?.accounts ?? new Map()))
        for (const block of blocks) expectReads(states.reader(block.root), block.accounts)
      }
    }
  })

  it('a reader keeps to its root while the flat view moves on', () => {
    const kv = new MemoryStore()
    const states = new StateStore(kv)
    const address = hexToBytes(ADDRESSES[0] ?? '')
    const commit = (root: StateRoot, balance: bigint, version: number) => {
      const stage = new StagedStore(kv)
      const state = states.mutable(root, stage)
      state.setBalance(address, balance)
      const next = state.persist({ version, stage, block: { number: version, hash: word(version) } })
      return { next, write: () => kv.commit(stage.mutations()) }
    }
    const first = commit(EMPTY_STATE_ROOT, 1n, 1)
    first.write()
    const reader = states.reader(first.next)
    expect(reader.getAccount(address)?.balance).toBe(1n)
    const second = commit(first.next, 2n, 2)
    expect(reader.getAccount(address)?.balance).toBe(1n)
    second.write()
    expect(reader.getAccount(address)?.balance).toBe(1n)
    expect(states.reader(second.next).getAccount(address)?.balance).toBe(2n)
    const elsewhere = new StateStore(kv, { isWrittenElsewhere: true }).reader(second.next)
    expect(elsewhere.getAccount(address)?.balance).toBe(2n)
    commit(second.next, 3n, 3).write()
    expect(elsewhere.getAccount(address)?.balance).toBe(2n)
  })

  it('reads the position of the flat view once per snapshot of a store that another thread writes', () => {
    const kv = new MemoryStore()
    const states = new StateStore(kv)
    const positionKey = bytesToHex(keys.meta('flatRoot'))
    let positionReads = 0
    const reader = {
      snapshot: 1,
      get: (key: Uint8Array) => {
        if (bytesToHex(key) === positionKey) positionReads++
        return kv.get(key)
      },
      getMany: (many: readonly Uint8Array[]) => many.map((key) => reader.get(key)),
      range: (options: RangeOptions) => kv.range(options),
    }
    const address = (number: number): Uint8Array => word(number).slice(12)
    const commit = (parent: StateRoot, version: number): StateRoot => {
      const stage = new StagedStore(kv)
      const state = states.mutable(parent, stage)
      for (let i = 1; i <= 20; i++) state.setBalance(address(i), BigInt(100 * version + i))
      const root = state.persist({ version, stage, block: { number: version, hash: word(version) } })
      kv.commit(stage.mutations())
      return root
    }
    const first = commit(EMPTY_STATE_ROOT, 1)
    const elsewhere = new StateStore(reader, { isWrittenElsewhere: true })
    const balances = (root: StateRoot, from: number): (bigint | undefined)[] =>
      Array.from({ length: 10 }, (_, i) => elsewhere.reader(root).getAccount(address(from + i))?.balance)
    const expected = (version: number, from: number) =>
      Array.from({ length: 10 }, (_, i) => BigInt(100 * version + from + i))
    expect(balances(first, 1)).toEqual(expected(1, 1))
    expect(positionReads).toBe(1)
    const second = commit(first, 2)
    reader.snapshot++
    expect(balances(first, 11)).toEqual(expected(1, 11))
    expect(positionReads).toBe(2)
    expect(balances(second, 1)).toEqual(expected(2, 1))
    expect(positionReads).toBe(2)
  })

  it("merges a change on top of a block into the block's diff", () => {
    const kv = new MemoryStore()
    const states = new StateStore(kv)
    const address = hexToBytes(ADDRESSES[0] ?? '')
    const stage = new StagedStore(kv)
    const block = { number: 1, hash: word(1) }
    const state = states.mutable(EMPTY_STATE_ROOT, stage)
    state.setBalance(address, 1n)
    state.setStorage(address, word(1), word(1))
    const first = state.persist({ version: 1, stage, block })
    const mutation = states.mutable(first, stage)
    mutation.setBalance(address, 2n)
    mutation.setStorage(address, word(1), word(2))
    mutation.setStorage(address, word(2), word(2))
    mutation.setBalance(hexToBytes(ADDRESSES[1] ?? ''), 7n)
    const second = mutation.persist({ version: 2, stage, block, amend: true })
    expect(states.moveFlat(stage, [block], [], EMPTY_STATE_ROOT)).toBe(true)
    expect(flatAccounts(stage)).toEqual(new Map())
    expect(states.moveFlat(stage, [], [block], second)).toBe(true)
    expect(states.reader(second, stage).getAccount(address)?.balance).toBe(2n)
    expect([...flatAccounts(stage).values()].map(({ balance, storage }) => [balance, storage.size])).toEqual([
      [2n, 2],
      [7n, 0],
    ])
  })

  it('names a missing diff, over which the flat view cannot move', () => {
    const stage = new StagedStore(new MemoryStore())
    const states = new StateStore(stage)
    const block = { number: 7, hash: word(7) }
    expect(() => states.rootBefore(stage, block)).toThrow(expect.objectContaining({ code: 'MISSING_STATE_DIFF' }))
    expect(states.moveFlat(stage, [block], [], { hash: word(1), version: 1 })).toBe(false)
    expect(stage.size).toBe(0)
  })

  const bigState = () => {
    const kv = new MemoryStore()
    const states = new StateStore(kv)
    const stage = new StagedStore(kv)
    const addresses = Array.from({ length: 300 }, (_, i) => keccak256(word(i)).subarray(12))
    const contract = addresses[7] as Uint8Array
    const root = genesisState(
      stage,
      addresses.map((address, i) => ({
        address,
        balance: BigInt(i),
        ...(i === 7
          ? {
              nonce: 1n,
              code: Uint8Array.of(1, 2, 3),
              storage: Array.from({ length: 200 }, (_, n) => [word(n), word(n)] as const),
            }
          : {}),
      })),
    )
    kv.commit(stage.mutations())
    return { kv, states, addresses, contract, root }
  }

  it('lists accounts and slots by hash, in pages, with their preimages', () => {
    const { states, addresses, contract, root } = bigState()
    const reader = states.reader(root)
    const hashes = addresses.map((address) => keccak256(address)).sort(compareBytes)
    const all = reader.accounts(new Uint8Array(32), 1000)
    expect(all.map(({ hash }) => hash)).toEqual(hashes)
    expect(
      all.every(({ hash, address }) => address !== undefined && compareBytes(keccak256(address), hash) === 0),
    ).toBe(true)
    expect(reader.accounts(hashes[100] as Uint8Array, 10).map(({ hash }) => hash)).toEqual(hashes.slice(100, 110))
    expect(reader.accounts(new Uint8Array(32), 0)).toEqual([])
    const slots = reader.storage(contract, new Uint8Array(32), 1000)
    expect(slots).toHaveLength(199)
    expect(slots.every(({ slot, value }) => slot !== undefined && compareBytes(slot, value) === 0)).toBe(true)
    const page = reader.storage(contract, slots[50]?.hash as Uint8Array, 5)
    expect(page).toEqual(slots.slice(50, 55))
    expect(reader.storage(addresses[0] as Uint8Array, new Uint8Array(32), 5)).toEqual([])
  })

  it('proves accounts and slots, present and absent', () => {
    const { kv, states, addresses, contract, root } = bigState()
    const prove = (reader: StateReader) => {
      const proof = reader.prove(contract, [word(5), word(0), word(777)])
      expect(verifyProof(root.hash, keccak256(contract), proof.accountProof)).toBeDefined()
      expect(proof.account).toEqual(reader.getAccount(contract))
      const storageRoot = proof.account?.storageRoot as Uint8Array
      const [five, zero, absent] = proof.storageProof
      expect(verifyProof(storageRoot, keccak256(word(5)), five?.proof ?? [])).toEqual(rlpEncode(Uint8Array.of(5)))
      expect(five?.value).toEqual(word(5))
      expect(verifyProof(storageRoot, keccak256(word(0)), zero?.proof ?? [])).toBeUndefined()
      expect(verifyProof(storageRoot, keccak256(word(777)), absent?.proof ?? [])).toBeUndefined()

      const plain = reader.prove(addresses[0] as Uint8Array, [word(1)])
      expect(plain.account?.storageRoot).toEqual(EMPTY_TRIE_ROOT)
      expect(plain.storageProof[0]).toEqual({ slot: word(1), value: word(0), proof: [] })
      const none = reader.prove(new Uint8Array(20), [word(1)])
      expect(none.account).toBeUndefined()
      expect(none.accountProof.length).toBeGreaterThan(0)
      expect(verifyProof(root.hash, keccak256(new Uint8Array(20)), none.accountProof)).toBeUndefined()
      expect(none.storageProof[0]?.proof).toEqual([])
    }
    prove(states.reader(root))
    const lossy = new LossyReader(kv)
    retryMisses(() => prove(new StateStore(lossy).reader(root)))
    expect(lossy.misses).toBeGreaterThan(3)
  })

  it('recomputes the root from the store, and detects damage', () => {
    const { kv, states, root } = bigState()
    expect(runToEnd(states.recomputeRoot(root))).toEqual(root.hash)
    expect(runToEnd(states.recomputeRoot(EMPTY_STATE_ROOT))).toEqual(EMPTY_TRIE_ROOT)
    const nodes = [...kv.range({ prefix: Uint8Array.of(Column.trieNode) })]
    const random = new Random(3)
    for (let i = 0; i < 30; i++) {
      const [key, value] = random.pick(nodes)
      kv.commit([{ key, value: Uint8Array.from(value, (byte, at) => (at === value.length - 1 ? byte ^ 1 : byte)) }])
      let outcome: unknown
      try {
        outcome = runToEnd(states.recomputeRoot(root))
      } catch (error) {
        outcome = error
      }
      expect(outcome).not.toEqual(root.hash)
      kv.commit([{ key, value: undefined }])
      expect(() => runToEnd(states.recomputeRoot(root))).toThrow(expect.objectContaining({ code: 'MISSING_TRIE_NODE' }))
      kv.commit([{ key, value }])
    }
  })
})
