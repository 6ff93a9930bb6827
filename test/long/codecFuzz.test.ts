/**
 * All codecs of the network under changed and arbitrary bytes: each input is read or refused, and none takes long.
 * ISONODE_LONG_COUNT is the number of inputs, ISONODE_FUZZ_SECONDS a limit of time.
 */
import process from 'node:process'
import { expect, it } from 'vitest'
import { installNodeCrypto } from '../../adapters/server/crypto/crypto.ts'
import { createSigner } from '../../src/base/ports/keySigner.ts'
import { isNodeError } from '../../src/base/primitives/errors.ts'
import { type DecodedItem, rlpDecode, rlpEncode } from '../../src/base/primitives/rlp.ts'
import { decodeExtraData } from '../../src/consensus/bft/extraData.ts'
import { IBFT2, QBFT } from '../../src/consensus/bft/flavour.ts'
import type { MessageKind } from '../../src/consensus/bft/messages/payloads.ts'
import { createRecord, tryDecodeRecord } from '../../src/net/p2p/discovery/nodeRecord.ts'
import { contactEntries } from '../../src/net/p2p/discovery/recordEntries.ts'
import { decodeMessage, encodeMessage } from '../../src/net/p2p/discovery/v4/messages.ts'
import { decodeMessageV5, encodeMessageV5 } from '../../src/net/p2p/discovery/v5/messages.ts'
import { decodeDisconnect, encodeDisconnect } from '../../src/net/p2p/rlpx/disconnect.ts'
import { decodeHello, encodeHello } from '../../src/net/p2p/rlpx/hello.ts'
import { snappyCompress, snappyDecompress } from '../../src/net/p2p/rlpx/snappy.ts'
import { decodeEthMessage } from '../../src/net/protocols/eth/codec.ts'
import { decodeReceiptList } from '../../src/net/protocols/eth/receiptItems.ts'
import {
  ETH_MESSAGES,
  ETH_VERSIONS,
  type EthMessageKind,
  type EthVersion,
} from '../../src/net/protocols/eth/versions.ts'
import { decodeSnapMessage } from '../../src/net/protocols/snap/codec.ts'
import { SNAP_CODES, type SnapMessageKind } from '../../src/net/protocols/snap/messages.ts'
import { decodePayload, PROTOCOLS } from '../../src/sealing/bft/protocols.ts'
import { decodePooledTransaction } from '../../src/types/blobSidecar.ts'
import { decodeBlock, decodeBody, splitBlock } from '../../src/types/blockCodec.ts'
import { decodeTransaction } from '../../src/types/transactionCodec.ts'
import { SeededRandom } from '../simulation/seededRandom.ts'
import { cpuTimeMs, leastCpuMs } from '../support/host/cpuTime.ts'
import { ALICE, signed } from '../support/nodes/devChain.ts'
import { agreementTargets } from '../unit/net/protocols/hostileAgreement.ts'
import { HostileNode } from '../unit/net/protocols/hostileNode.ts'
import { longCount } from './count.ts'

const DEFAULT_INPUTS = 200_000
const MAX_MS = 100
const MAX_EDITS = 4
/** Part of the inputs whose RLP is valid: items are exchanged. */
const TREES = 0.2
const seconds = Number(process.env['ISONODE_FUZZ_SECONDS'] ?? Number.POSITIVE_INFINITY)
/** Inputs between two looks at the clock. */
const BATCH = 1000

const random = new SeededRandom(Number(process.env['ISONODE_FUZZ_SEED'] ?? 1))
const pick = <T>(items: readonly T[]): T => items[random.below(items.length)] as T

interface Codec {
  readonly name: string
  readonly example: Uint8Array
  read(bytes: Uint8Array): unknown
}

async function codecs(): Promise<readonly Codec[]> {
  const node = await HostileNode.open()
  const eth = (await node.ethTargets()).map(({ protocol, message, example }): Codec => {
    const version = ETH_VERSIONS.find(({ number }) => protocol === `eth/${number}`) as EthVersion
    const { code } = ETH_MESSAGES[message as EthMessageKind]
    const read = (payload: Uint8Array): unknown => decodeEthMessage(version, { code, payload })
    return { name: `${protocol} ${message}`, example, read }
  })
  const snap = node.snapTargets().map(({ message, example }): Codec => {
    const code = SNAP_CODES[message as SnapMessageKind]
    return { name: `snap ${message}`, example, read: (payload) => decodeSnapMessage(code, payload) }
  })
  const agreement = (await agreementTargets()).map(({ protocol, message, example }): Codec => {
    const read = (payload: Uint8Array): unknown =>
      decodePayload(message as MessageKind, payload, PROTOCOLS[protocol as 'ibft2' | 'qbft'])
    return { name: `${protocol} ${message}`, example, read }
  })
  return [...eth, ...snap, ...agreement, ...(await basicCodecs(eth))]
}

async function basicCodecs(eth: readonly Codec[]): Promise<readonly Codec[]> {
  const signer = createSigner(random)
  const exampleOf = (name: string): Uint8Array => eth.find((codec) => codec.name.endsWith(name))?.example as Uint8Array
  const [blockItem] = rlpDecode(exampleOf(' newBlock')) as DecodedItem[]
  const block = rlpEncode(blockItem as DecodedItem)
  const [header, ...body] = blockItem as DecodedItem[]
  const record = createRecord(signer, 1n, contactEntries({ host: '10.0.0.1', udpPort: 1, tcpPort: 2 })).bytes
  const capabilities = ['eth', 'snap', 'istanbul'].map((name, i) => ({ name, version: 66 + i }))
  const hello = encodeHello({ version: 5, clientId: 'fuzz', capabilities, port: 1, nodeId: signer.publicKey })
  const ping = encodeMessage({
    type: 'ping',
    from: { host: '10.0.0.1', udpPort: 1, tcpPort: 2 },
    to: { host: '10.0.0.2', udpPort: 1, tcpPort: 2 },
    expiration: 2 ** 32,
    enrSeq: 1n,
  })
  const findNode = encodeMessageV5({ type: 'findNode', requestId: Uint8Array.of(1), distances: [1, 2, 256] })
  const extra = (header as Uint8Array[])[12] as Uint8Array
  const receipts = rlpEncode([[Uint8Array.of(1), Uint8Array.of(1), []]])
  return [
    { name: 'RLP', example: block, read: rlpDecode },
    { name: 'block', example: block, read: decodeBlock },
    { name: 'parts of a block', example: block, read: splitBlock },
    { name: 'body', example: rlpEncode(body), read: decodeBody },
    { name: 'transaction', example: await signed(ALICE, { nonce: 1 }), read: decodeTransaction },
    { name: 'pooled transaction', example: await signed(ALICE, { nonce: 2 }), read: decodePooledTransaction },
    { name: 'receipts', example: receipts, read: (bytes) => decodeReceiptList(pick(ETH_VERSIONS), bytes) },
    { name: 'extra data of IBFT 2.0', example: extra, read: (bytes) => decodeExtraData(bytes, IBFT2) },
    { name: 'extra data of QBFT', example: extra, read: (bytes) => decodeExtraData(bytes, QBFT) },
    { name: 'Hello', example: hello, read: decodeHello },
    { name: 'Disconnect', example: encodeDisconnect('timeout'), read: decodeDisconnect },
    { name: 'snappy', example: snappyCompress(block), read: (bytes) => snappyDecompress(bytes) },
    { name: 'node record', example: record, read: tryDecodeRecord },
    { name: 'discv4', example: ping.data, read: (bytes) => decodeMessage(random.below(8), bytes) },
    { name: 'discv5', example: findNode, read: decodeMessageV5 },
  ]
}

/** Some bytes changed, removed or repeated; or other bytes. */
function editBytes(valid: Uint8Array): Uint8Array {
  if (random.chance(0.02)) return random.bytes(random.below(64))
  let bytes = valid.slice()
  for (let i = 1 + random.below(MAX_EDITS); i > 0 && bytes.length > 1; i--) {
    const at = random.below(bytes.length)
    const kind = random.below(8)
    if (kind < 3) bytes[at] = random.below(256)
    else if (kind < 6) bytes[at] = (bytes[at] as number) ^ (1 << random.below(8))
    else if (kind === 6) bytes = bytes.slice(0, at)
    else bytes.copyWithin(at, random.below(bytes.length))
  }
  return bytes
}

/** One item is replaced by another one of the same or another message. */
function editTree(item: DecodedItem, other: DecodedItem): DecodedItem {
  if (item instanceof Uint8Array || item.length === 0 || random.chance(0.2)) {
    return random.chance(0.5) ? other : random.bytes(random.below(40))
  }
  const at = random.below(item.length)
  const changed = item.slice()
  const kind = random.below(6)
  if (kind === 0) changed.splice(at, 1)
  else if (kind === 1) changed.splice(at, 0, changed[at] as DecodedItem)
  else changed[at] = editTree(changed[at] as DecodedItem, other)
  return changed
}

function partOf(item: DecodedItem): DecodedItem {
  return item instanceof Uint8Array || item.length === 0 || random.chance(0.3) ? item : partOf(pick(item))
}

function treeOf({ example }: Codec): DecodedItem | undefined {
  try {
    return rlpDecode(example)
  } catch {
    return undefined
  }
}

/** @returns whether the input was read */
function accepts({ read }: Codec, input: Uint8Array): boolean {
  try {
    read(input)
    return true
  } catch (error) {
    if (!isNodeError(error)) throw error
    return false
  }
}

it(
  'reads or refuses any bytes quickly',
  async () => {
    await installNodeCrypto()
    const all = (await codecs()).map((codec) => ({ codec, tree: treeOf(codec) }))
    const trees = all.flatMap(({ tree }) => tree ?? [])
    const total = Number.isFinite(longCount) ? longCount : DEFAULT_INPUTS
    const startedMs = performance.now()
    const startedCpuMs = cpuTimeMs()
    let [inputs, read, longest] = [0, 0, 0]
    while (inputs < total && performance.now() - startedMs < seconds * 1000) {
      for (let i = 0; i < BATCH; i++, inputs++) {
        const { codec, tree } = pick(all)
        const isTree = tree !== undefined && random.chance(TREES)
        const input = isTree ? rlpEncode(editTree(tree, partOf(pick(trees)))) : editBytes(codec.example)
        const beganMs = performance.now()
        if (accepts(codec, input)) read++
        const tookMs = performance.now() - beganMs
        if (tookMs <= longest) continue
        longest = tookMs
        if (tookMs < MAX_MS) continue
        // Another program or a collection of garbage may have disturbed it.
        const cpuMs = leastCpuMs(() => accepts(codec, input))
        expect(cpuMs, `${codec.name}: ${Buffer.from(input).toString('hex')}`).toBeLessThan(MAX_MS)
      }
    }
    const cpuSeconds = (cpuTimeMs() - startedCpuMs) / 1000
    console.log(
      `${inputs} inputs of ${all.length} codecs, ${read} read, longest ${longest.toFixed(0)} ms, ${((inputs / cpuSeconds) * 60).toFixed(0)} per minute of CPU time`,
    )
    expect(read).toBeGreaterThan(inputs / 100)
    expect(read).toBeLessThan(inputs)
  },
  24 * 3_600_000,
)
