/**
 * The page while its chain is a fork: the extension answers in the place of the wallet.
 * @module
 */
import { MAX_RECORDED_CALLS } from '../../../src/base/limits/limits.ts'
import type { Answered, Switch } from '../link/messages.ts'
import { mapDelete, mapGet, mapSet, NativeError, NativeMap, NativePromise, reflect, settled } from './builtins.ts'
import type { PageListeners } from './listeners.ts'
import { callbackOf, messageText, type PlainError, type Request, requestOf, silently } from './pageCalls.ts'
import type { ProviderCall } from './wrapProvider.ts'

/** EIP-1193: the provider is disconnected. */
const DISCONNECTED = 4900

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

export class PageFork {
  /** Also true at the start of a page that was forked before it was loaded again. */
  isOn: boolean
  readonly #send: (text: string) => void
  readonly #listeners: PageListeners
  readonly #waiting: Map<number, Waiting> = new NativeMap()
  #hasAskedWallet = false
  #count = 0
  /** Requests with smaller numbers have been answered. */
  #oldest = 1
  #nextId = 1

  constructor(send: (text: string) => void, listeners: PageListeners, isOn: boolean) {
    this.#send = send
    this.#listeners = listeners
    this.isOn = isOn
  }

  /** The page asks its wallet, and so knows the chain of it. */
  walletAsked(): void {
    this.#hasAskedWallet = true
  }

  /** @returns the answer of the fork, in the form of the function that the page called */
  call(call: ProviderCall): unknown {
    const request = silently(() => requestOf(call))
    if (request === undefined) return call.pass(call.args)
    const callback = callbackOf(call)
    const answer = this.#ask(request)
    if (callback === undefined) return answer
    const { id = 1, jsonrpc = '2.0' } = call.args[0] as { readonly id?: unknown; readonly jsonrpc?: unknown }
    settled(
      answer,
      (result) => callback(null, { id, jsonrpc, result }),
      (error) => callback(error, { id, jsonrpc, error }),
    )
    return undefined
  }

  /** @param walletState of the wallet, for its events when the page comes back */
  change(message: Switch, walletState: () => { readonly chainId: unknown; readonly accounts: unknown }): void {
    // A page that was loaded again in the fork has seen no other chain. Some load themselves again at each change.
    const isFirst = message.kind === 'fork' && (this.isOn || !this.#hasAskedWallet)
    this.isOn = message.kind === 'fork'
    if (isFirst) return
    const { chainId, accounts } = message.kind === 'fork' ? message : walletState()
    if (accounts !== undefined) this.#listeners.emit('accountsChanged', accounts)
    if (chainId !== undefined) this.#listeners.emit('chainChanged', chainId)
  }

  settle(answer: Answered): void {
    const waiting = mapGet(this.#waiting, answer.id)
    if (waiting === undefined || !mapDelete(this.#waiting, answer.id)) return
    this.#count--
    if ('error' in answer) waiting.reject(providerError(answer.error))
    else waiting.resolve(answer.result)
  }

  /** Fails the requests that wait. */
  fail(): void {
    const error = { code: DISCONNECTED, message: 'the fork cannot be reached' }
    for (let id = this.#oldest; id < this.#nextId; id++) this.settle({ kind: 'answer', id, error })
    this.#oldest = this.#nextId
  }

  #ask({ method, params }: Request): Promise<unknown> {
    return new NativePromise((resolve, reject) => {
      if (this.#count >= MAX_RECORDED_CALLS)
        return reject(providerError({ code: -32005, message: 'too many requests' }))
      const id = this.#nextId++
      this.#send(messageText({ kind: 'ask', id, method, params }))
      this.#count++
      mapSet(this.#waiting, id, { resolve, reject })
    })
  }
}

function providerError({ code, message, data }: PlainError): Error {
  const error = new NativeError(message)
  const define = (name: string, value: unknown): void => {
    reflect.defineProperty(error, name, { __proto__: null, value, enumerable: true } as PropertyDescriptor)
  }
  define('code', code)
  if (data !== undefined) define('data', data)
  return error
}
