/**
 * Requests of tabs that must be done once, though a tab may ask again after a takeover.
 * @module
 */
import { RequestError, type RequestErrorParts } from '../../../src/rpc/providerContract.ts'
import type { ClientRecord, ClientRecords, Outcome } from './clientRecords.ts'
import type { MethodKind } from './methodKind.ts'
import { Turns } from './turns.ts'

export interface OnceRequest {
  /** Tab and number. */
  readonly id: string
  readonly kind: MethodKind
  run(): Promise<unknown>
  /** Waits for the receipt of a transaction. */
  receiptOf(transaction: string): Promise<unknown>
}

/** Of a request that an earlier worker has applied without storing what it answers. */
const APPLIED = 'the request was applied, but its answer was lost when the node moved to another worker'
const SERVER_ERROR = -32000

export class ClientRequests {
  readonly #turns = new Turns()
  /** undefined for a chain in memory, which ends with its worker */
  readonly #records: ClientRecords | undefined
  /** Requests that run, by id. */
  readonly #running = new Map<string, Promise<unknown>>()

  constructor(records: ClientRecords | undefined) {
    this.#records = records
  }

  /** Runs a request that may be asked again, and makes transactions. */
  async beside<T>(run: () => Promise<T>): Promise<T> {
    const end = await this.#turns.beside()
    try {
      return await run()
    } finally {
      end()
    }
  }

  /** Runs a request, unless it runs or an earlier worker has applied it. */
  once(request: OnceRequest): Promise<unknown> {
    const { id } = request
    const running = this.#running.get(id)
    if (running !== undefined) return running
    const record = this.#records?.recordOf(id)
    const run = record === undefined ? this.#inTurn(request) : this.#answerOf(record, request)
    const answer = run.finally(() => this.#running.delete(id))
    this.#running.set(id, answer)
    return answer
  }

  async #inTurn(request: OnceRequest): Promise<unknown> {
    const endTurn = await this.#turns.alone()
    try {
      return this.#records === undefined ? await request.run() : await this.#recorded(request, this.#records, endTurn)
    } finally {
      endTurn()
    }
  }

  async #recorded({ id, kind, run }: OnceRequest, records: ClientRecords, endTurn: () => void): Promise<unknown> {
    let applied: ClientRecord | undefined
    records.begin(id, kind, (record) => {
      applied = record
      // From here on, the request only waits, so others need not.
      if (isSend(kind) && record.transaction !== undefined) endTurn()
    })
    const outcome = await outcomeOf(run)
    records.end(id)
    if (applied !== undefined && !isTold(applied, kind, outcome)) await records.complete(applied, outcome)
    return resultOf(outcome)
  }

  async #answerOf({ outcome, transaction }: ClientRecord, { kind, receiptOf }: OnceRequest): Promise<unknown> {
    if (outcome !== undefined) return resultOf(outcome)
    if (transaction === undefined || !isSend(kind)) throw new RequestError({ code: SERVER_ERROR, message: APPLIED })
    return kind === 'send' ? transaction : receiptOf(transaction)
  }
}

const isSend = (kind: MethodKind): boolean => kind === 'send' || kind === 'sendAndWait'

/** Whether the first record already tells the outcome. */
function isTold({ transaction }: ClientRecord, kind: MethodKind, outcome: Outcome): boolean {
  if (transaction === undefined || outcome.kind === 'failure') return false
  return kind === 'sendAndWait' || (kind === 'send' && outcome.result === transaction)
}

async function outcomeOf(run: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { kind: 'result', result: await run() }
  } catch (error) {
    return { kind: 'failure', error: errorParts(error) }
  }
}

/** @throws {RequestError} */
function resultOf(outcome: Outcome): unknown {
  if (outcome.kind === 'failure') throw new RequestError(outcome.error)
  return outcome.result
}

const INTERNAL_ERROR = -32603

/** An error as it is sent to a tab. */
export function errorParts(error: unknown): RequestErrorParts {
  if (!(error instanceof RequestError)) {
    return { code: INTERNAL_ERROR, message: error instanceof Error ? error.message : String(error) }
  }
  const { code, message, data, stackTrace, expected, got, parameter } = error
  const given = { data, stackTrace, expected, got, parameter }
  return { code, message, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) }
}
