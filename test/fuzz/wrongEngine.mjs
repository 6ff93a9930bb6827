/** An engine that is wrong on purpose, to see whether the fuzzer finds out. */

/** Ways to be wrong: name → what it does to a result. */
const FAULTS = {
  none: () => ({}),
  gas: (result) => (result.storageWritten && result.outcome === 'success' ? { gasLeft: result.gasLeft + 1n } : {}),
  depth: (result) => (result.maxDepth === 2 ? { maxDepth: 1 } : {}),
  logs: (result) => (result.logs.length > 1 ? { logs: result.logs.slice(1) } : {}),
  halt: (result) => (result.halt === 'INVALID_JUMP_DESTINATION' ? { halt: 'INVALID_OPERATION' } : {}),
  refund: (result) => (result.gasRefund > 0n ? { gasRefund: 0n } : {}),
}

export const FAULT_NAMES = Object.keys(FAULTS)

/**
 * @param {import('../../src/evm/engine.ts').Engine} engine
 * @param {string} fault
 * @returns {import('../../src/evm/engine.ts').Engine}
 */
export function wrongEngine(engine, fault) {
  const spoil = FAULTS[fault]
  return {
    name: engine.name,
    start(...args) {
      const execution = engine.start(...args)
      return {
        async resume(sliceMs) {
          const status = await execution.resume(sliceMs)
          return status.kind === 'done' ? { ...status, result: { ...status.result, ...spoil(status.result) } } : status
        },
      }
    },
  }
}
