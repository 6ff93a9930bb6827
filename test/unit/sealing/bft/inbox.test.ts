import { describe, expect, it } from 'vitest'
import { MAX_BFT_MESSAGE_BYTES } from '../../../../src/base/limits/limits.ts'
import { KeySigner } from '../../../../src/base/ports/keySigner.ts'
import { silentLogger } from '../../../../src/base/ports/logging.ts'
import type { BftPacket } from '../../../../src/consensus/bft/messages/packets.ts'
import { BftInbox } from '../../../../src/sealing/bft/inbox.ts'
import { agreementContext, PROTOCOLS, packetOf } from '../../../../src/sealing/bft/protocols.ts'

const LIMITS = { messageQueueLimit: 3, duplicateMessageLimit: 2, gossipedHistoryLimit: 2 }
const protocol = PROTOCOLS.ibft2
const context = agreementContext(protocol, new KeySigner(new Uint8Array(32).fill(1)))

function prepare(height: number): BftPacket {
  const digest = new Uint8Array(32).fill(height)
  const signed = context.sign({ kind: 'prepare', height, round: 0, digest } as const)
  return packetOf({ kind: 'prepare', signed }, protocol)
}

describe('received messages', () => {
  it('are passed on in order, without duplicates', () => {
    const inbox = new BftInbox(LIMITS, silentLogger)
    expect([inbox.add(prepare(1), 'a'), inbox.add(prepare(1), 'b'), inbox.add(prepare(2), 'b')]).toEqual([
      true,
      false,
      true,
    ])
    const [first, second] = [inbox.next(), inbox.next()]
    expect([first?.message.signed.payload.height, first?.from]).toEqual([1, 'a'])
    expect(second?.message.signed.author).toEqual(context.local)
    expect(inbox.next()).toBeUndefined()
  })

  it('are bounded, and the loss is logged once', () => {
    const warnings: string[] = []
    const inbox = new BftInbox(LIMITS, { ...silentLogger, warn: (message) => void warnings.push(message) })
    const added = [1, 2, 3, 4, 5].map((height) => inbox.add(prepare(height), 'a'))
    expect(added).toEqual([true, true, true, false, false])
    expect(warnings).toEqual(['consensus messages arrive too fast: some are dropped'])
    inbox.next()
    expect(inbox.add(prepare(6), 'a')).toBe(true)
  })

  it('are dropped when they are malformed, too long or have an unused code', () => {
    const inbox = new BftInbox(LIMITS, silentLogger)
    inbox.add({ protocol: 'ibft2', code: 1, payload: Uint8Array.of(0xc0) }, 'a')
    inbox.add({ protocol: 'qbft', code: 0, payload: Uint8Array.of(0xc1, 1) }, 'a')
    expect(inbox.next()).toBeUndefined()
    const payload = new Uint8Array(MAX_BFT_MESSAGE_BYTES + 1)
    expect(inbox.add({ protocol: 'ibft2', code: 0, payload }, 'a')).toBe(false)
  })

  it('are passed on to peers once', () => {
    const inbox = new BftInbox(LIMITS, silentLogger)
    inbox.add(prepare(1), 'a')
    const received = inbox.next()
    if (received === undefined) throw new Error('nothing received')
    expect([inbox.mayPassOn(received), inbox.mayPassOn(received)]).toEqual([true, false])
  })
})
