/**
 * Messages of heights above the one in progress, until the node reaches them.
 * @see docs/reference/consensus-ibft-qbft.md section 7
 * @module
 */
import type { MachineLimits, ReceivedMessage } from './contract.ts'

/** Immutable. */
export interface FutureMessages {
  readonly byHeight: ReadonlyMap<number, readonly ReceivedMessage[]>
  readonly count: number
  readonly bytes: number
}

export const NO_FUTURE_MESSAGES: FutureMessages = { byHeight: new Map(), count: 0, bytes: 0 }

/** The caller has checked the distance. */
export function addFuture(future: FutureMessages, received: ReceivedMessage, limits: MachineLimits): FutureMessages {
  const { height } = received.message.signed.payload
  const byHeight = new Map(future.byHeight)
  byHeight.set(height, [...(byHeight.get(height) ?? []), received])
  let grown = sized(byHeight, future.count + 1, future.bytes + received.encoded.length)
  while (grown.count > limits.futureMessagesLimit || grown.bytes > limits.futureMessagesBytes) grown = shrink(grown)
  return grown
}

/** Removes the messages up to a height. @returns those of that height, oldest first, and the rest */
export function takeFuture(
  future: FutureMessages,
  height: number,
): { readonly due: readonly ReceivedMessage[]; readonly rest: FutureMessages } {
  let { count, bytes } = future
  const byHeight = new Map(future.byHeight)
  for (const [other, messages] of future.byHeight) {
    if (other > height) continue
    byHeight.delete(other)
    count -= messages.length
    bytes -= bytesOf(messages)
  }
  return { due: future.byHeight.get(height) ?? [], rest: sized(byHeight, count, bytes) }
}

/** Drops the highest height; if there is only one, its oldest message. */
function shrink({ byHeight, count, bytes }: FutureMessages): FutureMessages {
  const highest = Math.max(...byHeight.keys())
  const messages = byHeight.get(highest) as readonly ReceivedMessage[]
  const remaining = new Map(byHeight)
  const dropped = byHeight.size > 1 ? messages : messages.slice(0, 1)
  if (dropped.length === messages.length) remaining.delete(highest)
  else remaining.set(highest, messages.slice(1))
  return sized(remaining, count - dropped.length, bytes - bytesOf(dropped))
}

function sized(
  byHeight: ReadonlyMap<number, readonly ReceivedMessage[]>,
  count: number,
  bytes: number,
): FutureMessages {
  return { byHeight, count, bytes }
}

function bytesOf(messages: readonly ReceivedMessage[]): number {
  return messages.reduce((sum, { encoded }) => sum + encoded.length, 0)
}
