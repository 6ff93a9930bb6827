/**
 * Calls of the page to its wallets: what they are, and how the extension hears of them.
 * @module
 */
import { MAX_RECORDED_VALUE_BYTES } from '../../../src/base/limits/limits.ts'
import { monotonic, now, settled, stringify } from './builtins.ts'
import type { ProviderCall } from './wrapProvider.ts'

export interface Request {
  readonly method: string
  readonly params: unknown
}

type Callback = (error: unknown, response: unknown) => unknown

/** @returns undefined unless the call asks for one method; the older forms of `send` included */
export function requestOf({ key, args }: Pick<ProviderCall, 'key' | 'args'>): Request | undefined {
  if (key === 'enable') return { method: 'eth_requestAccounts', params: [] }
  const first = args[0]
  if (typeof first === 'string') return key === 'send' ? { method: first, params: args[1] ?? [] } : undefined
  if (typeof first !== 'object' || first === null) return undefined
  const { method, params = [] } = first as Partial<Request>
  return typeof method === 'string' ? { method, params } : undefined
}

export function callbackOf({ args }: Pick<ProviderCall, 'args'>): Callback | undefined {
  const last = args[args.length - 1]
  return args.length > 1 && typeof last === 'function' ? (last as Callback) : undefined
}

/** Tells the extension of calls. Nothing that it does reaches the page, not even an error. */
export class PageCalls {
  isOn = true
  #nextId = 1
  readonly #send: (text: string) => void

  constructor(send: (text: string) => void) {
    this.#send = send
  }

  /** Makes the call, and reports it. @returns what the page gets */
  observed(call: ProviderCall, provider: string): unknown {
    const request = this.isOn ? silently(() => requestOf(call)) : undefined
    if (request === undefined) return call.pass(call.args)
    const id = this.#nextId++
    const began = monotonic()
    this.#report({ kind: 'began', id, provider, method: request.method, at: now() }, 'params', request.params)
    const end = (member: 'result' | 'error', value: unknown): void => {
      const durationMs = monotonic() - began
      const told = member === 'result' ? value : silently(() => errorOf(value))
      this.#report({ kind: 'ended', id, durationMs }, member, told)
    }
    const callback = callbackOf(call)
    if (callback !== undefined) return call.pass(withCallback(call.args, callback, end))
    let outcome: unknown
    try {
      outcome = call.pass(call.args)
    } catch (error) {
      end('error', error)
      throw error
    }
    return watched(outcome, end)
  }

  /** @param member whose value may be long: then it is left out, and only its length is reported */
  #report(message: object, member: string, value: unknown): void {
    silently(() => {
      const text = stringify(value) ?? 'null'
      const head = messageText({ ...message, size: text.length })
      const isShort = text.length <= MAX_RECORDED_VALUE_BYTES
      this.#send(isShort ? `${head.slice(0, -1)},"${member}":${text}}` : head)
    })
  }
}

/**
 * The page gets a promise that settles like the wallet's. It is another one, so that a rejection which the page does not
 * handle is still reported to the page.
 */
function watched(outcome: unknown, end: (member: 'result' | 'error', value: unknown) => void): unknown {
  if (typeof outcome !== 'object' || outcome === null) {
    end('result', outcome)
    return outcome
  }
  try {
    return settled(
      outcome as Promise<unknown>,
      (value) => {
        end('result', value)
        return value
      },
      (error) => {
        end('error', error)
        throw error
      },
    )
  } catch {
    // No promise of this page: an answer of the synchronous `send`, or a class of the wallet that is called only once.
    end(
      'result',
      silently(() => (outcome as { readonly result?: unknown }).result),
    )
    return outcome
  }
}

function withCallback(
  args: readonly unknown[],
  callback: Callback,
  end: (member: 'result' | 'error', value: unknown) => void,
): readonly unknown[] {
  const replaced: unknown[] = []
  for (let i = 0; i < args.length - 1; i++) replaced[i] = args[i]
  replaced[args.length - 1] = (error: unknown, response: unknown): unknown => {
    silently(() => {
      const { result, error: refused } = (response ?? {}) as { readonly result?: unknown; readonly error?: unknown }
      const failure = error ?? refused
      end(failure ? 'error' : 'result', failure || result)
    })
    return callback(error, response)
  }
  return replaced
}

export interface PlainError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export function errorOf(error: unknown): PlainError {
  const { code, message, data } = (typeof error === 'object' && error !== null ? error : {}) as Partial<PlainError>
  return {
    code: typeof code === 'number' ? code : -32603,
    message: typeof message === 'string' ? message : `${typeof error === 'string' ? error : 'no text'}`,
    ...(data === undefined ? {} : { data }),
  }
}

/** Without a prototype, no function of the page named `toJSON` is called. @throws what the getters of the page throw */
export function messageText(message: object): string {
  return stringify({ __proto__: null, ...message }) ?? ''
}

/** Values of the page may be proxies or have getters that throw. */
export function silently<T>(task: () => T): T | undefined {
  try {
    return task()
  } catch {
    return undefined
  }
}
