/**
 * Runs in the world of the inspected page before its scripts. Wallets that other extensions inject get a stand-in each,
 * and so the panel sees what the page asks of them.
 * @module
 */
import type { Answered, Settled, ToPage } from '../link/messages.ts'
import { NativeWeakMap, reflect, settled, weakGet, weakSet } from './builtins.ts'
import { PageFork } from './fork.ts'
import { PageListeners } from './listeners.ts'
import { errorOf, messageText, PageCalls, silently } from './pageCalls.ts'
import { PageLink } from './pageLink.ts'
import { type ProviderCall, ProviderWrapper } from './wrapProvider.ts'

/** Set by forked.ts, which runs before this script where the chain of the page is a fork. */
const FORKED = 'isonodeForked'
const ANNOUNCE = 'eip6963:announceProvider'
/** EIP-1193: the provider is disconnected. */
const NO_WALLET = { code: 4900, message: 'the page has no wallet' }
const UNNAMED = 'window.ethereum'

const { addEventListener } = EventTarget.prototype
const readDetail = reflect.getOwnPropertyDescriptor(CustomEvent.prototype, 'detail')?.get
const freeze = Object.freeze

const names: WeakMap<object, string> = new NativeWeakMap()
const details: WeakMap<object, object> = new NativeWeakMap()
/** The wallet that the page used last; at first, one that it has. */
let current: object | undefined
let chainBefore: unknown
let accountsBefore: unknown

const listeners = new PageListeners()
const link = new PageLink(receive)
const send = (text: string): void => link.send(text)
const calls = new PageCalls(send)
const fork = new PageFork(send, listeners, takeFlag())
const wrapper = new ProviderWrapper(onCall)

function onCall(call: ProviderCall): unknown {
  const { key, provider, args } = call
  if (key !== 'request' && key !== 'send' && key !== 'sendAsync' && key !== 'enable') {
    silently(() => listeners.follow(call))
    return call.pass(args)
  }
  current = provider
  const name = nameOf(provider)
  if (!fork.isOn) fork.walletAsked()
  return fork.isOn
    ? calls.observed({ ...call, pass: (given) => fork.call({ ...call, args: given }) }, `${name} (fork)`)
    : calls.observed(call, name)
}

function nameOf(provider: object): string {
  return weakGet(names, provider) ?? UNNAMED
}

function receive(value: unknown): void {
  const message = value as ToPage
  switch (message.kind) {
    case 'record':
      calls.isOn = message.isOn
      return
    case 'fork':
    case 'back':
      fork.change(message, () => ({ chainId: chainBefore, accounts: accountsBefore }))
      return
    case 'answer':
      fork.settle(message)
      return
    case 'gone':
      fork.fail()
      return
    case 'ask':
      askWallet(message.id, message.method, message.params)
  }
}

/** A request of the extension, which the page does not see. */
function askWallet(id: number, method: string, params: unknown): void {
  const answer = (outcome: Settled): void => send(messageText({ kind: 'answer', id, ...outcome } satisfies Answered))
  const fail = (error: unknown): void => answer({ error: silently(() => errorOf(error)) ?? errorOf(undefined) })
  try {
    wrapInjected()
    if (current === undefined) {
      fail(NO_WALLET)
      return
    }
    const request = reflect.get(current, 'request')
    const asked = reflect.apply(request, current, [{ method, params }]) as Promise<unknown>
    settled(
      asked,
      (result) => {
        if (method === 'eth_chainId') chainBefore = result
        if (method === 'eth_accounts') accountsBefore = result
        answer({ result: result ?? null })
      },
      fail,
    )
  } catch (error) {
    fail(error)
  }
}

/** Replaces `window.ethereum` by its stand-in, unless the wallet forbids it. */
function wrapInjected(): void {
  silently(() => {
    const descriptor = reflect.getOwnPropertyDescriptor(window, 'ethereum')
    const provider: unknown = descriptor === undefined ? undefined : reflect.get(window, 'ethereum')
    if (descriptor === undefined || !wrapper.canWrap(provider)) return
    const seen = wrapper.wrap(provider)
    current ??= provider
    if (descriptor.configurable === true) {
      reflect.defineProperty(window, 'ethereum', {
        __proto__: null,
        value: seen,
        writable: descriptor.writable ?? descriptor.set !== undefined,
        enumerable: descriptor.enumerable,
        configurable: true,
      } as PropertyDescriptor)
    } else reflect.set(window, 'ethereum', seen)
  })
}

/** The event keeps its identity; only what it tells of the provider is replaced. */
function wrapAnnounced(event: Event): void {
  silently(() => {
    const detail = reflect.apply(readDetail, event, []) as object | null
    if (detail === null || typeof detail !== 'object') return
    const known = weakGet(details, detail) ?? announcementOf(detail)
    if (known === undefined) return
    weakSet(details, detail, known)
    reflect.defineProperty(event, 'detail', { __proto__: null, value: known, configurable: true } as PropertyDescriptor)
  })
}

function announcementOf(detail: object): object | undefined {
  const { info, provider } = detail as { readonly info?: { readonly name?: unknown }; readonly provider?: unknown }
  if (!wrapper.canWrap(provider)) return undefined
  if (typeof info?.name === 'string') weakSet(names, provider, info.name)
  current ??= provider
  return freeze({ info, provider: wrapper.wrap(provider) })
}

function takeFlag(): boolean {
  const isForked = reflect.get(globalThis, FORKED) === true
  reflect.deleteProperty(globalThis, FORKED)
  return isForked
}

const listen = (name: string, listener: (event: Event) => void): unknown =>
  reflect.apply(addEventListener, window, [name, listener, true])

listen(ANNOUNCE, wrapAnnounced)
listen('ethereum#initialized', wrapInjected)
listen('DOMContentLoaded', wrapInjected)
listen('load', wrapInjected)
wrapInjected()
// Wallets are injected at the same moment as this script. Their order is not known, but the parser reports its first
// element to observers before it runs the first script.
const observer = new MutationObserver(() => {
  wrapInjected()
  observer.disconnect()
})
observer.observe(document, { childList: true, subtree: true })
