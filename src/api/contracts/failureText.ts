/**
 * Explains why a message failed.
 * @module
 */

import type { Artifact } from '../../abi/artifact.ts'
import { failurePath } from '../../abi/callRecorder.ts'
import type { CodeReader, ContractNames } from '../../abi/contractNames.ts'
import { outputReason } from '../../abi/failureReason.ts'
import type { MessageResult } from '../../evm/evm.ts'
import { EXECUTION_REVERTED } from '../../tracing/geth/errorText.ts'
import { haltText } from '../calls/failure.ts'
import type { FailureTrace } from './failureTracer.ts'

/**
 * @param called contract that the message was sent to
 * @param trace calls of the message, if they were recorded
 */
export function failureText(
  { outcome, halt, output }: Pick<MessageResult, 'outcome' | 'halt' | 'output'>,
  { names, code }: { readonly names: ContractNames; readonly code: CodeReader },
  called: Artifact | undefined,
  trace: FailureTrace | undefined,
): string {
  if (outcome === 'halt') return haltText(halt)
  const last = trace && failurePath(trace.root).at(-1)
  // The ABI of the contract that failed is the best source for its errors.
  const failing = trace?.calls.at(-1)?.artifact ?? (last && names.ofFrame(last, code)) ?? called
  const text = outputReason(output, names.index, failing)
  if (output.length > 0) return text
  // A caller that reverts without a reason hides the halt of the call that it made.
  if (last?.error !== undefined && last.error !== EXECUTION_REVERTED) return `${text} (${last.error})`
  return trace?.cause === undefined ? text : `${text}: ${trace.cause}`
}
