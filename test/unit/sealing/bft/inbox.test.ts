import { describe, expect, it } from 'vitest'
import { MAX_BFT_MESSAGE_BYTES, MAX_BFT_PEER_MESSAGES } from '../../../../src/base/limits/limits.ts'
import { KeySigner } from '../../../../src/base/ports/keySigner.ts'
import { silentLogger } from '../../../../src/base/ports/logging.ts'
import type { ReceivedMessage } from '../../../../src/consensus/bft/machine/contract.ts'
import type { BftPacket } from '../../../../src/consensus/bft/messages/packets.ts'
import { BftInbox } from '../../../../src/sealing/bft/inbox.ts'
import { agreementContext, PROTOCOLS, packetOf } from '../../../../src/sealing/bft/protocols.ts'
import { blockOf } from '../../net/protocols/hostileAgreement.ts'

const LIMITS = { messageQueueLimit: 6, duplicateMessageLimit: 100, gossipedHistoryLimit: 2 }
const protocol = PROTOCOLS.ibft2
const context = agreementContext(protocol, new KeySigner(new Uint8Array(32).fill(1)))
const stranger = agreementContext(protocol, new KeySigner(new Uint8Array(32).fill(2)))
const WANTED = { height: 1, validators: [context.local] }

const performanceClock = { monotonic: () => performance.now() }

function prepare(height: number, by = context): BftPacket {
  const digest = new Uint8Array(32).fill(height)
  const signed = by.sign({ kind: 'prepare', height, round: 0, digest } as const)
  return packetOf({ kind: 'prepare', signed }, protocol)
}

function create(limits = LIMITS) {
  const warnings: string[] = []
  const refused: string[] = []
  const logger = { ...silentLogger, warn: (message: string) => void warnings.push(message) }
  const charged: string[] = []
  const network = {
    refuse: (peer: string, reason: string) => void refused.push(`${peer}: ${reason}`),
    charge: (peer: string) => void charged.push(peer),
  }
  return { inbox: new BftInbox(limits, { network, clock: performanceClock, logger }), warnings, refused, charged }
}

function all(inbox: BftInbox, wanted = WANTED): ReceivedMessage[] {
  const received: ReceivedMessage[] = []
  while (!inbox.isEmpty) {
    const next = inbox.next(wanted)
    if (next !== undefined) received.push(next)
  }
  return received
}

const heightsOf = (received: readonly ReceivedMessage[]): unknown[] =>
  received.map(({ message, from }) => [message.signed.payload.height, from])

describe('received messages', () => {
  it('are read once each, from the peers in turn', () => {
    const { inbox } = create()
    for (const height of [1, 2, 3]) inbox.add(prepare(height), 'a')
    for (const height of [1, 4]) inbox.add(prepare(height), 'b')
    expect(heightsOf(all(inbox))).toEqual([
      [1, 'a'],
      [2, 'a'],
      [4, 'b'],
      [3, 'a'],
    ])
  })

  it('of lower heights and of strangers are dropped; the connection stays', () => {
    const { inbox, refused, charged } = create()
    inbox.add(prepare(4), 'a')
    inbox.add(prepare(9, stranger), 'b')
    inbox.add(prepare(5), 'a')
    expect(heightsOf(all(inbox, { ...WANTED, height: 5 }))).toEqual([[5, 'a']])
    expect(refused).toEqual([])
    // Each message is charged to its sender.
    expect(charged).toEqual(['a', 'b', 'a'])
  })

  it('under another code do not hide the message', () => {
    const { inbox, refused } = create()
    const packet = prepare(1)
    inbox.add({ ...packet, code: protocol.codec.codes.commit }, 'a')
    inbox.add(packet, 'b')
    expect(heightsOf(all(inbox))).toEqual([[1, 'b']])
    // Its signature is another account's under this code.
    expect(refused).toEqual([])
  })

  it('that are long are read once as well, whatever else has the same signature', async () => {
    const { inbox, refused } = create()
    const block = await blockOf(protocol, `0x${'ab'.repeat(30_000)}`)
    const proposal = (by: typeof context): BftPacket => {
      const signed = by.sign({ kind: 'proposal', height: block.height, round: 0, digest: block.digest } as const, block)
      return packetOf({ kind: 'proposal', signed, block, roundChanges: [], prepares: [] }, protocol)
    }
    const packet = proposal(context)
    const changed = { ...packet, payload: packet.payload.slice() }
    const middle = changed.payload.length >> 1
    changed.payload[middle] = (changed.payload[middle] as number) ^ 1
    inbox.add(proposal(stranger), 'a')
    inbox.add(changed, 'b')
    for (const peer of ['c', 'd']) inbox.add(packet, peer)
    expect(heightsOf(all(inbox, { ...WANTED, height: block.height }))).toEqual([[block.height, 'c']])
    expect(refused).toHaveLength(1)
    expect(refused[0]).toMatch(/^b: .*another body/)
  })

  it('of a peer that sends too much displace only those of this peer', () => {
    const { inbox, warnings } = create()
    const added = [1, 2, 3, 4, 5, 6, 7, 8].map((height) => inbox.add(prepare(height), 'loud'))
    expect(added).toEqual([true, true, true, true, true, true, false, false])
    expect([inbox.add(prepare(11), 'b'), inbox.add(prepare(12), 'c'), inbox.add(prepare(13), 'c')]).toEqual([
      true,
      true,
      true,
    ])
    expect(heightsOf(all(inbox))).toEqual([
      [1, 'loud'],
      [11, 'b'],
      [12, 'c'],
      [2, 'loud'],
      [13, 'c'],
      [3, 'loud'],
    ])
    expect(warnings).toEqual(['consensus messages arrive too fast: some are dropped'])
  })

  it('of one peer are bounded', () => {
    const { inbox } = create({ ...LIMITS, messageQueueLimit: 100_000 })
    let count = 0
    while (inbox.add(prepare(1), 'a')) count++
    expect(count).toBe(MAX_BFT_PEER_MESSAGES)
  })

  it('end the connection when they are malformed or too long', () => {
    const { inbox, refused } = create()
    inbox.add({ protocol: 'ibft2', code: 1, payload: Uint8Array.of(0xc0) }, 'a')
    inbox.add({ protocol: 'qbft', code: 0, payload: Uint8Array.of(0xc1, 1) }, 'b')
    expect(all(inbox)).toEqual([])
    const payload = new Uint8Array(MAX_BFT_MESSAGE_BYTES + 1)
    expect(inbox.add({ protocol: 'ibft2', code: 0, payload }, 'c')).toBe(false)
    expect(refused).toEqual([
      'a: invalid consensus message: payload is missing',
      `c: a consensus message of ${MAX_BFT_MESSAGE_BYTES + 1} bytes`,
    ])
  })

  it('are passed on to peers once', () => {
    const { inbox } = create()
    inbox.add(prepare(1), 'a')
    const [received] = all(inbox)
    if (received === undefined) throw new Error('nothing received')
    expect([inbox.mayPassOn(received), inbox.mayPassOn(received)]).toEqual([true, false])
  })
})
