// slow: whole databases
import { describe, expect, it } from 'vitest'
import type { KeyValueStore, Mutation } from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { ChainHeader } from '../../../src/chain/contract.ts'
import { hashedKeys, INCARNATIONS, MIGRATIONS } from '../../../src/chain/migrations.ts'
import { StoredChain } from '../../../src/chain/storedChain.ts'
import { type Genesis, parseGenesis } from '../../../src/config/genesisFile.ts'
import { decodeFlatAccount } from '../../../src/state/account.ts'
import type { AccountEntry } from '../../../src/state/contract.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import {
  readFormat,
  readGenesisText,
  requirePresentFormat,
  schemaVersionMutation,
} from '../../../src/storage/metadata.ts'
import { migrate } from '../../../src/storage/migrations.ts'
import { Column, keys, SCHEMA_VERSION } from '../../../src/storage/schema.ts'
import { decodeBlock } from '../../../src/types/blockCodec.ts'
import { genesisBlock } from '../../../src/types/genesisHeader.ts'
import { checkInvariants } from '../../support/chains/chainInvariants.ts'
import { flatEntries } from '../../support/chains/flatEntries.ts'
import { readVector, type VectorName, vectorStore } from '../../support/chains/storageVectors.ts'
import { devWriter, openTestChain } from '../../support/chains/testChain.ts'

const EVERYTHING = { prefix: new Uint8Array(0) }
const FLAT_ACCOUNT_V1 = 0x22
const FLAT_STORAGE_V1 = 0x23
const ZERO_HASH = new Uint8Array(32)
const SMALL_STEPS = [hashedKeys(3), INCARNATIONS]
const VECTORS: readonly VectorName[] = ['dev', 'frontier']

function dump(store: KeyValueStore): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [key, value] of store.range(EVERYTHING)) {
    found[bytesToHex(key)] = bytesToHex(value)
  }
  return found
}

function without(entries: Record<string, string>, key: Uint8Array): Record<string, string> {
  const { [bytesToHex(key)]: _, ...others } = entries
  return others
}

/** The entries, of which those that may contain incarnations have only their keys: a migrated storage has incarnation 0. */
function withoutStates(entries: Record<string, string>): Record<string, string> {
  const columns: ReadonlySet<number> = new Set([Column.trieNode, Column.stateDiff, Column.flatAccount])
  const flatSlots: ReadonlySet<number> = new Set([Column.flatStorage, Column.flatIncarnation])
  const kept: Record<string, string> = {}
  for (const [key, value] of Object.entries(entries)) {
    const column = Number(key.slice(0, 4))
    if (!flatSlots.has(column)) kept[key] = columns.has(column) ? '' : value
  }
  return kept
}

/** The flat view without incarnations. */
function flatContent(store: KeyValueStore): unknown[] {
  const { accounts, slots } = flatEntries(store)
  return [
    Array.from(accounts, ([owner, account]) => ({ owner, ...decodeFlatAccount(account), incarnation: 0 })),
    slots.map((slot) => ({ ...slot, incarnation: 0 })),
  ]
}

function genesisOf(store: KeyValueStore): { readonly genesis: Genesis; readonly text: string } {
  const text = readGenesisText(store)
  if (text === undefined) throw new Error('the store has no genesis file')
  return { genesis: parseGenesis(JSON.parse(text), {}), text }
}

function open(kv: KeyValueStore, of: KeyValueStore = kv): Promise<Chain> {
  const { genesis, text } = genesisOf(of)
  return openTestChain({
    config: genesis.config,
    genesis: { alloc: genesis.alloc, text, block: (stateRoot) => genesisBlock(genesis, stateRoot) },
    kv,
  })
}

/** The same store, whose commits fail after `commits` successful ones. */
function failingAfter(store: MemoryStore, commits: number): KeyValueStore {
  let left = commits
  return {
    get: (key) => store.get(key),
    getMany: (wanted) => store.getMany(wanted),
    range: (options) => store.range(options),
    commit: (batch: readonly Mutation[]) => {
      if (left-- <= 0) throw new Error('killed')
      store.commit(batch)
    },
    close: () => store.close(),
  }
}

/** Compares reads of the head with the content of its trie. @returns its accounts and the number of their slots */
function checkReads(chain: Chain): readonly [accounts: AccountEntry[], slots: number] {
  const state = chain.stateAt(chain.head)
  const accounts = state.accounts(ZERO_HASH, 1000)
  let slots = 0
  for (const { address, account } of accounts) {
    if (address === undefined) throw new Error('an address is not known')
    expect(state.getAccount(address)).toEqual(account)
    for (const { slot, value } of state.storage(address, ZERO_HASH, 1000)) {
      if (slot === undefined) throw new Error('a slot is not known')
      expect(bytesToHex(state.getStorage(address, slot))).toBe(bytesToHex(value))
      slots++
    }
  }
  return [accounts, slots]
}

/** Checks that the flat view contains exactly the head's state. */
function checkFlatView(chain: Chain, kv: KeyValueStore): void {
  const [accounts, slots] = checkReads(chain)
  const flat = flatEntries(kv)
  expect([...flat.accounts.keys()]).toEqual(accounts.map(({ hash }) => bytesToHex(hash)))
  expect(flat.slots).toHaveLength(slots)
}

function headers(kv: KeyValueStore, chain: Chain): ChainHeader[] {
  const found = [...kv.range({ prefix: Uint8Array.of(Column.header) })].map(([key]) => chain.headerByHash(key.slice(7)))
  return found.filter((header) => header !== undefined)
}

describe.each(VECTORS)('a database of format 1: %s', (name) => {
  it('contains the same chain and states in the current format', async () => {
    const kv = vectorStore(name)
    const before = [...kv.range(EVERYTHING)]
    const progress: number[] = []
    await migrate(kv, SMALL_STEPS, (report) => void progress.push(report.progress))
    expect(progress).toEqual([...progress].sort((a, b) => a - b))
    expect(progress.at(-1)).toBe(1)
    expect(readFormat(kv, SCHEMA_VERSION)).toEqual({ version: SCHEMA_VERSION, migratingFrom: undefined })
    for (const [key, value] of before) {
      const [column] = key
      const address = key.slice(1, 21)
      if (column === FLAT_ACCOUNT_V1) expect(kv.get(keys.flatAccount(keccak256(address)))).toEqual(value)
      if (column === FLAT_STORAGE_V1)
        expect(kv.get(keys.flatStorage(keccak256(address), 0, keccak256(key.slice(21))))).toEqual(value)
      if (column === FLAT_ACCOUNT_V1 || column === FLAT_STORAGE_V1) expect(kv.get(key)).toBeUndefined()
    }
    const chain = await open(kv)
    checkFlatView(chain, kv)
    if (name === 'frontier') checkInvariants(chain)
  })

  it('moves its head to every stored block', async () => {
    const kv = vectorStore(name)
    await migrate(kv, MIGRATIONS)
    const chain = await open(kv)
    for (const block of headers(kv, chain)) {
      await chain.setHead(block.hash)
      expect(bytesToHex(chain.stateAt(chain.head).root.hash)).toBe(bytesToHex(block.stateRoot.hash))
      // A block whose parent was amended later cannot be reached by diffs: its state is read from the trie.
      checkReads(chain)
    }
  })

  it('is the same wherever the migration was interrupted', async () => {
    const whole = vectorStore(name)
    let commits = 0
    await migrate(whole, SMALL_STEPS, () => void commits++)
    const expected = dump(whole)
    expect(commits).toBeGreaterThan(15)
    for (let cut = 0; cut <= commits; cut++) {
      const kv = vectorStore(name)
      await expect(migrate(failingAfter(kv, cut), SMALL_STEPS)).rejects.toThrow('killed')
      expect(() => requirePresentFormat(kv)).toThrow(expect.objectContaining({ code: 'STORE_NOT_MIGRATED' }))
      // Killed again, at the next commit.
      await migrate(failingAfter(kv, 1), SMALL_STEPS).catch((error: Error) => expect(error.message).toBe('killed'))
      await migrate(kv, SMALL_STEPS)
      expect(dump(kv)).toEqual(expected)
    }
  })

  it('cannot be used until it is migrated', async () => {
    const kv = vectorStore(name)
    const { genesis } = genesisOf(kv)
    const refused = expect.objectContaining({
      code: 'STORE_NOT_MIGRATED',
      details: { code: 'STORE_NOT_MIGRATED', found: 1, needed: SCHEMA_VERSION },
    })
    const expectRefused = async () => {
      expect(() => new StoredChain(kv, genesis.config)).toThrow(refused)
      await expect(open(kv)).rejects.toEqual(refused)
    }
    await expectRefused()
    await expect(migrate(failingAfter(kv, 1), SMALL_STEPS)).rejects.toThrow('killed')
    await expectRefused()
    // The result for a build that supports only format 1.
    expect(() => readFormat(kv, 1)).toThrow(expect.objectContaining({ code: 'FORMAT_TOO_NEW' }))
    await migrate(kv, SMALL_STEPS)
    expect(new StoredChain(kv, genesis.config).head.header.number).toBeGreaterThan(0n)
  })
})

describe('a migrated database', () => {
  it('equals the result of importing its blocks', async () => {
    const kv = vectorStore('frontier')
    await migrate(kv, MIGRATIONS)
    const chain = await open(kv)
    const fresh = new MemoryStore()
    const imported = await open(fresh, kv)
    for (const rlp of chain.exportBlocks({ startBlock: 1 })) {
      expect(await imported.import(decodeBlock(rlp), { verifySeal: false })).toMatchObject({ kind: 'imported' })
    }
    // The node has recorded that no section of its log index is to be built.
    const expected = without(dump(kv), keys.meta('derived:termSections'))
    expect(withoutStates(dump(fresh))).toEqual(withoutStates(expected))
    expect(flatContent(fresh)).toEqual(flatContent(kv))
  })

  it('can be used: the dev chain keeps its amendments and accepts blocks', async () => {
    const kv = vectorStore('dev')
    const amended = [...kv.range({ prefix: Uint8Array.of(Column.devAmendment) })]
    expect(amended.length).toBeGreaterThan(2)
    await migrate(kv, MIGRATIONS)
    const chain = await open(kv)
    expect(() => [...chain.exportBlocks({})]).toThrow()
    await devWriter(chain).amendHead((state) => state.setBalance(new Uint8Array(20).fill(9), 5n))
    checkFlatView(chain, kv)
    expect(chain.stateAt(chain.head).getAccount(new Uint8Array(20).fill(9))?.balance).toBe(5n)
    const again = await open(kv)
    expect(bytesToHex(again.head.stateRoot.hash)).toBe(bytesToHex(chain.head.stateRoot.hash))
  })

  it('of a newer format is refused', async () => {
    const kv = vectorStore('dev')
    kv.commit([schemaVersionMutation(SCHEMA_VERSION + 1)])
    await expect(migrate(kv, MIGRATIONS)).rejects.toMatchObject({
      code: 'FORMAT_TOO_NEW',
      details: { found: SCHEMA_VERSION + 1, supported: SCHEMA_VERSION },
    })
    expect(readVector('dev')).toHaveLength([...kv.range(EVERYTHING)].length)
  })
})
