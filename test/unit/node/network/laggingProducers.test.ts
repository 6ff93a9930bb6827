// slow: many blocks
/** Signers and validators that are behind, or that a peer tells so, over simulated TCP. */
import { afterEach, describe, expect, it } from 'vitest'
import type { KeySigner } from '../../../../src/base/ports/keySigner.ts'
import { type BftNetwork, type BftPacket, NO_BFT_NETWORK } from '../../../../src/consensus/bft/messages/packets.ts'
import type { EthMessage } from '../../../../src/net/protocols/eth/messages.ts'
import { decodePayload, kindOf, PROTOCOLS } from '../../../../src/sealing/bft/protocols.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { encodeHeader } from '../../../../src/types/headerCodec.ts'
import { SIGNERS } from '../../../support/chains/bftHeaders.ts'
import { bftGenesis, importOnHead } from '../../../support/nodes/bftNode.ts'
import { cliqueGenesis } from '../../../support/nodes/cliqueNode.ts'
import { type NetworkNode, NetworkWorld } from './networkNodes.ts'
import { type EthAnswer, honestAnswers, RawEthPeer, statusOf } from './rawEthPeer.ts'

const SIGNER = SIGNERS[0] as KeySigner
const PERIOD = { blockperiodseconds: 1, requesttimeoutseconds: 4 }
const HUGE = 10n ** 30n
const BLOCKS = 60
/** Headers of one answer; a few less would be an answer far below the claim. */
const HEADERS = 8

let net: NetworkWorld
afterEach(() => net.close())

const heightOf = ({ node }: NetworkNode): number => Number(node.chain.head.header.number)

function heightOfPacket({ protocol, code, payload }: BftPacket): number {
  return decodePayload(kindOf(code, PROTOCOLS[protocol]) as never, payload, PROTOCOLS[protocol]).signed.payload.height
}

/** As the node with this store answers, with few headers at a time. */
function slowAnswers(store: MemoryStore): EthAnswer {
  const honest = honestAnswers(store)
  return (request) => {
    const reply: EthMessage = honest(request)
    return reply.kind === 'blockHeaders' ? { ...reply, headers: reply.headers.slice(0, HEADERS) } : reply
  }
}

describe.each(['ibft2', 'qbft'])('a validator of %s', (kind) => {
  it('takes no part while it receives old blocks, then takes part again', async () => {
    net = new NetworkWorld(bftGenesis({ [kind]: PERIOD }, 4))
    const store = new MemoryStore()
    const source = await net.start({}, { store })
    for (let i = 0; i < BLOCKS; i++) {
      await net.world.pass(1000)
      await net.complete(importOnHead(source.node.chain, i % 4, [0, 1, 2]))
    }
    const sent: BftPacket[] = []
    const bftNetwork: BftNetwork = { ...NO_BFT_NETWORK, send: (packet) => void sent.push(packet) }
    const late = await net.start({}, { signer: SIGNERS[3] as KeySigner, bftNetwork })
    const options = { host: '10.9.0.1', status: statusOf(source.node), answer: slowAnswers(store), delayMs: 200 }
    await RawEthPeer.connect(net, late, options)
    expect(await net.world.run(() => heightOf(late) === BLOCKS, net.world.now + 60_000)).toBe(true)
    await net.world.pass(10_000)
    const heights = sent.map(heightOfPacket)
    // Only a block that was imported shows that it is behind.
    expect(heights.filter((height) => height > 1 + HEADERS && height <= BLOCKS)).toEqual([])
    expect(heights.at(-1)).toBe(BLOCKS + 1)
  })
})

describe.each([
  ['clique', cliqueGenesis([SIGNER], { blockperiodseconds: 1, epochlength: 30_000 })],
  ['ibft2', bftGenesis({ ibft2: PERIOD }, 1)],
  ['qbft', bftGenesis({ qbft: PERIOD }, 1)],
])('a lonely producer of %s', (_, genesis) => {
  it('begins without peers, and is not stopped by one that claims a better chain again and again', async () => {
    net = new NetworkWorld(genesis)
    const node = await net.start({}, { signer: SIGNER })
    await net.world.pass(10_500)
    expect(heightOf(node)).toBeGreaterThan(9)
    const { consensus, genesis: first } = node.node.chain
    const header = { ...first.header, number: 1_000_000n }
    const encoding = encodeHeader(header)
    const hash = consensus.hash(header, encoding)
    const status = statusOf(node.node, { best: { hash, totalDifficulty: HUGE } })
    const answer: EthAnswer = ({ kind, requestId, ...request }) =>
      kind === 'getBlockHeaders' && 'start' in request && request.start instanceof Uint8Array
        ? { kind: 'blockHeaders', requestId, headers: [{ header, encoding }] }
        : undefined
    const before = heightOf(node)
    const end = net.world.now + 300_000
    for (let i = 0; net.world.now < end; i++) {
      const liar = await RawEthPeer.connect(net, node, { host: `10.9.0.${i}`, status, answer })
      await net.world.run(() => liar.reason !== undefined, end)
    }
    expect(heightOf(node) - before).toBeGreaterThan(280)
  })
})
