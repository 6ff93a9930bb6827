/**
 * The built-ins that the hook uses, as they were before any script of the page ran. The page may replace them later, or
 * change their prototypes, so the hook calls nothing of them by name: it neither spreads lists nor iterates nor awaits.
 * @module
 */

type Apply = (method: unknown, self: unknown, args: readonly unknown[]) => unknown

export const reflect: Pick<
  typeof Reflect,
  'get' | 'set' | 'getOwnPropertyDescriptor' | 'defineProperty' | 'deleteProperty'
> & { readonly apply: Apply } = {
  apply: Reflect.apply as Apply,
  get: Reflect.get,
  set: Reflect.set,
  getOwnPropertyDescriptor: Reflect.getOwnPropertyDescriptor,
  defineProperty: Reflect.defineProperty,
  deleteProperty: Reflect.deleteProperty,
}

export const NativeMap: MapConstructor = Map
export const NativePromise: PromiseConstructor = Promise
export const NativeProxy: ProxyConstructor = Proxy
export const NativeWeakMap: WeakMapConstructor = WeakMap
export const NativeError: ErrorConstructor = Error

const { then: promiseThen } = Promise.prototype
const { get: getOfMap, set: setOfMap, delete: deleteOfMap } = Map.prototype
const { get: getOfWeak, set: setOfWeak } = WeakMap.prototype
const { parse: parseJson, stringify: stringifyJson } = JSON
const { now: nowOfDate } = Date
const { performance: clock } = globalThis
const { now: nowOfClock } = clock

/** @throws {TypeError} for anything that is no promise of the page's realm */
export function settled(
  promise: unknown,
  resolved: (value: unknown) => unknown,
  rejected: (error: unknown) => unknown,
): unknown {
  return reflect.apply(promiseThen, promise, [resolved, rejected])
}

export function mapGet<V>(map: Map<number, V>, key: number): V | undefined {
  return reflect.apply(getOfMap, map, [key]) as V | undefined
}

export function mapSet<V>(map: Map<number, V>, key: number, value: V): void {
  reflect.apply(setOfMap, map, [key, value])
}

export function mapDelete<V>(map: Map<number, V>, key: number): boolean {
  return reflect.apply(deleteOfMap, map, [key]) === true
}

export function weakGet<V>(map: WeakMap<object, V>, key: object): V | undefined {
  return reflect.apply(getOfWeak, map, [key]) as V | undefined
}

export function weakSet<V>(map: WeakMap<object, V>, key: object, value: V): void {
  reflect.apply(setOfWeak, map, [key, value])
}

export function parse(text: string): unknown {
  return parseJson(text)
}

/** @returns undefined for what JSON has no form of */
export function stringify(value: unknown): string | undefined {
  return stringifyJson(value)
}

/** Unix time in ms. */
export function now(): number {
  return nowOfDate()
}

/** in ms */
export function monotonic(): number {
  return reflect.apply(nowOfClock, clock, []) as number
}
