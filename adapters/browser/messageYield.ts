import type { YieldToHost } from '../../src/ports/yieldToHost.ts'

/**
 * Yields by a message to itself, which takes some microseconds: pages hold timers back by 4 ms. Node would go from
 * message to message without serving a socket in between.
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
