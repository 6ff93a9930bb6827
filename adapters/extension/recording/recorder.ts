/**
 * The calls of the inspected page, as the panel shows and saves them. Bounded: the oldest give way.
 * @module
 */
import { MAX_RECORDED_CALLS, MAX_RECORDING_BYTES } from '../../../src/base/limits/limits.ts'
import type { CallError, RecordedCall } from '../../../src/replay/recording.ts'
import { withoutSecrets } from '../../../src/replay/secrets.ts'
import type { CallBegan, CallEnded } from '../link/messages.ts'

export interface Entry {
  /** Rises with each call. */
  readonly key: number
  readonly call: RecordedCall
}

/** Of a call without its texts. */
const ENTRY_BYTES = 200

export class Recorder {
  /** Whether keys, signatures and signed transactions are kept. */
  keepsSecrets = false
  /** Calls that gave way, or that the page made too fast. */
  lost = 0
  #entries: Entry[] = []
  readonly #sizes = new Map<number, number>()
  /** Keys of the calls that wait, by their number in the page. */
  readonly #open = new Map<number, number>()
  #bytes = 0
  #nextKey = 1

  get entries(): readonly Entry[] {
    return this.#entries
  }

  /** A new document numbers its calls from the beginning. */
  beginPage(): void {
    this.#open.clear()
  }

  began({ id, provider, method, at, ...rest }: CallBegan): void {
    const isKept = 'params' in rest
    const params = isKept ? paramsOf(rest.params) : []
    const call = { method, params, transport: 'wallet', provider, at } satisfies RecordedCall
    this.#open.set(id, this.add(isKept ? call : { ...call, omitted: 'length' }))
  }

  ended({ id, durationMs, size, ...outcome }: CallEnded): void {
    const key = this.#open.get(id)
    const at = key === undefined ? -1 : this.#entries.findLastIndex((entry) => entry.key === key)
    this.#open.delete(id)
    const entry = this.#entries[at]
    if (entry === undefined) return
    const { call } = entry
    const told = { ...call, durationMs, size }
    if ('error' in outcome) this.#replace(at, { ...told, error: errorOf(outcome.error) })
    else if ('result' in outcome) this.#replace(at, { ...told, result: outcome.result })
    else this.#replace(at, { ...told, omitted: call.omitted ?? 'length' })
  }

  /** @returns the key of the new entry */
  add(call: RecordedCall): number {
    const key = this.#nextKey++
    this.#entries.push({ key, call: this.#clean(call) })
    this.#measure(key, call)
    this.#giveWay()
    return key
  }

  clear(): void {
    this.#entries = []
    this.#sizes.clear()
    this.#open.clear()
    this.#bytes = 0
    this.lost = 0
  }

  #clean(call: RecordedCall): RecordedCall {
    return this.keepsSecrets ? call : withoutSecrets(call)
  }

  #replace(at: number, call: RecordedCall): void {
    const { key } = this.#entries[at] as Entry
    this.#entries[at] = { key, call: this.#clean(call) }
    this.#measure(key, call)
    this.#giveWay()
  }

  #measure(key: number, { params, result, error }: RecordedCall): void {
    const bytes = ENTRY_BYTES + 2 * (lengthOf(params) + lengthOf(result) + lengthOf(error))
    this.#bytes += bytes - (this.#sizes.get(key) ?? 0)
    this.#sizes.set(key, bytes)
  }

  #giveWay(): void {
    let gone = 0
    while (this.#entries.length - gone > MAX_RECORDED_CALLS || this.#bytes > MAX_RECORDING_BYTES) {
      const { key } = this.#entries[gone++] as Entry
      this.#bytes -= this.#sizes.get(key) ?? 0
      this.#sizes.delete(key)
    }
    if (gone > 0) this.#entries.splice(0, gone)
    this.lost += gone
  }
}

function lengthOf(value: unknown): number {
  return value === undefined ? 0 : (JSON.stringify(value)?.length ?? 0)
}

function paramsOf(params: unknown): RecordedCall['params'] {
  if (Array.isArray(params)) return params
  return typeof params === 'object' && params !== null ? (params as Readonly<Record<string, unknown>>) : [params]
}

/** Pages throw anything as an error. */
export function errorOf(error: unknown): CallError {
  const { code, message, data } = (typeof error === 'object' && error !== null ? error : {}) as Partial<CallError>
  return {
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message : 'Error without a message',
    ...(data === undefined ? {} : { data }),
  }
}
