/**
 * Byzantine validators that run the state machine as honest ones do, and differ in what they send.
 * @module
 */
import type { Message } from '../../../src/consensus/bft/messages/payloads.ts'
import type { SeededRandom } from '../seededRandom.ts'

/** The messages that a peer gets in place of one message. */
export type Conduct = (message: Message, peer: number) => readonly Delayed[]

interface Delayed {
  readonly message: Message
  readonly delayMs: number
}

const MAX_LATE_MS = 20_000
const MAX_KEPT = 50

export const CONDUCTS = ['silent', 'withholding', 'late', 'replaying', 'twins'] as const
export type ConductName = (typeof CONDUCTS)[number]

/** @param twin 0 or 1: of two machines with one identity, each prefers other peers */
export function conductOf(name: ConductName, random: SeededRandom, twin: number): Conduct {
  const now = (message: Message): readonly Delayed[] => [{ message, delayMs: 0 }]
  const favourite = random.below(8)
  switch (name) {
    case 'silent':
      return () => []
    case 'withholding':
      return (message, peer) => (message.kind === 'commit' && peer !== favourite ? [] : now(message))
    case 'late':
      return (message) => [{ message, delayMs: random.between(0, random.chance(0.5) ? 1500 : MAX_LATE_MS) }]
    case 'replaying': {
      const kept: Message[] = []
      return (message) => {
        if (kept.length < MAX_KEPT) kept.push(message)
        else kept[random.below(MAX_KEPT)] = message
        const other = kept[random.below(kept.length)] as Message
        return random.chance(0.7) ? [...now(other), ...now(message)] : now(other)
      }
    }
    case 'twins':
      return (message, peer) => (random.chance(peer % 2 === twin ? 0.95 : 0.3) ? now(message) : [])
  }
}
