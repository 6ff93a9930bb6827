import { equalBytes } from '../base/primitives/bytes.ts'
import type { AppliedTransaction } from '../chain/transition/executeTransaction.ts'
import type { Log, StoredReceipt } from '../types/receipt.ts'

type Applied = Extract<AppliedTransaction, { readonly kind: 'applied' }>

/**
 * Compares the result of an execution with the receipt of the same transaction on another chain: a trace under other rules
 * would look right and be wrong.
 * @returns how they differ, as the end of a sentence; undefined: not at all
 */
export function differenceFrom(receipt: StoredReceipt, { gasUsed, result }: Applied): string | undefined {
  if (gasUsed !== receipt.gasUsed) return `used ${gasUsed} gas here and ${receipt.gasUsed} on the remote`
  const isSuccess = result.outcome === 'success'
  if (receipt.status !== undefined && isSuccess !== receipt.status)
    return isSuccess ? 'succeeded here and failed on the remote' : 'failed here and succeeded on the remote'
  const { logs } = result
  if (logs.length !== receipt.logs.length)
    return `wrote ${logs.length} logs here and ${receipt.logs.length} on the remote`
  const at = logs.findIndex((log, i) => !isSameLog(log, receipt.logs[i] as Log))
  return at < 0 ? undefined : `wrote another log at index ${at} here than on the remote`
}

function isSameLog(a: Log, b: Log): boolean {
  if (a.topics.length !== b.topics.length) return false
  if (!equalBytes(a.address, b.address) || !equalBytes(a.data, b.data)) return false
  return a.topics.every((topic, i) => equalBytes(topic, b.topics[i] as Uint8Array))
}
