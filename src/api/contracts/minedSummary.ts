/**
 * The summary of a mined transaction. It is executed again, once.
 * @module
 */
import type { Decoded } from '../../abi/decoded.ts'
import { preimageHooks } from '../../abi/layout/preimageHooks.ts'
import { Preimages } from '../../abi/layout/preimages.ts'
import { nameSlot } from '../../abi/layout/slotNames.ts'
import type { StorageLayout } from '../../abi/layout/storageLayout.ts'
import { silentCause } from '../../abi/source/silentCause.ts'
import { MAX_SUMMARY_LOGS, MAX_SUMMARY_TRACE_MS } from '../../base/limits/limits.ts'
import { hexToBytes } from '../../base/primitives/bytes.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import type { ChainHeader } from '../../chain/contract.ts'
import { combineHooks } from '../../tracing/combineHooks.ts'
import type { Tracer } from '../../tracing/contract.ts'
import { checksumAddress } from '../../types/address.ts'
import type { Log, StoredReceipt } from '../../types/receipt.ts'
import type { Transaction } from '../../types/transaction.ts'
import type { Cancellation } from '../cancellation.ts'
import { calledFunction, createdName } from './calledContract.ts'
import { type AccountDifference, type Differences, differences } from './changes.ts'
import { consoleTexts } from './consoleTexts.ts'
import { explainFailure, type Failure } from './failure.ts'
import type { FailureTrace } from './failureTracer.ts'
import { layoutOf } from './layoutOf.ts'
import { NameLookup } from './nameLookup.ts'
import { ContractResolver } from './resolve.ts'
import { sentenceOf } from './sentence.ts'
import type { AccountChangeView, SlotChange, SummaryBackend, SummaryView } from './summaryView.ts'
import { Transfers } from './transfers.ts'

export interface MinedTransaction {
  readonly block: ChainHeader
  readonly index: number
  readonly transaction: Transaction
  /** 20 bytes */
  readonly sender: Uint8Array
  readonly receipt: StoredReceipt
}

/** The findings of the second execution. */
interface Executed {
  readonly trace: FailureTrace
  readonly changes: Differences
  /** The hashed inputs, which tell the keys of mappings. */
  readonly preimages: Preimages
}

interface DecodedLog {
  readonly log: Log
  readonly decoded: Decoded | undefined
}

const NO_CHANGES: Differences = { accounts: [], isCut: false }

/** @throws {NodeError} when the request is cancelled */
export async function minedSummary(
  backend: SummaryBackend,
  mined: MinedTransaction,
  cancellation: Cancellation,
): Promise<SummaryView> {
  const { transaction, sender, receipt, block } = mined
  const names = new NameLookup(new ContractResolver(backend, block))
  const executed = await execute(backend, mined, cancellation)
  const root = executed?.trace.root
  const isFailed = receipt.status === false || root?.error !== undefined
  const created = isFailed ? undefined : receipt.contractAddress
  const address = transaction.to ?? created
  const target = address && (await names.at(address))
  const call = calledFunction(backend, transaction, target)
  const contractName = target?.name ?? createdName(backend, transaction)
  const logs = await decodeLogs(backend, receipt.logs, names)
  const failure = isFailed ? await explainFailure(backend, executed?.trace, target, names) : undefined
  const transfers = transfersOf(executed, logs)
  const console = consoleTexts(root)
  const { accounts, isCut: hasMoreChanges } = executed?.changes ?? NO_CHANGES
  const common = { transaction, sender, call, contractName, hasCode: target !== undefined }
  return {
    status: isFailed ? 'failed' : 'success',
    sentence: sentenceOf(
      failure === undefined ? { kind: 'done', ...common, created } : { kind: 'failed', ...common, failure },
    ),
    contract: target === undefined ? null : checksumAddress(target.address),
    contractName: contractName ?? null,
    call: call ?? null,
    ...failureParts(failure),
    logs: logs.map(({ decoded }) => decoded ?? null),
    transfers: transfers.list,
    created: created === undefined ? null : checksumAddress(created),
    console: console.texts,
    changes: await changeViews(backend, accounts, names, executed?.preimages ?? new Preimages()),
    waitsFor: null,
    isCut: transfers.isCut || console.isCut || hasMoreChanges || receipt.logs.length > logs.length,
  }
}

/** @returns undefined when the block cannot be executed again */
async function execute(
  { tracing, contracts }: SummaryBackend,
  { block, index }: MinedTransaction,
  { signal }: Cancellation,
): Promise<Executed | undefined> {
  if (!tracing.canTrace(block)) return undefined
  let changes = NO_CHANGES
  const preimages = new Preimages()
  const limits = { signal, timeoutMs: MAX_SUMMARY_TRACE_MS }
  try {
    const recorder = await contracts.recorder.record(
      (tracer) => {
        const hooks = combineHooks([tracer.hooks, preimageHooks(preimages)])
        const both: Tracer = { hooks, begin: (begin) => tracer.begin(begin), end: (end) => tracer.end(end) }
        const tracerFor = (at: number): Tracer | undefined => (at === index ? both : undefined)
        return tracing.block(block, { tracerFor, end: index + 1 }, limits)
      },
      (begin, end) => {
        changes = differences(begin, end)
      },
    )
    const { root, failed } = recorder
    const last = failed.at(-1)
    const calls = failed.map((call) => contracts.recorder.traced(call))
    return root && { trace: { root, calls, cause: last && silentCause(last) }, changes, preimages }
  } catch (error) {
    // A summary without its second execution is better than none; a cancelled request gets no answer.
    if (isNodeError(error) && signal?.aborted !== true) return undefined
    throw error
  }
}

async function decodeLogs(
  { contracts }: SummaryBackend,
  logs: readonly Log[],
  names: NameLookup,
): Promise<readonly DecodedLog[]> {
  const { decoder } = contracts.knowledge
  const decoded: DecodedLog[] = []
  for (const log of logs.slice(0, MAX_SUMMARY_LOGS)) {
    const contract = await names.at(log.address)
    decoded.push({ log, decoded: decoder.event(log.topics, log.data, contract?.abis ?? []) })
  }
  return decoded
}

function transfersOf(executed: Executed | undefined, logs: readonly DecodedLog[]): Transfers {
  const transfers = new Transfers()
  if (executed !== undefined) transfers.addCalls(executed.trace.root)
  for (const { log, decoded } of logs) transfers.addLog(log, decoded)
  return transfers
}

function failureParts(failure: Failure | undefined): Pick<SummaryView, 'error' | 'errorText' | 'failure'> {
  return { error: failure?.error ?? null, errorText: failure?.text ?? null, failure: failure?.steps ?? [] }
}

function changeViews(
  { contracts }: SummaryBackend,
  accounts: Differences['accounts'],
  names: NameLookup,
  preimages: Preimages,
): Promise<readonly AccountChangeView[]> {
  return Promise.all(
    accounts.map(async ({ address, slots, ...changes }) => {
      const contract = await names.at(address)
      const layout =
        contract && slots.length > 0 ? await layoutOf(contracts, contract, (behind) => names.at(behind)) : undefined
      return {
        address: checksumAddress(address),
        contract: contract?.name ?? null,
        slots: slots.map((slot) => ({ ...slot, ...namedSlot(layout, slot, preimages) })),
        ...changes,
      }
    }),
  )
}

/** The variable of a slot, with the values as in a source. */
function namedSlot(
  layout: StorageLayout | undefined,
  { slot, before, after }: AccountDifference['slots'][number],
  preimages: Preimages,
): Pick<SlotChange, 'variable' | 'type' | 'beforeText' | 'afterText'> {
  const name = layout && nameSlot(layout, BigInt(slot), preimages)
  if (name === undefined) return { variable: null, type: null, beforeText: null, afterText: null }
  const [beforeText, afterText] = [before, after].map((word) => name.text(hexToBytes(word)))
  return { variable: name.variable, type: name.type, beforeText: beforeText ?? null, afterText: afterText ?? null }
}
