/**
 * The remote as a fork asks it: in batches, or not at all.
 * @module
 */
import { MAX_FORK_BATCH } from '../base/limits/forkMemoryLimits.ts'
import type { Capability, RemoteClient, RemoteRequest, RemoteResult } from '../remote/contract.ts'
import { offline, refused } from './errors.ts'

export class RemoteAccess {
  readonly #client: RemoteClient | undefined

  /** @param client undefined: the fork is offline */
  constructor(client: RemoteClient | undefined) {
    this.#client = client
  }

  get isOffline(): boolean {
    return this.#client === undefined
  }

  /**
   * @param datum what is asked for, for the error of a fork that is offline
   * @throws {NodeError} FORK_OFFLINE, FORK_UNAVAILABLE, FORK_RATE_LIMITED
   */
  async requestAll(requests: readonly RemoteRequest[], datum: string): Promise<RemoteResult[]> {
    if (this.#client === undefined) throw offline(datum)
    const results: RemoteResult[] = []
    for (let at = 0; at < requests.length; at += MAX_FORK_BATCH) {
      results.push(...(await this.#client.requestAll(requests.slice(at, at + MAX_FORK_BATCH))))
    }
    return results
  }

  /**
   * Values of requests that the remote must not refuse.
   * @throws {NodeError} REMOTE_REFUSED, and those of {@link requestAll}
   */
  async valuesOf(requests: readonly RemoteRequest[], datum: string): Promise<unknown[]> {
    const results = await this.requestAll(requests, datum)
    return results.map((result, i) => valueOf(result, requests[i] as RemoteRequest))
  }

  can(capability: Capability): boolean | undefined {
    return this.#client?.can(capability)
  }

  learn(capability: Capability, has: boolean): void {
    this.#client?.learn(capability, has)
  }

  close(): void {
    this.#client?.close()
  }
}

/** @throws {NodeError} REMOTE_REFUSED */
export function valueOf(result: RemoteResult, { method }: RemoteRequest): unknown {
  if (result.kind === 'error') throw refused(method, result.error)
  return result.value
}
