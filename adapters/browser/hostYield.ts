import type { YieldToHost } from '../../src/base/ports/yieldToHost.ts'

/**
 * Yields in some microseconds: pages delay timers by 4 ms. Node, Deno and Bun have `setImmediate`, which also serves
 * sockets and lets an idle process end; pages and web workers post a message to themselves.
 */
export function createHostYield(): YieldToHost {
  const { setImmediate } = globalThis as { setImmediate?: (callback: () => void) => unknown }
  return setImmediate === undefined ? messageYield() : () => new Promise((resolve) => void setImmediate(resolve))
}

function messageYield(): YieldToHost {
  const { port1, port2 } = new MessageChannel()
  const waiting: (() => void)[] = []
  port1.onmessage = () => waiting.shift()?.()
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve)
      port2.postMessage(undefined)
    })
}
