import { MAX_PAGE_BUSY_MS } from '../../src/base/limits/limits.ts'
import type { Clock } from '../../src/base/ports/host.ts'
import type { YieldToHost } from '../../src/base/ports/yieldToHost.ts'
import type { RequestArguments, RequestFunction } from '../../src/rpc/providerContract.ts'

/**
 * Gives the page its turn between requests. Answers come in microtasks, so a page that asks again with each answer would not draw
 * until it stops. Requests keep their order.
 */
export function paced(request: RequestFunction, clock: Clock, yieldToHost: YieldToHost): RequestFunction {
  let sinceMs = 0
  let pause: Promise<void> | undefined
  const end = (): void => {
    pause = undefined
    sinceMs = clock.monotonic()
  }
  return async <T>(call: string | RequestArguments, params?: readonly unknown[] | object): Promise<T> => {
    if (clock.monotonic() - sinceMs >= MAX_PAGE_BUSY_MS) pause ??= yieldToHost().then(end)
    if (pause !== undefined) await pause
    return request<T>(call as string, params)
  }
}
