/**
 * Named objects that never change once they exist: files, buckets, key-value services. A mirror is kept in one.
 *
 * Names are lower-case letters, digits, `.`, `-` and `/`, at most 200 characters; no part is empty, `.` or `..`.
 * @module
 */

/** Result of an attempt to create an object. */
export type Creation = 'created' | 'exists'

/**
 * All methods throw a {@link NodeError} MIRROR_UNAVAILABLE that names the object, with the time to wait if the service
 * said one, when the service cannot answer; they never take a failure for an absent object.
 */
export interface ObjectReader {
  /** Name for messages, without secrets. */
  readonly label: string
  /**
   * @param offset of the first byte; default 0
   * @param length at most this many bytes; default: up to the end
   * @returns bytes that the caller may keep, fewer than `length` at the end of the object; undefined: no such object
   */
  get(name: string, offset?: number, length?: number): Promise<Uint8Array | undefined>
  /**
   * Names with this prefix, in ascending order of their characters. A reader without it follows the manifests by number.
   * @param after only later names
   */
  list?(prefix: string, after?: string): AsyncIterable<string>
  /** Calls back when objects may have been added, as a hint. @returns a function that ends it */
  watch?(onChange: () => void): () => void
  close(): Promise<void>
}

export interface ObjectStore extends ObjectReader {
  list(prefix: string, after?: string): AsyncIterable<string>
  /**
   * Whether the service refuses to create an object twice, also for two writers at the same time. Where it cannot, only one
   * publisher may be configured.
   */
  readonly createsOnce: boolean
  /** Durable once it resolves. Nothing is visible of an object that was created in part. */
  create(name: string, bytes: Uint8Array): Promise<Creation>
  /** Creates or replaces an object that is only a hint. */
  put(name: string, bytes: Uint8Array): Promise<void>
  /** Deletes an object, if it exists. */
  delete(name: string): Promise<void>
}
