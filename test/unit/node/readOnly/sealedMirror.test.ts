import { describe, expect, test } from 'vitest'
import type { KeyValueStore, Mutation } from '../../../../src/base/ports/keyValueStore.ts'
import { silentLogger } from '../../../../src/base/ports/logging.ts'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { encodeNumber } from '../../../../src/chain/blockRecord.ts'
import type { Chain } from '../../../../src/chain/chain.ts'
import { createSchedule } from '../../../../src/consensus/createSchedule.ts'
import type { BlockName } from '../../../../src/mirror/format/manifest.ts'
import { SealedChain } from '../../../../src/node/readOnly/sealedChain.ts'
import { sealVerification } from '../../../../src/node/readOnly/sealVerification.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { keys } from '../../../../src/storage/schema.ts'
import type { Header } from '../../../../src/types/block.ts'
import { encodeHeader } from '../../../../src/types/headerCodec.ts'
import { addressOf } from '../../../support/chains/bftHeaders.ts'
import { FakeTime } from '../../../support/host/fakeTime.ts'
import { testYield } from '../../../support/host/testYield.ts'
import { MemoryObjects } from '../../../support/mirror/memoryObjects.ts'
import { openTestReplica } from '../../../support/mirror/mirroredNode.ts'
import { TestPublisher } from '../../../support/mirror/testPublisher.ts'
import { bftGenesis, importOnHead } from '../../../support/nodes/bftNode.ts'
import { GENESIS_SECONDS, openGenesisNode } from '../../../support/nodes/genesisNode.ts'
import {
  blockFile,
  importFile,
  needsChain,
  openRecorded,
  POW_LIVE,
  recordedChainNamed,
} from '../../../support/recorded/recordedChains.ts'

const QBFT_GENESIS = bftGenesis({ qbft: { blockperiodseconds: 1, epochlength: 100 } }, 4)
const NOW_MS = (GENESIS_SECONDS + 1000) * 1000

function nameOf({ head: { header, hash } }: Pick<Chain, 'head'>): BlockName {
  return { number: Number(header.number), hash }
}

/** The records that make a header the head. */
function asHead(chain: Chain, header: Header): { readonly head: BlockName; readonly batch: Mutation[] } {
  const number = Number(header.number)
  const hash = chain.consensus.hash(header)
  const batch = [
    { key: keys.header(number, hash), value: encodeHeader(header) },
    { key: keys.numberByHash(hash), value: encodeNumber(number) },
    { key: keys.canonicalHash(number), value: hash },
    { key: keys.meta('head'), value: hash },
  ]
  return { head: { number, hash }, batch }
}

/** A QBFT chain of four validators that a test publishes, honestly or not. */
async function openMirror() {
  const memory = new MemoryStore()
  let committed: Mutation[] = []
  const store: KeyValueStore = {
    get: (key) => memory.get(key),
    getMany: (wanted) => memory.getMany(wanted),
    range: (options) => memory.range(options),
    commit: (batch) => {
      committed.push(...batch)
      memory.commit(batch)
    },
    close: () => memory.close(),
  }
  const { chain } = await openGenesisNode(QBFT_GENESIS, {}, { store })
  const time = new FakeTime(NOW_MS)
  const objects = new MemoryObjects()
  const { config, genesis } = chain
  const identity = { chainId: config.chainId, genesisHash: genesis.hash, genesis: QBFT_GENESIS }
  const publisher = new TestPublisher(objects, { identity, now: () => time.now() })
  const publish = async (batch: readonly Mutation[] = committed, head = nameOf(chain)): Promise<void> => {
    if (batch === committed) committed = []
    publisher.head = head
    await publisher.commit(batch)
  }
  await publish()
  const openReplica = (checkpoint?: Uint8Array) =>
    openTestReplica(
      objects,
      time,
      {},
      {
        openVerification: sealVerification({ clock: time, yieldToHost: testYield, logger: silentLogger }, checkpoint),
      },
    )
  return { chain, publish, openReplica }
}

describe('a replica that verifies seals', () => {
  test('follows a chain of QBFT, over a change of its validators', async () => {
    const { chain, publish, openReplica } = await openMirror()
    const replica = await openReplica()
    const vote = { recipient: addressOf(4), isAdd: true }
    for (const proposer of [1, 2, 3, 0]) {
      // The fifth validator counts from the block after the third vote.
      if (proposer === 0) await importOnHead(chain, proposer, [0, 1, 2, 3])
      else await importOnHead(chain, proposer, [0, 1, 2], { vote })
      await publish()
      await replica.poll()
      expect(await replica.rpc('eth_blockNumber')).toBe(`0x${chain.head.header.number.toString(16)}`)
    }
    expect(replica.mirror.status).toMatchObject({ lastFailure: undefined })
    const later = await openReplica(chain.headerByNumber(2)?.hash)
    expect(await later.rpc('eth_blockNumber')).toBe('0x4')
  })

  test('keeps the last state instead of a head that too few validators sealed, and goes on with the next good one', async () => {
    const { chain, publish, openReplica } = await openMirror()
    await importOnHead(chain, 1, [0, 1, 2])
    await publish()
    const replica = await openReplica()
    const { header } = chain.head
    const forged = asHead(chain, {
      ...header,
      number: 2n,
      parentHash: chain.head.hash,
      timestamp: header.timestamp + 1n,
    })
    await publish(forged.batch, forged.head)
    await replica.poll()
    expect(await replica.rpc('eth_blockNumber')).toBe('0x1')
    expect(replica.mirror.status.lastFailure).toMatch(/^block 2 is not trusted: invalid seal 0/)
    await expect(openReplica()).rejects.toMatchObject({ code: 'HEAD_UNTRUSTED' })
    await importOnHead(chain, 2, [1, 2, 3])
    await publish()
    await replica.poll()
    expect(await replica.rpc('eth_blockNumber')).toBe('0x2')
    expect(replica.mirror.status).toMatchObject({ lastFailure: undefined })
  })

  test('refuses a block that does not lead to the head, headers under another hash, and hidden canonical blocks', async () => {
    const { chain, publish, openReplica } = await openMirror()
    for (const proposer of [1, 2, 3]) await importOnHead(chain, proposer, [0, 1, 2])
    await publish()
    const replica = await openReplica()
    const second = chain.headerByNumber(2)
    if (second === undefined) throw new Error('there is no block 2')
    const failureOf = async (batch: readonly Mutation[], head = nameOf(chain)): Promise<string | undefined> => {
      await publish(batch, head)
      await replica.poll()
      return replica.mirror.status.lastFailure
    }
    const other = { ...second.header, gasUsed: 5n }
    const [header, , canonical] = asHead(chain, other).batch
    const lie = [header, canonical].filter((mutation) => mutation !== undefined)
    expect(await failureOf(lie)).toMatch(/^block 3 is not trusted: its parent is another block/)
    const heal = { key: keys.canonicalHash(2), value: second.hash }
    const changed = { key: keys.header(2, second.hash), value: encodeHeader(other) }
    expect(await failureOf([heal, changed])).toMatch(/^block 2 is not trusted: the hash of its header is 0x/)
    const rubbish = { key: keys.header(2, second.hash), value: Uint8Array.of(1, 2) }
    expect(await failureOf([rubbish])).toMatch(/^block 2 is not trusted: its header cannot be decoded/)
    const healed = { key: keys.header(2, second.hash), value: encodeHeader(second.header) }
    const beyond = { key: keys.canonicalHash(9), value: second.hash }
    expect(await failureOf([healed, beyond])).toMatch(/^block 3 is not trusted: .* the last canonical block is 9/)
    expect(await failureOf([{ ...beyond, value: undefined }], { number: 2, hash: second.hash })).toMatch(
      /^block 2 is not trusted: the manifest names another head/,
    )
    expect(await replica.rpc('eth_blockNumber')).toBe('0x3')
    expect(await failureOf([])).toBeUndefined()
  })

  test('needs the trusted block', async () => {
    const { openReplica } = await openMirror()
    const unknown = new Uint8Array(32).fill(5)
    await expect(openReplica(unknown)).rejects.toMatchObject({
      code: 'MIRROR_BEHIND',
      message: `the mirror does not have block ${bytesToHex(unknown)}`,
    })
  })
})

describe('the seals of a recorded chain', () => {
  const open = async (recorded: Parameters<typeof openRecorded>[0]) => {
    const kv = new MemoryStore()
    const chain = await openRecorded(recorded, { kv })
    // A seal of proof of work takes long to verify.
    const endBlock = recorded === POW_LIVE ? { endBlock: 4n } : {}
    await importFile(chain, [blockFile(recorded)], { verifySeal: false, ...endBlock })
    const deps = { config: chain.config, schedule: createSchedule(chain.config), yieldToHost: testYield, now: Date.now }
    const sealed = new SealedChain(deps, chain.genesis.hash, kv)
    const verify = (head = nameOf(chain)): Promise<void> => sealed.verify({ table: kv, head, changed: undefined })
    return { chain, kv, sealed, verify }
  }

  for (const recorded of [recordedChainNamed('besu/clique-votes'), recordedChainNamed('besu/clique-live'), POW_LIVE]) {
    test(`${recorded.folder} is verified, and no other head`, needsChain(recorded), async () => {
      const { chain, kv, verify } = await open(recorded)
      await verify()
      const { header } = chain.head
      const forged = asHead(chain, { ...header, stateRoot: new Uint8Array(32) })
      kv.commit(forged.batch)
      await expect(verify(forged.head)).rejects.toMatchObject({ code: 'HEAD_UNTRUSTED' })
    })
  }

  test('proof of stake has none', needsChain(recordedChainNamed('besu/pos-get-block-by')), async () => {
    const { verify } = await open(recordedChainNamed('besu/pos-get-block-by'))
    await expect(verify()).rejects.toMatchObject({ code: 'SEALS_UNPROVEN' })
  })
})
