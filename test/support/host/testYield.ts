import type { YieldToHost } from '../../../src/base/ports/yieldToHost.ts'

export const testYield: YieldToHost = () => new Promise((resolve) => setImmediate(resolve))
