import type { BlockEnvironment } from '../../evm/evm.ts'
import type { Header } from '../../types/block.ts'

/** The values of a header that code can read. @param beneficiary the author, as its engine defines it */
export function headerEnvironment(
  header: Header,
  beneficiary: Uint8Array,
): Omit<BlockEnvironment, 'blockHash' | 'dev' | 'blobBaseFee'> {
  return {
    number: header.number,
    timestamp: header.timestamp,
    beneficiary,
    gasLimit: header.gasLimit,
    difficulty: header.difficulty,
    prevRandao: header.mixHash,
    baseFeePerGas: header.baseFeePerGas,
    excessBlobGas: header.excessBlobGas,
  }
}
