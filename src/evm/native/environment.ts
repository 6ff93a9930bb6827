import { bytesToBigInt } from '../../base/primitives/bytes.ts'
import { blobBaseFee } from '../blobBaseFee.ts'
import type { BlockEnvironment, ExecutionEnvironment, TransactionEnvironment } from '../evm.ts'
import {
  ENV_BASE_FEE,
  ENV_BLOB_BASE_FEE,
  ENV_BLOB_COUNT,
  ENV_BLOB_HASHES,
  ENV_CHAIN_ID,
  ENV_COINBASE,
  ENV_GAS_LIMIT,
  ENV_GAS_PRICE,
  ENV_NUMBER,
  ENV_ORIGIN,
  ENV_RANDOM,
  ENV_TIMESTAMP,
} from './assembly/layout.ts'
import type { NativeInstance } from './instance.ts'

const HASH_BYTES = 32
/** Offset of an address within its word; the preceding bytes stay zero. */
const ADDRESS_OFFSET = 12

/** Writes block and transaction to an instance that has been reset. */
export function useEnvironment(instance: NativeInstance, environment: ExecutionEnvironment): void {
  const { block, transaction, rules, chainId } = environment
  // The messages of a block share the same object.
  if (instance.block !== block) writeBlock(instance, block, rules)
  instance.block = block
  instance.setWord(ENV_CHAIN_ID, chainId)
  writeTransaction(instance, transaction)
}

function writeBlock(instance: NativeInstance, block: BlockEnvironment, { eips, blobs }: ExecutionEnvironment['rules']) {
  const { excessBlobGas } = block
  const blobFee =
    block.blobBaseFee ??
    (excessBlobGas === undefined || blobs === undefined ? undefined : blobBaseFee(excessBlobGas, blobs))
  instance.write(ENV_COINBASE + ADDRESS_OFFSET, block.beneficiary)
  instance.setWord(ENV_TIMESTAMP, block.timestamp)
  instance.setWord(ENV_NUMBER, block.number)
  instance.setWord(ENV_RANDOM, eips.has(4399) ? bytesToBigInt(block.prevRandao) : block.difficulty)
  instance.setWord(ENV_GAS_LIMIT, block.gasLimit)
  instance.setWord(ENV_BASE_FEE, block.baseFeePerGas ?? 0n)
  instance.setWord(ENV_BLOB_BASE_FEE, blobFee ?? 0n)
}

function writeTransaction(instance: NativeInstance, { origin, gasPrice, blobVersionedHashes }: TransactionEnvironment) {
  instance.write(ENV_ORIGIN + ADDRESS_OFFSET, origin)
  instance.setWord(ENV_GAS_PRICE, gasPrice)
  instance.setU32(ENV_BLOB_COUNT, blobVersionedHashes.length)
  if (blobVersionedHashes.length === 0) return
  const hashes = instance.allocate(blobVersionedHashes.length * HASH_BYTES)
  instance.setU32(ENV_BLOB_HASHES, hashes)
  blobVersionedHashes.forEach((hash, i) => {
    instance.write(hashes + i * HASH_BYTES, hash)
  })
}
