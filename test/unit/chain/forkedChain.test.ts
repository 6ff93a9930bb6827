import { beforeAll, expect, it } from 'vitest'
import {
  type MissRequest,
  type RemoteBlock,
  type Residency,
  type StateRead,
  StoreMiss,
} from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHex, equalBytes, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../../../src/base/primitives/keccak.ts'
import { rlpDecode } from '../../../src/base/primitives/rlp.ts'
import { encodeNumber } from '../../../src/chain/blockRecord.ts'
import { BlockTables } from '../../../src/chain/blockTables.ts'
import { putBlock, putCanonical } from '../../../src/chain/blockWrites.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { ChainHeader } from '../../../src/chain/contract.ts'
import { verifyStore } from '../../../src/chain/inspection/verifyStore.ts'
import { encodedBlock, withSenders } from '../../../src/chain/preparedBlock.ts'
import { statesOf } from '../../../src/chain/pruning/blockStates.ts'
import { firstPosition } from '../../../src/chain/termIndex/sectionBuilder.ts'
import { devGenesis } from '../../../src/config/devGenesis.ts'
import type { BaseAccount, BaseState } from '../../../src/state/baseState.ts'
import type { StateReader } from '../../../src/state/contract.ts'
import { EMPTY_STATE_ROOT } from '../../../src/state/emptyRoot.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { metadataMutations } from '../../../src/storage/metadata.ts'
import { retryMissesMaybe } from '../../../src/storage/retryMisses.ts'
import { keys, SCHEMA_VERSION } from '../../../src/storage/schema.ts'
import { StagedStore } from '../../../src/storage/stagedStore.ts'
import { createAddress } from '../../../src/types/address.ts'
import { decodeBlock } from '../../../src/types/blockCodec.ts'
import { devWriter } from '../../support/chains/testChain.ts'
import { runToEnd } from '../../support/host/runToEnd.ts'
import { ALICE, BOB, openDevChain, plannedOf, sealBlocks, signed } from '../../support/nodes/devChain.ts'

const word = (n: number) => Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? n : 0))
const alice = hexToBytes(ALICE.address)
const bob = hexToBytes(BOB.address)
/** Adds one to slot 0. */
const COUNTER = '0x600a600c600039600a6000f360005460010160005500'
const counter = createAddress(alice, 0n)

/** The states of a chain in this process, of which nothing is in memory at first. */
class RemoteChain implements BaseState, Residency {
  readonly forkBlock: RemoteBlock
  loads = 0
  readonly #chain: Chain
  readonly #resident = new Set<string>()

  constructor(chain: Chain, forkBlock: ChainHeader) {
    this.#chain = chain
    this.forkBlock = remoteBlock(forkBlock)
  }

  load(request: MissRequest): Promise<void> {
    if (request.kind !== 'state') throw new Error(`${request.kind} are in memory`)
    this.loads++
    for (const read of request.reads) this.#resident.add(nameOf(request.block, read))
    return Promise.resolve()
  }

  account(block: RemoteBlock, address: Uint8Array): BaseAccount | undefined {
    return this.#state(block, { address }).getAccount(address)
  }

  storage(block: RemoteBlock, address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.#state(block, { address, slot }).getStorage(address, slot)
  }

  code(block: RemoteBlock, address: Uint8Array): Uint8Array {
    return this.#state(block, { address }).getCode(address)
  }

  #state(block: RemoteBlock, read: StateRead): StateReader {
    if (!this.#resident.has(nameOf(block, read))) throw new StoreMiss({ kind: 'state', block, reads: [read] })
    const header = this.#chain.headerByHash(block.hash)
    if (header === undefined) throw new Error('no such block')
    return this.#chain.stateAt(header)
  }
}

function remoteBlock({ header, hash }: ChainHeader): RemoteBlock {
  return { number: Number(header.number), hash, stateRoot: header.stateRoot }
}

function nameOf({ hash }: RemoteBlock, { address, slot }: StateRead): string {
  return [hash, address, slot ?? new Uint8Array(0)].map(bytesToHex).join()
}

/** A store whose first block is one of another chain. */
function storeFrom(chain: Chain, first: ChainHeader): MemoryStore {
  const number = Number(first.header.number)
  const [rlp] = chain.exportBlocks({ startBlock: number, endBlock: number + 1 })
  if (rlp === undefined) throw new Error('no such block')
  const prepared = withSenders(encodedBlock(decodeBlock(rlpDecode(rlp)), chain.consensus), [], [])
  const { header, hash } = first
  const stateRoot = { ...EMPTY_STATE_ROOT, base: remoteBlock(first) }
  const stored = { header, hash, totalDifficulty: first.totalDifficulty, stateRoot, size: prepared.rlp.length }
  const kv = new MemoryStore()
  const stage = new StagedStore(kv)
  putBlock(stage, prepared, stored, [], [])
  putCanonical(stage, stored, [])
  stage.put(keys.meta('head'), hash)
  stage.put(keys.meta('stateVersion'), encodeNumber(0))
  const genesis = JSON.stringify(devGenesis())
  for (const { key, value } of [
    ...firstPosition(number),
    ...metadataMutations({ schemaVersion: SCHEMA_VERSION, genesisHash: hash, genesis }),
  ]) {
    if (value !== undefined) stage.put(key, value)
  }
  kv.commit(stage.mutations())
  return kv
}

let remote: Chain
/** Without transactions; the counter stands at 2. */
let forkBlock: ChainHeader

const countedBy = async (nonce: number) =>
  plannedOf(await signed(ALICE, { nonce, to: `0x${bytesToHex(counter).slice(2)}` }))

beforeAll(async () => {
  remote = await openDevChain()
  const creation = plannedOf(await signed(ALICE, { nonce: 0, to: null, data: COUNTER }))
  const calls = [await countedBy(1), await countedBy(2)]
  const blocks = await sealBlocks(remote, [
    { transactions: [creation] },
    ...calls.map((call) => ({ transactions: [call] })),
    {},
  ])
  forkBlock = blocks.at(-1) as ChainHeader
})

async function openFork(kv: MemoryStore = storeFrom(remote, forkBlock)) {
  const base = new RemoteChain(remote, forkBlock)
  const states = new StateStore(kv, { base })
  return { kv, base, chain: await openDevChain({ kv, states, residency: base }) }
}

async function count(chain: Chain, base: Residency, block: ChainHeader = chain.head): Promise<number | undefined> {
  const slot = await retryMissesMaybe(() => chain.stateAt(block).getStorage(counter, word(0)), base)
  return slot.at(-1)
}

it('executes blocks on the state of another chain like that chain', async () => {
  const { chain, base, kv } = await openFork()
  expect(chain.head.header.number).toBe(4n)
  expect(await count(chain, base)).toBe(2)
  const plans = [{ transactions: [await countedBy(3)] }, { transactions: [await countedBy(4), await countedBy(5)] }]
  const expected = await sealBlocks(remote, plans)
  const mine = await sealBlocks(chain, plans)
  expect(base.loads).toBeGreaterThan(5)
  for (const [i, block] of mine.entries()) {
    const original = expected[i] as ChainHeader
    const { gasUsed, receiptsRoot, number } = block.header
    expect({ gasUsed, receiptsRoot, number }).toEqual({
      gasUsed: original.header.gasUsed,
      receiptsRoot: original.header.receiptsRoot,
      number: original.header.number,
    })
    for (const address of [alice, bob, counter]) {
      const [found, wanted] = [chain, remote].map((each, at) =>
        retryMissesMaybe(() => each.stateAt(at === 0 ? block : original).getAccount(address), base),
      )
      const { nonce, balance, codeHash } = (await wanted) ?? {}
      expect(await found).toMatchObject({ nonce, balance, codeHash })
    }
    expect(await count(chain, base, block)).toBe(await count(remote, base, original))
  }
  const again = await openFork(kv)
  expect(again.chain.head.hash).toEqual(chain.head.hash)
  expect(await count(again.chain, again.base)).toBe(5)
  const problems: string[] = []
  runToEnd(verifyStore(kv, chain.consensus, (column, _key, problem) => problems.push(`${column}: ${problem}`)))
  expect(problems).toEqual([])
})

it('amends, rolls back and restores from the first block on', async () => {
  const { chain, base, kv } = await openFork()
  const writer = devWriter(chain)
  const start = await writer.checkpoint()
  await writer.amendHead((state) => state.setStorage(counter, word(0), word(50)))
  expect(await count(chain, base)).toBe(50)
  const amended = await writer.checkpoint()
  await sealBlocks(chain, [{ transactions: [await countedBy(3)] }])
  expect(await count(chain, base)).toBe(51)
  await writer.rollback(1)
  expect([chain.head.hash, await count(chain, base)]).toEqual([forkBlock.hash, 50])
  await writer.restore(start)
  expect(await count(chain, base)).toBe(2)
  await sealBlocks(chain, [{ transactions: [await countedBy(3)] }, {}])
  expect(await count(chain, base)).toBe(3)
  await writer.restore(amended)
  expect([chain.head.hash, await count(chain, base)]).toEqual([forkBlock.hash, 50])
  await writer.restore(undefined)
  expect(await count(chain, base)).toBe(2)
  const again = await openFork(kv)
  expect(await count(again.chain, again.base)).toBe(2)
})

it('knows of its first block that the state is that of the other chain', async () => {
  const { chain, kv } = await openFork()
  const number = Number(forkBlock.header.number)
  const tables = new BlockTables(kv)
  const expected = { hash: EMPTY_TRIE_ROOT, version: 0, base: remoteBlock(forkBlock) }
  expect(tables.header(number, forkBlock.hash).stateRoot).toEqual(expected)
  expect([tables.isFork(), new BlockTables(new MemoryStore()).isFork()]).toEqual([true, false])
  expect(statesOf(kv, { number, hash: forkBlock.hash })).toEqual([])
  // It is not stored, so it is never deleted.
  tables.stateBound.from = number + 10
  expect(tables.header(number, forkBlock.hash).stateRoot).toEqual(expected)
  await devWriter(chain).amendHead((state) => state.setBalance(bob, 1n))
  const after = new BlockTables(kv)
  const header = after.header(number, forkBlock.hash)
  expect(header.stateRoot).not.toHaveProperty('base')
  expect(after.sealedRoot(header)).toEqual(expected)
  expect(statesOf(kv, { number, hash: forkBlock.hash })).toHaveLength(1)
  expect(equalBytes(header.hash, chain.head.hash)).toBe(true)
})
