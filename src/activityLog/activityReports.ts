/**
 * Prepares the reports of calls and transactions, with a second execution to find the call path if there is time.
 * @module
 */

import { ConsoleReader } from '../abi/consoleLog.ts'
import type { ContractKnowledge } from '../abi/contractKnowledge.ts'
import type { CodeReader, ContractNames } from '../abi/contractNames.ts'
import { ExecutionRecorder } from '../api/contracts/executionRecorder.ts'
import { type FailureTrace, FailureTracer } from '../api/contracts/failureTracer.ts'
import {
  ANSWER_TRACE_SHARE,
  FAILURE_TRACE_SHARE,
  MAX_ANSWER_TRACE_MS,
  MAX_FAILURE_TRACE_MS,
  MAX_STACK_LINES,
} from '../base/limits/limits.ts'
import type { Clock } from '../base/ports/host.ts'
import { hexToBytes } from '../base/primitives/bytes.ts'
import type { ChainHeader, ChainReader } from '../chain/contract.ts'
import type { SealedBlock } from '../chain/writeTask.ts'
import type { StateSource } from '../state/contract.ts'
import type { BlockTracing } from '../tracing/contract.ts'
import type { TreeOptions } from './callPath.ts'
import { type CallFacts, callFacts, callRecord, callText, isShown, plainCallReport } from './callReport.ts'
import type { CallEntry, CallError } from './entries.ts'
import type { Report } from './output.ts'
import { noteReport } from './smallReports.ts'
import { pathTexts, stackTexts, withoutArguments } from './stackText.ts'
import { TimeAllowance } from './timeAllowance.ts'
import { transactionFacts, transactionRecord, transactionText } from './transactionReport.ts'
import { isTransfer, TransferReports } from './transferReport.ts'

export interface ReportSources {
  readonly chain: Pick<ChainReader, 'head' | 'transactionLocation' | 'headerByHash'>
  readonly states: Pick<StateSource, 'at'>
  readonly tracing: Pick<BlockTracing, 'canTrace' | 'block'>
  readonly clock: Clock
  readonly contracts: ContractKnowledge
  /** Whether the calls of every transaction are shown. */
  readonly isVerbose: boolean
}

/** The beginning of a failure whose error no ABI explains, and advice for its first reader. */
const UNKNOWN_ERROR = /^custom error 0x/
const ABI_ADVICE = ' (start with --abi=artifacts to decode it)'

export class ActivityReports {
  readonly #sources: ReportSources
  readonly #warn: (line: string) => void
  readonly #hasAbi: boolean
  readonly #tracer: FailureTracer
  readonly #names: ContractNames
  readonly #transfers: TransferReports
  /** Whether transfers are shown without the calls and the names of contracts. */
  readonly #isBrief: boolean
  readonly #console = new ConsoleReader()
  readonly #consoleText = (input: Uint8Array): string => this.#console.text(input)
  readonly #allowance: TimeAllowance
  readonly #answerAllowance: TimeAllowance
  #omittedPaths = 0
  #isAdvised = false

  /** @param warn is called with each new problem of the ABI folders */
  constructor(sources: ReportSources, warn: (line: string) => void) {
    this.#sources = sources
    this.#warn = warn
    const { names, library } = sources.contracts
    this.#names = names
    this.#hasAbi = library !== undefined
    this.#tracer = new FailureTracer(new ExecutionRecorder(sources.contracts, warn))
    this.#transfers = new TransferReports(this.#names)
    this.#isBrief = !this.#hasAbi && !sources.isVerbose
    this.#allowance = new TimeAllowance(sources.clock, MAX_FAILURE_TRACE_MS, FAILURE_TRACE_SHARE)
    this.#answerAllowance = new TimeAllowance(sources.clock, MAX_ANSWER_TRACE_MS, ANSWER_TRACE_SHARE)
  }

  /** Number of call paths that were left out since the last call. */
  takeOmittedPaths(): number {
    const count = this.#omittedPaths
    this.#omittedPaths = 0
    return count
  }

  call(entry: CallEntry, trace?: FailureTrace): Report {
    const { executed } = entry
    if (executed === undefined && entry.error === undefined) return plainCallReport(entry)
    const header = executed?.header ?? this.#sources.chain.head
    return guarded(() => {
      const known = trace ?? (executed && this.#tracer.knownCall(executed))
      const facts = callFacts(entry, this.#treeOf(header), known)
      return callReport(facts, this.#advised(facts), entry.error !== undefined)
    })
  }

  /** @returns the report of a call whose path or contract has to be found first; undefined when it needs neither */
  lateCall(entry: CallEntry): Promise<Report> | undefined {
    const { executed } = entry
    if (executed === undefined || !isShown(entry)) return undefined
    const { outcome, call, header } = executed
    const isFailed = outcome.kind === 'executed' && outcome.result.outcome !== 'success'
    const isTraced = isFailed && this.#tracer.knownCall(executed) === undefined && this.#mayTrace()
    if (!isTraced && !this.#needsNames(call.to, call.data, header)) return undefined
    return this.#late(isTraced ? () => this.#tracer.call(executed) : undefined, (trace) => this.call(entry, trace))
  }

  transaction(sealed: SealedBlock, index: number, trace?: FailureTrace): Report {
    if (this.#isBrief && isTransfer(sealed, index)) {
      return this.#transfers.report(sealed, index, () => this.#transaction(sealed, index, trace).record())
    }
    return guarded(() => this.#transaction(sealed, index, trace))
  }

  #transaction(sealed: SealedBlock, index: number, trace: FailureTrace | undefined): Report {
    const { isVerbose } = this.#sources
    const known = trace ?? (hasFailed(sealed, index) ? this.#tracer.knownTransaction(sealed.block, index) : undefined)
    const facts = transactionFacts(sealed, index, this.#treeOf(sealed.block), known, isVerbose)
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
    if (this.#hasAbi || this.#isAdvised || !UNKNOWN_ERROR.test(facts.failure ?? '')) return facts
    this.#isAdvised = true
    return { ...facts, failure: `${facts.failure}${ABI_ADVICE}` }
  }

  /**
   * The stack trace for the answer to a failed call. The log shows the same trace.
   * @returns undefined when nothing failed that the sources could explain, or when there is no time
   */
  explain({ executed }: CallEntry, { data }: CallError): Promise<readonly string[] | undefined> | undefined {
    const hash = typeof data === 'object' && data !== null ? (data as { readonly txHash?: string }).txHash : undefined
    const place = hash === undefined ? undefined : this.#placeOf(hash)
    const isFailedCall = executed?.outcome.kind === 'executed' && executed.outcome.result.outcome !== 'success'
    if ((place === undefined && !isFailedCall) || !this.#answerAllowance.isLeft) return undefined
    return this.#answerAllowance.spend(async () => {
      if (place !== undefined) return this.#linesOf(await this.#traceAt(place.header, place.index), place.header)
      return executed && this.#linesOf(await this.#tracer.call(executed), executed.header)
    })
  }

  #placeOf(hash: string): { readonly header: ChainHeader; readonly index: number } | undefined {
    const { chain } = this.#sources
    try {
      const place = chain.transactionLocation(hexToBytes(hash))
      const header = place && chain.headerByHash(place.blockHash)
      return header && { header, index: place.index }
    } catch {
      return undefined
    }
  }

  #linesOf(trace: FailureTrace | undefined, header: ChainHeader): readonly string[] | undefined {
    const path = trace && pathTexts(trace, this.#names, this.#codeAt(header))
    const lines = path && stackTexts(trace, withoutArguments(path))
    return lines?.slice(0, MAX_STACK_LINES).map((line) => `at ${line}`)
  }

  /** Like `lateCall`, but for a transaction. */
  lateTransaction(sealed: SealedBlock, index: number): Promise<Report> | undefined {
    const { isVerbose } = this.#sources
    const transaction = sealed.included[index]?.transaction
    if (transaction === undefined) return undefined
    const isFailed = hasFailed(sealed, index)
    const isKnown = isFailed && this.#tracer.knownTransaction(sealed.block, index) !== undefined
    const isTraced = (isVerbose || isFailed) && !isKnown && this.#mayTrace()
    if (!isTraced && !this.#needsNames(transaction.to, transaction.data, sealed.block)) return undefined
    const trace = (): Promise<FailureTrace | undefined> => this.#traceAt(sealed.block, index)
    return this.#late(isTraced ? trace : undefined, (known) => this.transaction(sealed, index, known))
  }

  #traceAt(block: ChainHeader, index: number): Promise<FailureTrace | undefined> {
    const { tracing } = this.#sources
    return this.#tracer.transaction(block, index, async (recorder) => {
      if (!tracing.canTrace(block)) return
      const tracerFor = (i: number): typeof recorder | undefined => (i === index ? recorder : undefined)
      const limits = { signal: undefined, timeoutMs: MAX_FAILURE_TRACE_MS }
      await tracing.block(block, { tracerFor, end: index + 1 }, limits)
    })
  }

  #mayTrace(): boolean {
    if (this.#allowance.isLeft) return true
    this.#omittedPaths++
    return false
  }

  /** Whether the contract is not known and files may have changed. */
  #needsNames(to: Uint8Array | undefined, data: Uint8Array, header: ChainHeader): boolean {
    if (!this.#hasAbi) return false
    if (to === undefined) this.#names.created(data)
    else this.#names.at(to, this.#codeAt(header))
    return this.#names.isRefreshDue
  }

  async #late(
    trace: (() => Promise<FailureTrace | undefined>) | undefined,
    report: (trace: FailureTrace | undefined) => Report,
  ): Promise<Report> {
    const known = trace && (await this.#allowance.spend(trace))
    let ready = report(known)
    // Whether a name is missing is known only after the report has been built.
    if (this.#names.isRefreshDue) {
      for (const problem of await this.#names.refresh()) this.#warn(problem)
      ready = report(known)
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

function hasFailed({ results }: SealedBlock, index: number): boolean {
  return results[index]?.outcome !== 'success'
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

/** @param shown for readers */
function callReport(facts: CallFacts, shown: CallFacts, isFailed: boolean): Report {
  return {
    level: isFailed ? 'warn' : 'info',
    kind: 'call',
    text: (paint) => callText(shown, paint),
    record: () => callRecord(facts),
  }
}
