/**
 * Why a transaction failed, and where.
 * @module
 */
import { failurePath } from '../../abi/callRecorder.ts'
import type { Decoded } from '../../abi/decoded.ts'
import { decodedText } from '../../abi/decodedText.ts'
import { outputReason } from '../../abi/failureReason.ts'
import { plainText } from '../../abi/plainText.ts'
import type { StackFrame } from '../../abi/source/stackTrace.ts'
import { bytesToHex, hexToBytes } from '../../base/primitives/bytes.ts'
import type { CallFrame } from '../../tracing/geth/callTree.ts'
import { EXECUTION_REVERTED } from '../../tracing/geth/errorText.ts'
import { checksumAddress } from '../../types/address.ts'
import type { FailureTrace } from './failureTracer.ts'
import type { NameLookup } from './nameLookup.ts'
import type { ResolvedContract } from './resolve.ts'
import type { FailureStep, SourcePlace, SummaryBackend } from './summaryView.ts'

export interface Failure {
  readonly isRevert: boolean
  readonly error: Decoded | undefined
  readonly text: string
  /** The failed function first. */
  readonly steps: readonly FailureStep[]
}

const MAX_NAME_LENGTH = 256
const SELECTOR_BYTES = 4
/** Errors that Solidity itself makes have a text of their own. */
const BUILT_IN: ReadonlySet<string> = new Set(['Error(string)', 'Panic(uint256)'])

/** @param trace undefined: the transaction could not be executed again */
export async function explainFailure(
  backend: SummaryBackend,
  trace: FailureTrace | undefined,
  target: ResolvedContract | undefined,
  names: NameLookup,
): Promise<Failure> {
  if (trace === undefined) return { isRevert: true, error: undefined, text: 'the reason is not known', steps: [] }
  const { decoder, names: known } = backend.contracts.knowledge
  const { root, cause } = trace
  const path = failurePath(root)
  const last = path.at(-1) as CallFrame
  const failing = await contractOf(last, names)
  const error = decoder.error(root.output, [...(failing?.abis ?? []), ...(target?.abis ?? [])])
  const isRevert = last.error === EXECUTION_REVERTED
  const reason = isRevert ? outputReason(root.output, known.index, failing?.artifact) : (last.error ?? 'failed')
  const isCustom = error !== undefined && !BUILT_IN.has(error.signature)
  const silent = root.output.length === 0 && cause !== undefined ? `${reason}: ${cause}` : reason
  const steps: FailureStep[] = []
  for (const [i, frame] of path.entries()) steps.unshift(...(await stepsOf(frame, i, trace, backend, names)))
  return { isRevert, error, text: isCustom ? decodedText(error) : silent, steps }
}

async function contractOf({ to }: CallFrame, names: NameLookup): Promise<ResolvedContract | undefined> {
  return to === undefined ? undefined : names.at(hexToBytes(to))
}

/** Functions of one call, innermost first. */
async function stepsOf(
  frame: CallFrame,
  position: number,
  { calls }: FailureTrace,
  { contracts }: SummaryBackend,
  names: NameLookup,
): Promise<readonly FailureStep[]> {
  const { artifact, frames = [], called } = calls[position] ?? {}
  const contract = await contractOf(frame, names)
  const address = frame.to === undefined ? null : checksumAddress(hexToBytes(frame.to))
  const isCreation = frame.type === 'CREATE' || frame.type === 'CREATE2'
  const created = isCreation ? (artifact ?? contracts.knowledge.names.created(frame.input)) : undefined
  const name = artifact?.name ?? created?.name ?? contract?.name ?? null
  const call = isCreation ? undefined : contracts.knowledge.decoder.call(frame.input, contract?.abis ?? [])
  const selector = frame.input.length < SELECTOR_BYTES ? 'receive' : bytesToHex(frame.input.subarray(0, SELECTOR_BYTES))
  const outer = { address, contract: name, function: isCreation ? 'constructor' : (call?.name ?? selector) }
  if (frames.length === 0) return [{ ...outer, source: called === undefined ? null : placeOf(called) }]
  return frames.map((each) => ({ ...outer, ...namesOf(each, outer), source: placeOf(each) }))
}

/** Names in a source are untrusted, like those of an ABI. */
function namesOf(
  { definition }: StackFrame,
  outer: Pick<FailureStep, 'contract' | 'function'>,
): Pick<FailureStep, 'contract' | 'function'> {
  if (definition === undefined || definition.kind === 'contract') return outer
  const { name, contract } = definition
  return {
    contract: contract === undefined ? outer.contract : plainText(contract, MAX_NAME_LENGTH),
    function: plainText(name, MAX_NAME_LENGTH),
  }
}

function placeOf({ path, line, column }: StackFrame): SourcePlace {
  return { path: plainText(path, MAX_NAME_LENGTH), line, column }
}
