/**
 * Values that are usually available synchronously: creating a promise often costs more than the work it waits for.
 * @module
 */

export type MaybePromise<T> = T | Promise<T>

/**
 * Passes a value on to `next`, synchronously unless the value is a promise. Then an exception of `next` is thrown to
 * the caller instead of becoming a rejection.
 */
export function mapMaybe<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
