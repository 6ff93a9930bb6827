/**
 * A stand-in for an injected wallet, which behaves like it and shows what is asked of it.
 * @module
 */
import { NativeProxy, NativeWeakMap, reflect, weakGet, weakSet } from './builtins.ts'

export type Provider = object

/** A function of a provider that the page calls. */
export interface ProviderCall {
  readonly provider: Provider
  /** The stand-in. */
  readonly seen: Provider
  readonly key: string
  readonly args: readonly unknown[]
  /** Calls the function of the wallet. */
  readonly pass: (args: readonly unknown[]) => unknown
}

export type OnCall = (call: ProviderCall) => unknown

/** Functions that the observer sees; others are only called with the right `this`. */
const isObserved = (key: PropertyKey): key is string =>
  key === 'request' ||
  key === 'send' ||
  key === 'sendAsync' ||
  key === 'enable' ||
  key === 'on' ||
  key === 'once' ||
  key === 'addListener' ||
  key === 'off' ||
  key === 'removeListener'

export class ProviderWrapper {
  readonly #seen: WeakMap<object, object> = new NativeWeakMap()
  readonly #onCall: OnCall

  constructor(onCall: OnCall) {
    this.#onCall = onCall
  }

  /** Whether the object can be a wallet, and can be wrapped: a property that never changes must keep its value. */
  canWrap(value: unknown): value is Provider {
    if (typeof value !== 'object' || value === null || weakGet(this.#seen, value) === value) return false
    return typeof reflect.get(value, 'request') === 'function' && !isFixed(value, 'request')
  }

  /** The same stand-in for the same provider, and for itself. */
  wrap(provider: Provider): Provider {
    const known = weakGet(this.#seen, provider)
    if (known !== undefined) return known
    const functions: WeakMap<object, object> = new NativeWeakMap()
    const onCall = this.#onCall
    const standIn = (value: unknown, key: PropertyKey): unknown => {
      if (typeof value !== 'function' || key === 'constructor') return value
      const made = weakGet(functions, value)
      if (made !== undefined) return made
      const wrapped = new NativeProxy(
        value as () => unknown,
        {
          __proto__: null,
          apply(method, self, args: readonly unknown[]): unknown {
            // Classes with private members accept only themselves as `this`.
            const receiver = self === seen ? provider : self
            const pass = (given: readonly unknown[]): unknown => {
              const result = reflect.apply(method, receiver, given)
              return result === provider ? seen : result
            }
            return isObserved(key) ? onCall({ provider, seen, key, args, pass }) : pass(args)
          },
        } as ProxyHandler<() => unknown>,
      )
      weakSet(functions, value, wrapped)
      return wrapped
    }
    const seen: object = new NativeProxy(provider, {
      __proto__: null,
      get: (target, key) => {
        const value: unknown = reflect.get(target, key, target)
        return isFixed(target, key) ? value : standIn(value, key)
      },
      set: (target, key, value) => reflect.set(target, key, value, target),
      getOwnPropertyDescriptor: (target, key) => {
        const descriptor = reflect.getOwnPropertyDescriptor(target, key)
        if (descriptor?.configurable === true && 'value' in descriptor)
          descriptor.value = standIn(descriptor.value, key)
        return descriptor
      },
    } as ProxyHandler<object>)
    weakSet(this.#seen, provider, seen)
    weakSet(this.#seen, seen, seen)
    return seen
  }
}

function isFixed(target: object, key: PropertyKey): boolean {
  const descriptor = reflect.getOwnPropertyDescriptor(target, key)
  return descriptor?.configurable === false && descriptor.writable !== true
}
