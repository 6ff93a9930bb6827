// slow: generated requests
/** Requests that no honest peer sends: every answer is bounded and well-formed. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Chain } from '../../../../src/chain/chain.ts'
import { decodeEthMessage, encodeEthMessage } from '../../../../src/net/protocols/eth/codec.ts'
import { EthServer, SERVED_ITEMS } from '../../../../src/net/protocols/eth/ethServer.ts'
import type { EthRequest } from '../../../../src/net/protocols/eth/messages.ts'
import { NodeDirectory } from '../../../../src/net/protocols/eth/nodeDirectory.ts'
import { type EthVersion, ethVersion } from '../../../../src/net/protocols/eth/versions.ts'
import { ServedStates } from '../../../../src/net/protocols/servedStates.ts'
import { decodeSnapMessage, encodeSnapMessage } from '../../../../src/net/protocols/snap/codec.ts'
import type { SnapRequest } from '../../../../src/net/protocols/snap/messages.ts'
import { SnapServer } from '../../../../src/net/protocols/snap/snapServer.ts'
import { StoredBlocks } from '../../../../src/net/protocols/storedBlocks.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { LossyReader, retryMisses } from '../../../support/chains/lossyReader.ts'
import { bytes, uint } from '../../../support/host/arbitraries.ts'
import { generatedCases } from '../../../support/host/generatedCases.ts'
import { blockFile, importFile, openRecorded, recordedChainNamed } from '../../../support/recorded/recordedChains.ts'

const RECORDED = recordedChainNamed('besu/shanghai')
const ETH66 = ethVersion(66) as EthVersion
const MAX_BYTES = 20_000

describe('hostile requests', () => {
  const kv = new MemoryStore()
  let chain: Chain
  let hash: fc.Arbitrary<Uint8Array>

  beforeAll(async () => {
    chain = await openRecorded(RECORDED, { kv })
    await importFile(chain, [blockFile(RECORDED)], { verifySeal: false })
    const known: Uint8Array[] = []
    for (let number = 0; number <= Number(chain.head.header.number); number++) {
      const block = chain.headerByNumber(number)
      if (block !== undefined) known.push(block.hash, block.header.stateRoot)
    }
    for (const leaf of new ServedStates({ chain, reader: kv }).at(chain.head.header.stateRoot)?.accounts.from() ?? []) {
      known.push(leaf.key)
    }
    hash = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: bytes(32) })
  })

  const hashes = (): fc.Arbitrary<Uint8Array[]> => fc.array(hash, { maxLength: 400, size: 'max' })

  it('of eth', () => {
    const states = new ServedStates({ chain, reader: kv })
    const parts = { pool: { byHash: () => undefined }, nodes: new NodeDirectory(states, 10), maxBytes: MAX_BYTES }
    const server = new EthServer({ ...parts, blocks: new StoredBlocks(kv) })
    const slow = new EthServer({ ...parts, blocks: new StoredBlocks(new LossyReader(kv)) })
    const request: fc.Arbitrary<EthRequest> = fc.oneof(
      fc.record({
        kind: fc.constant('getBlockHeaders' as const),
        requestId: uint(64),
        start: fc.oneof(hash, uint(64), fc.bigInt(0n, 40n)),
        limit: uint(64),
        skip: fc.oneof(uint(64), fc.bigInt(0n, 3n)),
        isReverse: fc.boolean(),
      }),
      ...(['getBlockBodies', 'getReceipts', 'getPooledTransactions', 'getNodeData'] as const).map((kind) =>
        fc.record({ kind: fc.constant(kind), requestId: uint(64), hashes: hashes() }),
      ),
    )
    fc.assert(
      fc.property(request, (asked) => {
        const received = decodeEthMessage(ETH66, encodeEthMessage(ETH66, asked)) as EthRequest
        const { code, payload, items } = server.answer(ETH66, received)
        expect(items).toBeLessThanOrEqual(SERVED_ITEMS[asked.kind])
        if (items > 1) expect(payload.length).toBeLessThanOrEqual(MAX_BYTES + 20)
        expect(decodeEthMessage(ETH66, { code, payload })).toMatchObject({ requestId: asked.requestId })
        if (asked.kind !== 'getNodeData') expect(retryMisses(() => slow.answer(ETH66, asked)).payload).toEqual(payload)
      }),
      { seed: 31, numRuns: generatedCases(150) },
    )
  })

  it('of snap for what is not there: the number of look-ups is limited', () => {
    const server = new SnapServer({ states: new ServedStates({ chain, reader: kv }) })
    const limited = { requestId: 1n, root: chain.head.header.stateRoot, maxBytes: 0n }
    const paths = Array.from({ length: 2000 }, () => [new Uint8Array(40)])
    const nodes: SnapRequest = { kind: 'getTrieNodes', paths, ...limited }
    expect(server.answer(nodes).items).toBeLessThanOrEqual(1024)
    const codes: SnapRequest = { kind: 'getByteCodes', hashes: paths.map(() => new Uint8Array(32)), ...limited }
    expect(server.answer(codes).items).toBe(0)
  })

  it('of snap', () => {
    const server = new SnapServer({
      states: new ServedStates({ chain, reader: kv }),
      maxBytes: MAX_BYTES,
      maxLookups: 50,
    })
    const slow = new SnapServer({
      states: new ServedStates({ chain, reader: new LossyReader(kv) }),
      maxBytes: MAX_BYTES,
      maxLookups: 50,
    })
    const limited = { requestId: uint(64), maxBytes: fc.oneof(uint(64), fc.bigInt(0n, 3000n)) }
    const path = fc.oneof(
      hash,
      fc.uint8Array({ maxLength: 40 }),
      fc.constantFrom(Uint8Array.of(0), Uint8Array.of(0x13)),
    )
    const request: fc.Arbitrary<SnapRequest> = fc.oneof(
      fc.record({ kind: fc.constant('getAccountRange' as const), root: hash, start: hash, limit: hash, ...limited }),
      fc.record({
        kind: fc.constant('getStorageRanges' as const),
        root: hash,
        accounts: hashes(),
        start: fc.option(hash, { nil: undefined }),
        limit: fc.option(hash, { nil: undefined }),
        ...limited,
      }),
      fc.record({ kind: fc.constant('getByteCodes' as const), hashes: hashes(), ...limited }),
      fc.record({
        kind: fc.constant('getTrieNodes' as const),
        root: hash,
        paths: fc.array(fc.array(path, { minLength: 1, maxLength: 4 }), { maxLength: 40 }),
        ...limited,
      }),
    )
    fc.assert(
      fc.property(request, (asked) => {
        const sent = encodeSnapMessage(asked)
        const { code, payload, items } = server.answer(decodeSnapMessage(sent.code, sent.payload) as SnapRequest)
        if (asked.kind === 'getByteCodes' || asked.kind === 'getTrieNodes') expect(items).toBeLessThanOrEqual(50)
        // One item and the proofs may exceed the limit.
        expect(payload.length).toBeLessThan(2 * MAX_BYTES)
        expect(decodeSnapMessage(code, payload)).toMatchObject({ requestId: asked.requestId })
        expect(retryMisses(() => slow.answer(asked)).payload).toEqual(payload)
      }),
      { seed: 32, numRuns: generatedCases(300) },
    )
  })
})
