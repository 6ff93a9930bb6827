import type { YieldToHost } from '../../src/ports/yieldToHost.ts'

/**
 * Yields by posting a message to itself, which takes some microseconds, whereas pages delay timers by 4 ms. Unsuitable
 * for Node, which would process message after message without serving sockets.
 */
export function createMessageYield(): YieldToHost {
  const { port1, port2 } = new MessageChannel()
  const waiting: (() => void)[] = []
  port1.onmessage = () => waiting.shift()?.()
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve)
      port2.postMessage(undefined)
    })
}
