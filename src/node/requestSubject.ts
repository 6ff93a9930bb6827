import type { RequestWorkers, WorkerRequest } from '../base/ports/requestWorkers.ts'
import { bytesToHex, tryHexToBytes } from '../base/primitives/bytes.ts'
import type { ChainReader } from '../chain/contract.ts'

/** `0x` and 64 digits. */
const HASH_LENGTH = 66
/** `0x` and the digits of 2^52. */
const MAX_NUMBER_LENGTH = 15

/**
 * Adds to each request the block that it is about: a worker that has executed the block before has its changes cached.
 */
export function withSubjects(workers: RequestWorkers, chain: ChainReader): RequestWorkers {
  return {
    get isBroken() {
      return workers.isBroken ?? false
    },
    run: (request, sink, signal) => {
      const subject = subjectOf(chain, request)
      return workers.run(subject === undefined ? request : { ...request, subject }, sink, signal)
    },
    close: () => workers.close(),
  }
}

/** All heavy methods about a stored block have the block, or one of its transactions, as their first parameter. */
function subjectOf(chain: ChainReader, { params: [first] }: WorkerRequest): string | undefined {
  if (typeof first !== 'string') return undefined
  if (first.length === HASH_LENGTH) {
    const hash = tryHexToBytes(first)
    const block = hash && (chain.transactionLocation(hash)?.blockHash ?? chain.headerByHash(hash)?.hash)
    return block && bytesToHex(block)
  }
  if (first.length > MAX_NUMBER_LENGTH || !/^0x[0-9a-fA-F]+$/.test(first)) return undefined
  const block = chain.canonicalHash(Number(first))
  return block && bytesToHex(block)
}
