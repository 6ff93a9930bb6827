import type { ChainReader } from '../chain/contract.ts'
import type { RequestWorkers, WorkerRequest } from '../ports/requestWorkers.ts'
import { bytesToHex, tryHexToBytes } from '../primitives/bytes.ts'

/** `0x` and 64 digits. */
const HASH_LENGTH = 66
/** `0x` and the digits of 2^52. */
const MAX_NUMBER_LENGTH = 15

/** Tells the workers which block a request is about: who has run it before need not run all of it again. */
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

/** All heavy methods that are about a stored block name it, or one of its transactions, first. */
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
