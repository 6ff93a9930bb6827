/**
 * Requests that wait: without what is not answered, and without views of their messages, which would remain in memory.
 * @module
 */
import { MAX_SNAP_LOOKUPS } from '../../base/limits/limits.ts'
import { SERVED_ITEMS } from './eth/ethServer.ts'
import type { EthRequest } from './eth/messages.ts'
import type { SnapRequest } from './snap/messages.ts'

/** A request and the bytes that it keeps in memory. */
export interface OwnedRequest<T> {
  readonly request: T
  readonly bytes: number
}

/** Memory of a request beside its byte strings, and of a view. */
const REQUEST_BYTES = 256
const VIEW_BYTES = 96

/** Copies byte strings into one buffer. */
class Copy {
  readonly #buffer: Uint8Array
  #used = 0

  constructor(strings: readonly (Uint8Array | undefined)[]) {
    this.#buffer = new Uint8Array(strings.reduce((sum, bytes) => sum + (bytes?.length ?? 0), 0))
  }

  get bytes(): number {
    return this.#buffer.length
  }

  add(bytes: Uint8Array): Uint8Array {
    const copy = this.#buffer.subarray(this.#used, this.#used + bytes.length)
    copy.set(bytes)
    this.#used += bytes.length
    return copy
  }

  addAll(strings: readonly Uint8Array[]): Uint8Array[] {
    return strings.map((bytes) => this.add(bytes))
  }
}

const memoryOf = ({ bytes }: Copy, views: number): number => bytes + REQUEST_BYTES + views * VIEW_BYTES

export function ownedEthRequest(request: EthRequest): OwnedRequest<EthRequest> {
  if (request.kind === 'getBlockHeaders') {
    const start = request.start instanceof Uint8Array ? request.start.slice() : request.start
    return { request: { ...request, start }, bytes: REQUEST_BYTES }
  }
  const answered = request.hashes.slice(0, SERVED_ITEMS[request.kind])
  const copy = new Copy(answered)
  return { request: { ...request, hashes: copy.addAll(answered) }, bytes: memoryOf(copy, answered.length) }
}

export function ownedSnapRequest(request: SnapRequest): OwnedRequest<SnapRequest> {
  switch (request.kind) {
    case 'getAccountRange': {
      const { root, start, limit } = request
      return {
        request: { ...request, root: root.slice(), start: start.slice(), limit: limit.slice() },
        bytes: REQUEST_BYTES,
      }
    }
    case 'getStorageRanges': {
      const { root, start, limit } = request
      const accounts = request.accounts.slice(0, MAX_SNAP_LOOKUPS)
      const copy = new Copy([root, start, limit, ...accounts])
      const owned = { root: copy.add(root), start: start && copy.add(start), limit: limit && copy.add(limit) }
      return {
        request: { ...request, ...owned, accounts: copy.addAll(accounts) },
        bytes: memoryOf(copy, accounts.length),
      }
    }
    case 'getByteCodes': {
      const hashes = request.hashes.slice(0, MAX_SNAP_LOOKUPS)
      const copy = new Copy(hashes)
      return { request: { ...request, hashes: copy.addAll(hashes) }, bytes: memoryOf(copy, hashes.length) }
    }
    case 'getTrieNodes': {
      const sets = answeredSets(request.paths)
      const paths = sets.flat()
      const copy = new Copy([request.root, ...paths])
      const owned = { root: copy.add(request.root), paths: sets.map((set) => copy.addAll(set)) }
      return { request: { ...request, ...owned }, bytes: memoryOf(copy, paths.length + sets.length) }
    }
  }
}

/** An answer ends after a number of look-ups, and each path needs one. */
function answeredSets(sets: readonly (readonly Uint8Array[])[]): (readonly Uint8Array[])[] {
  const answered: (readonly Uint8Array[])[] = []
  let left = MAX_SNAP_LOOKUPS
  for (const set of sets) {
    if (left <= 0) break
    // The first of several paths names the account.
    answered.push(set.slice(0, left + 1))
    left -= Math.max(1, set.length - 1)
  }
  return answered
}
