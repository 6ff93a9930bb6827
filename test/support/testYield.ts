import type { YieldToHost } from '../../src/ports/yieldToHost.ts'

export const testYield: YieldToHost = () => new Promise((resolve) => setImmediate(resolve))
