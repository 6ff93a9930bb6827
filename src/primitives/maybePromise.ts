/**
 * Values that are there at once, most of the time: a promise costs more than much of what it would wait for.
 * @module
 */

export type MaybePromise<T> = T | Promise<T>

/** Goes on with a value, at once where it is there. What `next` throws is then thrown here, not a rejection. */
export function afterwards<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
