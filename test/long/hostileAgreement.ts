/** Attacks on the agreement of IBFT 2.0 and QBFT, with the key of a validator and without. */
import { setTimeout as delay } from 'node:timers/promises'
import { createSigner } from '../../src/base/ports/keySigner.ts'
import type { Signer } from '../../src/base/ports/signer.ts'
import { isNodeError } from '../../src/base/primitives/errors.ts'
import { encodeSeal } from '../../src/consensus/bft/hashes.ts'
import type { BftPacket, BftProtocol } from '../../src/consensus/bft/messages/packets.ts'
import type { Message, Payload, PreparedClaim } from '../../src/consensus/bft/messages/payloads.ts'
import { signPayload } from '../../src/consensus/bft/messages/signing.ts'
import { BFT_CAPABILITIES } from '../../src/net/protocols/bftWire.ts'
import type { ChainBlock } from '../../src/sealing/bft/chainBlocks.ts'
import { decodePayload, kindOf, PROTOCOLS, packetOf } from '../../src/sealing/bft/protocols.ts'
import { encodeBlock } from '../../src/types/blockCodec.ts'
import type { SocketPeer } from '../support/peers/socketPeer.ts'
import type { Crowd } from './hostileCrowd.ts'

const FORGED_VOTES = 20
const MANY_PREPARES = 10_000

const protocolOf = ({ options }: Crowd): BftProtocol => (options.consensus === 'ibft2' ? 'ibft2' : 'qbft')

function sendTo(peer: SocketPeer, { protocol, code, payload }: BftPacket): void {
  peer.send(BFT_CAPABILITIES[protocol].name, code, payload)
}

/** Votes of nobody for this height and later ones. */
export function forgeVotes(crowd: Crowd, peer: SocketPeer): void {
  const protocol = PROTOCOLS[protocolOf(crowd)]
  const stranger = createSigner(crowd.random)
  for (let i = 0; i < FORGED_VOTES; i++) {
    const view = { height: crowd.height + 1 + (i % 4), round: i % 3, digest: crowd.random.bytes(32) }
    const signed = signPayload(protocol.codec, stranger, { kind: 'prepare', ...view } as const)
    sendTo(peer, packetOf({ kind: 'prepare', signed }, protocol))
  }
}

/** Round changes of the hostile validator, or of a stranger, with endless claims. */
export function claimEverything(crowd: Crowd, peer: SocketPeer): void {
  const message = falseClaim(crowd, crowd.signer ?? createSigner(crowd.random))
  if (message !== undefined) sendTo(peer, packetOf(message, PROTOCOLS[protocolOf(crowd)]))
}

function falseClaim(crowd: Crowd, signer: Signer): Message | undefined {
  const { random, head } = crowd
  if (head === undefined) return undefined
  const protocol = PROTOCOLS[protocolOf(crowd)]
  const { codec } = protocol
  const height = crowd.height + 1
  const digest = random.bytes(32)
  const prepare = signPayload(codec, signer, { kind: 'prepare', height, round: 0, digest } as const)
  const prepares = new Array(random.chance(0.5) ? MANY_PREPARES : 3).fill(prepare)
  const isInside = codec.protocol === 'ibft2'
  const certificate = (): PreparedClaim['certificate'] => {
    const proposal = signPayload(codec, signer, { kind: 'proposal', height, round: 0, digest } as const)
    return { proposal, prepares }
  }
  const prepared: PreparedClaim = { round: 0, digest, certificate: isInside ? certificate() : undefined }
  const round = 1 + random.below(50)
  const signed = signPayload(codec, signer, { kind: 'roundChange', height, round, prepared } as const)
  return { kind: 'roundChange', signed, block: undefined, prepares: isInside ? [] : prepares }
}

/** A validator that is connected to all others, and signs for each of them something else. */
export async function byzantine(crowd: Crowd): Promise<void> {
  const signer = crowd.signer as Signer
  const peers: SocketPeer[] = []
  for (const node of crowd.nodes) {
    const peer = await crowd.connect(node, { signer })
    if (peer === undefined) continue
    peers.push(peer)
    crowd.listen(peer, (capability, code, payload) => {
      if (capability === BFT_CAPABILITIES[protocolOf(crowd)].name) answer(crowd, signer, peers, { code, payload })
    })
  }
  for (let i = 0; i < 300 && !crowd.isOver && peers.some(({ isClosed }) => !isClosed); i++) await delay(100)
  for (const peer of peers) peer.close()
}

/** Reacts to a message of an honest validator with contradictory ones of this one. */
function answer(
  crowd: Crowd,
  signer: Signer,
  peers: readonly SocketPeer[],
  { code, payload }: { readonly code: number; readonly payload: Uint8Array },
): void {
  const protocol = PROTOCOLS[protocolOf(crowd)]
  const kind = kindOf(code, protocol)
  if (kind === undefined) return
  let message: Message
  try {
    message = decodePayload(kind, payload, protocol)
  } catch (error) {
    if (!isNodeError(error)) throw error
    return
  }
  crowd.count(`answered ${kind}`)
  for (const [i, peer] of peers.entries()) {
    for (const forged of contradictions(crowd, signer, message, i)) {
      sendTo(peer, packetOf(forged, protocol))
      crowd.count('signed contradictions')
    }
    // The honest message again, as a relay may send it.
    if (crowd.random.chance(0.2)) sendTo(peer, { protocol: protocol.codec.protocol, code, payload })
  }
}

function contradictions(crowd: Crowd, signer: Signer, message: Message, receiver: number): readonly Message[] {
  const { random } = crowd
  const protocol = PROTOCOLS[protocolOf(crowd)]
  const sign = <P extends Payload>(payload: P, block?: ChainBlock) =>
    signPayload(protocol.codec, signer, payload, block)
  const { height, round } = message.signed.payload
  const view = { height, round }
  switch (message.kind) {
    case 'proposal': {
      const { block } = message.block as ChainBlock
      const header = {
        ...block.header,
        beneficiary: signer.address,
        timestamp: block.header.timestamp + BigInt(receiver),
      }
      const other = protocol.blocks.of({ ...block, header })
      const swapped = {
        ...(message.block as ChainBlock),
        encoded: encodeBlock({ ...block, transactions: [], ommers: [block.header] }),
      }
      const proposal = { kind: 'proposal', ...view, digest: other.digest } as const
      return [
        { kind: 'proposal', signed: sign(proposal, other), block: other, roundChanges: [], prepares: [] },
        { kind: 'prepare', signed: sign({ kind: 'prepare', ...view, digest: other.digest } as const) },
        ...(random.chance(0.3) ? [{ ...message, block: swapped }] : []),
      ]
    }
    case 'prepare': {
      const digest = receiver % 2 === 0 ? message.signed.payload.digest : random.bytes(32)
      const seal = encodeSeal(signer.sign(random.chance(0.5) ? digest : random.bytes(32)))
      return [
        { kind: 'prepare', signed: sign({ kind: 'prepare', ...view, digest } as const) },
        { kind: 'commit', signed: sign({ kind: 'commit', ...view, digest, seal } as const) },
      ]
    }
    case 'commit': {
      const seal = encodeSeal(signer.sign(random.bytes(32)))
      return [{ kind: 'commit', signed: sign({ ...message.signed.payload, seal } as const) }]
    }
    case 'roundChange': {
      const claim = falseClaim(crowd, signer)
      const target = round + random.below(3)
      const plain = sign({ kind: 'roundChange', height, round: target, prepared: undefined } as const)
      const change: Message = { kind: 'roundChange', signed: plain, block: undefined, prepares: [] }
      return claim === undefined || random.chance(0.7) ? [change] : [claim, change]
    }
  }
}
