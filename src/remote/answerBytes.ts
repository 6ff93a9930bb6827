import {
  MAX_REMOTE_ANSWER_BYTES,
  MAX_REMOTE_BLOCK_BYTES,
  MAX_REMOTE_PROOF_BYTES,
  MAX_REMOTE_VALUE_BYTES,
} from '../base/limits/limits.ts'

const BLOCKS = /^eth_(?:getBlock|getUncle|getCode|call$|getTransaction|simulate|feeHistory)/
const PROOFS = /^eth_(?:getProof|createAccessList|config)$/
const UNLIMITED = /^(?:debug|trace|isonode|ots)_|^eth_(?:getLogs|getFilterLogs)$/

/** @returns maximum length of an honest answer, in bytes */
export function maxAnswerBytes(method: string): number {
  if (UNLIMITED.test(method)) return MAX_REMOTE_ANSWER_BYTES
  if (BLOCKS.test(method)) return MAX_REMOTE_BLOCK_BYTES
  return PROOFS.test(method) ? MAX_REMOTE_PROOF_BYTES : MAX_REMOTE_VALUE_BYTES
}
