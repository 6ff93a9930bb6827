// slow: whole recorded chains
/** Answers about recorded chains, decoded as a peer does and checked against the roots of the headers. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex, equalBytes } from '../../../../../src/base/primitives/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, keccak256 } from '../../../../../src/base/primitives/keccak.ts'
import { rlpListOfEncoded } from '../../../../../src/base/primitives/rlp.ts'
import type { Chain } from '../../../../../src/chain/chain.ts'
import { decodeEthMessage, encodeEthMessage } from '../../../../../src/net/protocols/eth/codec.ts'
import { EthServer, SERVED_ITEMS } from '../../../../../src/net/protocols/eth/ethServer.ts'
import type { EthMessage, EthRequest } from '../../../../../src/net/protocols/eth/messages.ts'
import { NodeDirectory } from '../../../../../src/net/protocols/eth/nodeDirectory.ts'
import { decodeReceiptList } from '../../../../../src/net/protocols/eth/receiptItems.ts'
import { ETH_VERSIONS, type EthVersion, ethVersion } from '../../../../../src/net/protocols/eth/versions.ts'
import { ServedStates } from '../../../../../src/net/protocols/servedStates.ts'
import { StoredBlocks } from '../../../../../src/net/protocols/storedBlocks.ts'
import { MemoryStore } from '../../../../../src/storage/memoryStore.ts'
import { orderedTrieRoot } from '../../../../../src/trie/orderedRoot.ts'
import { decodeBlock, splitBlock } from '../../../../../src/types/blockCodec.ts'
import { encodeReceipt } from '../../../../../src/types/receiptCodec.ts'
import { openBranches } from '../../../../support/chains/logChain.ts'
import { blockFile, importFile, openRecorded, recordedChainNamed } from '../../../../support/recorded/recordedChains.ts'

const ETH66 = ethVersion(66) as EthVersion
const ETH68 = ethVersion(68) as EthVersion
const NO_POOL = { byHash: () => undefined }
const UNKNOWN = new Uint8Array(32).fill(0xee)

interface Served {
  readonly chain: Chain
  readonly kv: MemoryStore
  readonly server: EthServer
}

function serverOf(
  chain: Chain,
  kv: MemoryStore,
  limits: { maxItems?: typeof SERVED_ITEMS; maxBytes?: number } = {},
): EthServer {
  const states = new ServedStates({ chain, reader: kv })
  return new EthServer({ blocks: new StoredBlocks(kv), pool: NO_POOL, nodes: new NodeDirectory(states), ...limits })
}

async function open(folder: string): Promise<Served> {
  const recorded = recordedChainNamed(folder)
  const kv = new MemoryStore()
  const chain = await openRecorded(recorded, { kv })
  await importFile(chain, [blockFile(recorded)], { verifySeal: false })
  return { chain, kv, server: serverOf(chain, kv) }
}

/** Over the wire in both directions. */
function ask<K extends EthMessage['kind']>(server: EthServer, version: EthVersion, request: EthRequest, kind: K) {
  const received = decodeEthMessage(version, encodeEthMessage(version, request)) as EthRequest
  const { code, payload, items } = server.answer(version, received)
  expect(items).toBeLessThanOrEqual(SERVED_ITEMS[request.kind])
  const answer = decodeEthMessage(version, { code, payload })
  expect(answer.kind).toBe(kind)
  if (version.hasRequestIds) expect(answer).toMatchObject({ requestId: request.requestId })
  return answer as Extract<EthMessage, { kind: K }>
}

const idOf = ({ hasRequestIds }: EthVersion) => (hasRequestIds ? 77n : undefined)

describe.each([['besu/frontier'], ['besu/shanghai'], ['besu/osaka']])('%s', (folder) => {
  let served: Served
  beforeAll(async () => {
    served = await open(folder)
  }, 60_000)

  const hashesOf = ({ chain }: Served): Uint8Array[] =>
    Array.from(
      { length: Number(chain.head.header.number) + 1 },
      (_, number) => chain.canonicalHash(number) as Uint8Array,
    )

  it('serves bodies that match the headers', () => {
    const { chain, server } = served
    const hashes = hashesOf(served)
    const { bodies } = ask(
      server,
      ETH68,
      { kind: 'getBlockBodies', requestId: 77n, hashes: [UNKNOWN, ...hashes] },
      'blockBodies',
    )
    expect(bodies).toHaveLength(hashes.length)
    for (const [number, body] of bodies.entries()) {
      const header = ask(
        server,
        ETH68,
        { kind: 'getBlockHeaders', requestId: 77n, start: BigInt(number), limit: 1n, skip: 0n, isReverse: false },
        'blockHeaders',
      ).headers[0]
      const block = rlpListOfEncoded([
        header?.encoding as Uint8Array,
        body.subarray((body[0] as number) < 0xf8 ? 1 : (body[0] as number) - 0xf6),
      ])
      decodeBlock(block)
      const encodings = splitBlock(block)
      expect(equalBytes(keccak256(encodings.header), hashes[number] as Uint8Array)).toBe(true)
      expect(orderedTrieRoot(encodings.transactions)).toEqual(header?.header.transactionsRoot)
      expect(keccak256(encodings.ommers)).toEqual(header?.header.ommersHash)
      const { withdrawalsRoot } = header?.header ?? {}
      expect(encodings.withdrawals && orderedTrieRoot(encodings.withdrawals)).toEqual(withdrawalsRoot)
    }
    expect(chain.head.header.number).toBe(BigInt(bodies.length - 1))
  })

  it.each(ETH_VERSIONS.map((version) => [version.number, version] as const))(
    'serves receipts that match the headers over eth/%d',
    (_, version) => {
      const hashes = hashesOf(served)
      const request: EthRequest = { kind: 'getReceipts', requestId: idOf(version), hashes: [...hashes, UNKNOWN] }
      const { blocks } = ask(served.server, version, request, 'receipts')
      expect(blocks).toHaveLength(hashes.length)
      for (const [i, list] of blocks.entries()) {
        const root = orderedTrieRoot(decodeReceiptList(version, list).map(encodeReceipt))
        expect(root).toEqual(served.chain.headerByHash(hashes[i] as Uint8Array)?.header.receiptsRoot)
      }
    },
  )

  it('serves a whole state node by node', () => {
    const root = served.chain.head.header.stateRoot
    const wanted = [root]
    const seen = new Set<string>([bytesToHex(EMPTY_TRIE_ROOT), bytesToHex(EMPTY_CODE_HASH)])
    const nodeTexts: string[] = []
    for (let hash = wanted.pop(); hash !== undefined; hash = wanted.pop()) {
      const { values } = ask(
        served.server,
        ETH66,
        { kind: 'getNodeData', requestId: 77n, hashes: [hash, UNKNOWN] },
        'nodeData',
      )
      expect(values.map((value) => bytesToHex(keccak256(value)))).toEqual([bytesToHex(hash)])
      nodeTexts.push(bytesToHex(values[0] as Uint8Array))
      // Every 32 bytes after the prefix of a hash may be one; the server only knows real ones.
      for (const child of hashesIn(values[0] as Uint8Array)) {
        const name = bytesToHex(child)
        const isKnown = served.server.answer(ETH66, { kind: 'getNodeData', requestId: 1n, hashes: [child] }).items === 1
        if (!seen.has(name) && isKnown) wanted.push(child)
        seen.add(name)
      }
    }
    const accounts = [...(new ServedStates({ chain: served.chain, reader: served.kv }).at(root)?.accounts.from() ?? [])]
    expect(accounts.length).toBeGreaterThan(2)
    for (const { value } of accounts) {
      expect(nodeTexts.some((text) => text.endsWith(bytesToHex(value).slice(2)))).toBe(true)
    }
  })
})

function hashesIn(bytes: Uint8Array): Uint8Array[] {
  const found: Uint8Array[] = []
  for (let at = 0; at + 33 <= bytes.length; at++) if (bytes[at] === 0xa0) found.push(bytes.slice(at + 1, at + 33))
  return found
}

describe('headers of besu/snap', () => {
  let served: Served
  beforeAll(async () => {
    served = await open('besu/snap')
  }, 60_000)

  it('are those that the query selects', () => {
    const { chain, server } = served
    const number = fc.oneof(fc.nat(510), fc.constantFrom(0, 499, 500, 501, Number.MAX_SAFE_INTEGER))
    const big = fc.oneof(fc.nat(40).map(BigInt), fc.nat(600).map(BigInt), fc.constantFrom(2n ** 53n, 2n ** 64n - 1n))
    fc.assert(
      fc.property(number, fc.boolean(), big, big, fc.boolean(), (from, isByHash, limit, skip, isReverse) => {
        const hash = chain.canonicalHash(from)
        const start = isByHash ? (hash ?? UNKNOWN) : BigInt(from)
        const request: EthRequest = { kind: 'getBlockHeaders', requestId: 77n, start, limit, skip, isReverse }
        const expected: bigint[] = []
        for (
          let at = BigInt(from);
          expected.length < Math.min(Number(limit), 1024);
          at += isReverse ? -skip - 1n : skip + 1n
        ) {
          if (at < 0n || at > 500n) break
          expected.push(at)
        }
        const { headers } = ask(server, ETH68, request, 'blockHeaders')
        expect(headers.map(({ header }) => header.number)).toEqual(expected)
      }),
      { seed: 17, numRuns: 200 },
    )
  })

  it('end before the limits of items and bytes', () => {
    const request: EthRequest = {
      kind: 'getBlockHeaders',
      requestId: 77n,
      start: 0n,
      limit: 400n,
      skip: 0n,
      isReverse: false,
    }
    const few = serverOf(served.chain, served.kv, { maxItems: { ...SERVED_ITEMS, getBlockHeaders: 7 } })
    expect(ask(few, ETH68, request, 'blockHeaders').headers).toHaveLength(7)
    const small = serverOf(served.chain, served.kv, { maxBytes: 3000 })
    const { payload, items } = small.answer(ETH68, request)
    expect(items).toBeGreaterThan(2)
    expect(payload.length).toBeLessThan(3050)
    const tiny = serverOf(served.chain, served.kv, { maxBytes: 1 })
    expect(ask(tiny, ETH68, request, 'blockHeaders').headers).toHaveLength(1)
    const hashes = Array.from({ length: 300 }, (_, i) => served.chain.canonicalHash(i) as Uint8Array)
    expect(
      ask(served.server, ETH68, { kind: 'getBlockBodies', requestId: 1n, hashes }, 'blockBodies').bodies,
    ).toHaveLength(128)
    expect(ask(served.server, ETH68, { kind: 'getReceipts', requestId: 1n, hashes }, 'receipts').blocks).toHaveLength(
      256,
    )
  })
})

describe('headers of a branch', () => {
  it('are served by hash: the block itself forwards, its ancestors in reverse', async () => {
    const kv = new MemoryStore()
    const { chain, left } = await openBranches({ kv })
    const server = serverOf(chain, kv)
    const numbers = (isReverse: boolean, skip = 0n) =>
      ask(
        server,
        ETH68,
        { kind: 'getBlockHeaders', requestId: 1n, start: left[0].hash, limit: 5n, skip, isReverse },
        'blockHeaders',
      ).headers.map(({ header }) => Number(header.number))
    expect(numbers(false)).toEqual([2])
    expect(numbers(true)).toEqual([2, 1, 0])
    expect(numbers(true, 1n)).toEqual([2, 0])
  })
})
