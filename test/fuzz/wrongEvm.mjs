/** An EVM that is wrong on purpose, for testing the fuzzer. */

/** Faults: name → change of a result. */
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
 * @param {import('../../src/evm/evm.ts').Evm} evm
 * @param {string} fault
 * @returns {import('../../src/evm/evm.ts').Evm}
 */
export function wrongEvm(evm, fault) {
  const spoil = FAULTS[fault]
  return {
    name: evm.name,
    start(...args) {
      const execution = evm.start(...args)
      return {
        async resume(sliceMs) {
          const status = await execution.resume(sliceMs)
          return status.kind === 'done' ? { ...status, result: { ...status.result, ...spoil(status.result) } } : status
        },
      }
    },
  }
}
