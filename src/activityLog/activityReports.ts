/**
 * Prepares the reports of calls and transactions, with a second execution to find the call path if there is time.
 * @module
 */

import { FAILURE_TRACE_SHARE, MAX_FAILURE_TRACE_MS } from '../base/limits/limits.ts'
import type { Clock } from '../base/ports/host.ts'
import type { ChainHeader, ChainReader } from '../chain/contract.ts'
import type { SealedBlock } from '../chain/writeTask.ts'
import type { StateSource } from '../state/contract.ts'
import type { BlockTracing } from '../tracing/contract.ts'
import type { CallFrame } from '../tracing/geth/callTree.ts'
import type { AbiLibrary } from './abi/abiLibrary.ts'
import { CallRecorder, type TreeOptions } from './callPath.ts'
import { type CallFacts, callFacts, callRecord, callText, isShown, plainCallReport } from './callReport.ts'
import { ConsoleReader } from './consoleLog.ts'
import { type CodeReader, ContractNames } from './contractNames.ts'
import type { CallEntry } from './entries.ts'
import type { Report } from './output.ts'
import { noteReport } from './smallReports.ts'
import { TimeAllowance } from './timeAllowance.ts'
import { transactionFacts, transactionRecord, transactionText } from './transactionReport.ts'
import { isTransfer, TransferReports } from './transferReport.ts'

export interface ReportSources {
  readonly chain: Pick<ChainReader, 'head'>
  readonly states: Pick<StateSource, 'at'>
  readonly tracing: Pick<BlockTracing, 'canTrace' | 'block'>
  readonly clock: Clock
  /** undefined without `--abi` */
  readonly abi: AbiLibrary | undefined
  /** Whether the calls of every transaction are shown. */
  readonly isVerbose: boolean
}

/** The beginning of a failure whose error no ABI explains, and advice for its first reader. */
const UNKNOWN_ERROR = /^custom error 0x/
const ABI_ADVICE = ' (start with --abi=artifacts to decode it)'

export class ActivityReports {
  readonly #sources: ReportSources
  readonly #warn: (line: string) => void
  readonly #names: ContractNames
  readonly #transfers: TransferReports
  /** Whether transfers are shown without the calls and the names of contracts. */
  readonly #isBrief: boolean
  readonly #console = new ConsoleReader()
  readonly #consoleText = (input: Uint8Array): string => this.#console.text(input)
  readonly #allowance: TimeAllowance
  #omittedPaths = 0
  #isAdvised = false

  /** @param warn is called with each new problem of the ABI folders */
  constructor(sources: ReportSources, warn: (line: string) => void) {
    this.#sources = sources
    this.#warn = warn
    this.#names = new ContractNames(sources.abi)
    this.#transfers = new TransferReports(this.#names)
    this.#isBrief = sources.abi === undefined && !sources.isVerbose
    this.#allowance = new TimeAllowance(sources.clock, MAX_FAILURE_TRACE_MS, FAILURE_TRACE_SHARE)
  }

  /** Number of call paths that were left out since the last call. */
  takeOmittedPaths(): number {
    const count = this.#omittedPaths
    this.#omittedPaths = 0
    return count
  }

  call(entry: CallEntry, root?: CallFrame): Report {
    if (entry.executed === undefined && entry.error === undefined) return plainCallReport(entry)
    const header = entry.executed?.header ?? this.#sources.chain.head
    return guarded(() => {
      const facts = callFacts(entry, this.#treeOf(header), root)
      return callReport(facts, this.#advised(facts), entry.error !== undefined)
    })
  }

  /** @returns the report of a call whose path or contract has to be found first; undefined when it needs neither */
  lateCall(entry: CallEntry): Promise<Report> | undefined {
    const { executed } = entry
    if (executed === undefined || !isShown(entry)) return undefined
    const { outcome, call, header } = executed
    const isFailed = outcome.kind === 'executed' && outcome.result.outcome !== 'success'
    const isTraced = isFailed && this.#mayTrace()
    if (!isTraced && !this.#needsNames(call.to, call.data, header)) return undefined
    return this.#late(isTraced ? (recorder) => executed.trace(recorder) : undefined, (root) => this.call(entry, root))
  }

  transaction(sealed: SealedBlock, index: number, root?: CallFrame): Report {
    if (this.#isBrief && isTransfer(sealed, index)) {
      return this.#transfers.report(sealed, index, () => this.#transaction(sealed, index, root).record())
    }
    return guarded(() => this.#transaction(sealed, index, root))
  }

  #transaction(sealed: SealedBlock, index: number, root: CallFrame | undefined): Report {
    const { isVerbose } = this.#sources
    const facts = transactionFacts(sealed, index, this.#treeOf(sealed.block), root, isVerbose)
    if (facts === undefined) return { level: 'info', kind: 'transaction', text: () => '', record: () => ({}) }
    const advised = this.#advised(facts)
    return {
      level: facts.failure === undefined ? 'info' : 'warn',
      kind: 'transaction',
      text: (paint) => transactionText(advised, sealed.included.length === 1, paint),
      record: () => transactionRecord(facts),
    }
  }

  /** The same facts, with advice at the first error that needs it. */
  #advised<F extends Pick<CallFacts, 'failure'>>(facts: F): F {
    if (this.#sources.abi !== undefined || this.#isAdvised || !UNKNOWN_ERROR.test(facts.failure ?? '')) return facts
    this.#isAdvised = true
    return { ...facts, failure: `${facts.failure}${ABI_ADVICE}` }
  }

  /** Like `lateCall`, but for a transaction. */
  lateTransaction(sealed: SealedBlock, index: number): Promise<Report> | undefined {
    const { tracing, isVerbose } = this.#sources
    const transaction = sealed.included[index]?.transaction
    if (transaction === undefined) return undefined
    const isWanted = isVerbose || sealed.results[index]?.outcome !== 'success'
    const isTraced = isWanted && this.#mayTrace()
    if (!isTraced && !this.#needsNames(transaction.to, transaction.data, sealed.block)) return undefined
    const trace = async (recorder: CallRecorder): Promise<void> => {
      if (!tracing.canTrace(sealed.block)) return
      const tracerFor = (i: number): CallRecorder | undefined => (i === index ? recorder : undefined)
      const limits = { signal: undefined, timeoutMs: MAX_FAILURE_TRACE_MS }
      await tracing.block(sealed.block, { tracerFor, end: index + 1 }, limits)
    }
    return this.#late(isTraced ? trace : undefined, (root) => this.transaction(sealed, index, root))
  }

  #mayTrace(): boolean {
    if (this.#allowance.isLeft) return true
    this.#omittedPaths++
    return false
  }

  /** Whether the contract is not known and files may have changed. */
  #needsNames(to: Uint8Array | undefined, data: Uint8Array, header: ChainHeader): boolean {
    if (this.#sources.abi === undefined) return false
    if (to === undefined) this.#names.created(data)
    else this.#names.at(to, this.#codeAt(header))
    return this.#names.isRefreshDue
  }

  async #late(
    trace: ((recorder: CallRecorder) => Promise<void>) | undefined,
    report: (root: CallFrame | undefined) => Report,
  ): Promise<Report> {
    const root = trace && (await this.#allowance.spend(() => recordCalls(trace)))
    let ready = report(root)
    // Whether a name is missing is known only after the report has been built.
    if (this.#names.isRefreshDue) {
      for (const problem of await this.#names.refresh()) this.#warn(problem)
      ready = report(root)
    }
    return ready
  }

  #treeOf(header: ChainHeader): TreeOptions {
    return { names: this.#names, code: this.#codeAt(header), consoleText: this.#consoleText }
  }

  /** Code that is not cached is not worth waiting for. */
  #codeAt(header: ChainHeader): CodeReader {
    let state: ReturnType<StateSource['at']>
    let isRead = false
    return (address) => {
      try {
        if (!isRead) state = this.#sources.states.at(header)
        isRead = true
        return state?.getCode(address)
      } catch {
        return undefined
      }
    }
  }
}

/** A fault of the log must not end the node. */
function guarded(report: () => Report): Report {
  try {
    return report()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return noteReport({ level: 'warn', text: `an entry of the log cannot be shown: ${reason}` })
  }
}

/** @returns undefined when the execution cannot be repeated within its limits */
async function recordCalls(trace: (recorder: CallRecorder) => Promise<void>): Promise<CallFrame | undefined> {
  const recorder = new CallRecorder()
  try {
    await trace(recorder)
  } catch {
    return undefined
  }
  return recorder.root
}

/** @param shown for readers */
function callReport(facts: CallFacts, shown: CallFacts, isFailed: boolean): Report {
  return {
    level: isFailed ? 'warn' : 'info',
    kind: 'call',
    text: (paint) => callText(shown, paint),
    record: () => callRecord(facts),
  }
}
