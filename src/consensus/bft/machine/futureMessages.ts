/**
 * Messages of validators that this node cannot handle yet: of heights above the one in progress, or of one that it only
 * observes.
 * @see docs/reference/consensus-ibft-qbft.md section 7
 * @module
 */
import { MAX_BFT_FUTURE_PER_AUTHOR } from '../../../base/limits/limits.ts'
import { bytesToHexUnprefixed } from '../../../base/primitives/bytes.ts'
import type { MachineLimits, ReceivedMessage } from './contract.ts'

/** Immutable; in the order of arrival. */
export type FutureMessages = readonly FutureMessage[]

interface FutureMessage {
  readonly author: string
  readonly height: number
  readonly received: ReceivedMessage
}

export const NO_FUTURE_MESSAGES: FutureMessages = []

/**
 * Each author has a few places per height. When there are too many messages, the author that has the most loses those of
 * its greatest height.
 * @param author a validator, 20 bytes
 */
export function addFuture(
  future: FutureMessages,
  author: Uint8Array,
  received: ReceivedMessage,
  limits: MachineLimits,
): FutureMessages {
  const added = { author: bytesToHexUnprefixed(author), height: received.message.signed.payload.height, received }
  const { height } = added
  const places = future.filter((other) => other.author === added.author && other.height === height).length
  if (places >= MAX_BFT_FUTURE_PER_AUTHOR) return future
  const grown = [...future, added]
  while (grown.length > limits.futureMessagesLimit)
    dropOf(
      heaviest(grown, () => 1),
      grown,
    )
  while (grown.reduce((sum, one) => sum + bytesOf(one), 0) > limits.futureMessagesBytes)
    dropOf(heaviest(grown, bytesOf), grown)
  return grown
}

/** Removes the messages up to a height. @returns those of that height, oldest first, and the rest */
export function takeFuture(
  future: FutureMessages,
  height: number,
): { readonly due: readonly ReceivedMessage[]; readonly rest: FutureMessages } {
  return {
    due: future.filter((one) => one.height === height).map(({ received }) => received),
    rest: future.filter((one) => one.height > height),
  }
}

const bytesOf = ({ received }: FutureMessage): number => received.encoded.length

function heaviest(future: FutureMessages, weightOf: (one: FutureMessage) => number): string {
  const weights = new Map<string, number>()
  for (const one of future) weights.set(one.author, (weights.get(one.author) ?? 0) + weightOf(one))
  let heaviest = ''
  for (const [author, weight] of weights) if (weight > (weights.get(heaviest) ?? -1)) heaviest = author
  return heaviest
}

/** Removes the newest message of the author's greatest height. */
function dropOf(author: string, future: FutureMessage[]): void {
  let at = -1
  for (const [i, one] of future.entries()) {
    if (one.author === author && (at < 0 || one.height >= (future[at] as FutureMessage).height)) at = i
  }
  future.splice(at, 1)
}
