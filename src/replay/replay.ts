/**
 * Runs the calls of a recording again, one after another, and compares what the chain answers.
 * @module
 */
import { REPLAY_RECEIPT_MS } from '../base/limits/limits.ts'
import type { AbortSignal } from '../base/ports/webTypes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { type Difference, differences } from './compare.ts'
import { comparable, mayWait, treatmentOf } from './policy.ts'
import type { CallError, CallParams, RecordedCall, Recording } from './recording.ts'

export interface ReplayTarget {
  /** @throws an error with `code`, `message` and `data` as of JSON-RPC; {NodeError} when nobody answers */
  request(method: string, params: CallParams): Promise<unknown>
  wait(ms: number): Promise<void>
}

export interface CallDifference extends Difference {
  /** Index of the call in the recording. */
  readonly call: number
  readonly method: string
}

export interface ReplayReport {
  /** Calls whose answers were compared. */
  readonly compared: number
  /** Transactions that were sent again. */
  readonly sent: number
  /** Calls that were not run, by the reason. */
  readonly skipped: Readonly<Record<SkipReason, number>>
  readonly differences: readonly CallDifference[]
}

/** `volatile`: a wallet answers it, or the answer depends on the time. */
type SkipReason = 'volatile' | 'incomplete' | 'unsendable'

type Outcome = { readonly result: unknown } | { readonly error: CallError }

const POLL_MS = 250
const INTERNAL_ERROR = -32603

/** @throws {NodeError} of the target; the reason of the signal */
export async function replay({ calls }: Recording, target: ReplayTarget, signal?: AbortSignal): Promise<ReplayReport> {
  const run = new ReplayRun(target)
  for (const [i, call] of calls.entries()) {
    signal?.throwIfAborted()
    await run.next(call, i)
  }
  return run.report()
}

class ReplayRun {
  readonly #target: ReplayTarget
  /** Hashes and names of the recording, in lower case, with those that stand for them now. */
  readonly #names = new Map<string, unknown>()
  readonly #impersonated = new Map<string, boolean>()
  readonly #differences: CallDifference[] = []
  readonly #skipped: Record<SkipReason, number> = { volatile: 0, incomplete: 0, unsendable: 0 }
  #compared = 0
  #sent = 0

  constructor(target: ReplayTarget) {
    this.#target = target
  }

  report(): ReplayReport {
    return { compared: this.#compared, sent: this.#sent, skipped: this.#skipped, differences: this.#differences }
  }

  async next(call: RecordedCall, index: number): Promise<void> {
    const { method } = call
    const treatment = treatmentOf(method)
    if (treatment === 'skip' || isRefusal(call)) this.#skipped.volatile++
    else if (!isComplete(call)) this.#skipped.incomplete++
    else if (treatment === 'compare') await this.#compare(call, index)
    else if (treatment === 'send') await this.#send(call, index)
    else await this.#name(call)
  }

  async #compare(call: RecordedCall, index: number): Promise<void> {
    const { method, result } = call
    const params = this.#renamed(call.params) as CallParams
    const recorded = outcomeOf(call)
    const isAwaited = mayWait(method) && 'result' in recorded
    if (isAwaited && result === null) {
      this.#skipped.volatile++
      return
    }
    const replayed = isAwaited ? await this.#awaited(method, params) : await this.#ask(method, params)
    this.#compared++
    if ('result' in replayed) this.#learn(result, replayed.result)
    this.#note(call, index, comparedOutcomes(method, this.#renamedOutcome(recorded), replayed))
  }

  /** A node that cannot send for the account gets nothing: it might be no test chain. */
  async #send(call: RecordedCall, index: number): Promise<void> {
    const [transaction] = (Array.isArray(call.params) ? call.params : []) as readonly unknown[]
    const sender = (transaction as { readonly from?: unknown } | undefined)?.from
    if (typeof sender !== 'string' || !(await this.#impersonate(sender))) {
      this.#skipped.unsendable++
      return
    }
    const replayed = await this.#ask('eth_sendTransaction', [this.#renamed(transaction)])
    this.#sent++
    if ('result' in replayed && typeof call.result === 'string') {
      this.#names.set(call.result.toLowerCase(), replayed.result)
    } else this.#note(call, index, comparedFailures(outcomeOf(call), replayed))
  }

  async #name({ method, params, result }: RecordedCall): Promise<void> {
    const replayed = await this.#ask(method, this.#renamed(params) as CallParams)
    if ('result' in replayed && typeof result === 'string') this.#names.set(result.toLowerCase(), replayed.result)
  }

  async #impersonate(sender: string): Promise<boolean> {
    const key = sender.toLowerCase()
    const known = this.#impersonated.get(key)
    if (known !== undefined) return known
    const canSend = 'result' in (await this.#ask('hardhat_impersonateAccount', [sender]))
    this.#impersonated.set(key, canSend)
    return canSend
  }

  async #ask(method: string, params: CallParams): Promise<Outcome> {
    try {
      return { result: (await this.#target.request(method, params)) ?? null }
    } catch (error) {
      if (error instanceof NodeError) throw error
      return { error: errorOf(error) }
    }
  }

  /** Asks until the object is there, as the page did. */
  async #awaited(method: string, params: CallParams): Promise<Outcome> {
    for (let waited = 0; ; waited += POLL_MS) {
      const outcome = await this.#ask(method, params)
      const isThere = 'error' in outcome || outcome.result !== null
      if (isThere || waited >= REPLAY_RECEIPT_MS) return outcome
      await this.#target.wait(POLL_MS)
    }
  }

  /** The block of a transaction has another hash now. */
  #learn(recorded: unknown, replayed: unknown): void {
    const before = (recorded as { readonly blockHash?: unknown } | null | undefined)?.blockHash
    const after = (replayed as { readonly blockHash?: unknown } | null | undefined)?.blockHash
    if (typeof before === 'string' && typeof after === 'string') this.#names.set(before.toLowerCase(), after)
  }

  #renamedOutcome(outcome: Outcome): Outcome {
    return 'result' in outcome ? { result: this.#renamed(outcome.result) } : outcome
  }

  #renamed(value: unknown): unknown {
    if (this.#names.size === 0) return value
    if (typeof value === 'string') return this.#names.get(value.toLowerCase()) ?? value
    if (Array.isArray(value)) return value.map((item) => this.#renamed(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.#renamed(member)]))
  }

  #note({ method }: RecordedCall, call: number, found: readonly Difference[]): void {
    for (const difference of found) this.#differences.push({ call, method, ...difference })
  }
}

/** EIP-1193: the user or the wallet refused. No chain does. */
function isRefusal({ error }: RecordedCall): boolean {
  return error?.code === 4001 || error?.code === 4100
}

function isComplete(call: RecordedCall): boolean {
  return call.omitted === undefined && ('result' in call || call.error !== undefined)
}

function outcomeOf({ result, error }: RecordedCall): Outcome {
  return error === undefined ? { result } : { error }
}

function comparedOutcomes(method: string, recorded: Outcome, replayed: Outcome): Difference[] {
  if ('error' in recorded || 'error' in replayed) return comparedFailures(recorded, replayed)
  return differences(comparable(method, recorded.result), comparable(method, replayed.result), 'result')
}

/** Clients and wallets word their errors differently, so texts are compared only where no data say more. */
function comparedFailures(recorded: Outcome, replayed: Outcome): Difference[] {
  if ('error' in recorded && 'error' in replayed) {
    const [before, after] = [revertDataOf(recorded.error), revertDataOf(replayed.error)]
    if (before !== undefined || after !== undefined) return differences(before, after, 'error.data')
    return differences(recorded.error.message, replayed.error.message, 'error.message')
  }
  const path = 'error' in recorded ? 'error' : 'error' in replayed ? 'result' : undefined
  return path === undefined ? [] : [{ path, recorded: shown(recorded), replayed: shown(replayed) }]
}

function shown(outcome: Outcome): unknown {
  return 'error' in outcome ? `error ${outcome.error.code}: ${outcome.error.message}` : outcome.result
}

/** Wallets put the error of their node into `data`. */
function revertDataOf({ data }: CallError): string | undefined {
  const inner = typeof data === 'object' && data !== null && 'data' in data ? data.data : data
  return typeof inner === 'string' && /^0x(?:[0-9a-f]{2})*$/i.test(inner) ? inner : undefined
}

function errorOf(error: unknown): CallError {
  const { code, message, data } = (typeof error === 'object' && error !== null ? error : {}) as Partial<CallError>
  return {
    code: typeof code === 'number' ? code : INTERNAL_ERROR,
    message: typeof message === 'string' ? message : String(error),
    ...(data === undefined ? {} : { data }),
  }
}
