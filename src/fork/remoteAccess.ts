/**
 * The remote as a fork asks it: in batches, or not at all; each address, where two of them must agree.
 * @module
 */
import { MAX_FORK_BATCH } from '../base/limits/limits.ts'
import type { RemoteBlock } from '../base/ports/keyValueStore.ts'
import { bytesToHex, quantity } from '../base/primitives/bytes.ts'
import type { Capability, RemoteClient, RemoteRequest, RemoteResult } from '../remote/contract.ts'
import { refused } from '../remote/errors.ts'
import { noQuorum, offline } from './errors.ts'

export class RemoteAccess {
  readonly #client: RemoteClient | undefined
  readonly #isQuorum: boolean

  /**
   * @param client undefined: the fork is offline
   * @param isQuorum whether an answer counts only if two addresses give it
   */
  constructor(client: RemoteClient | undefined, isQuorum = false) {
    this.#client = client
    this.#isQuorum = isQuorum
  }

  /**
   * @param datum what is asked for, for the error of a fork that is offline
   * @throws {NodeError} FORK_OFFLINE, FORK_UNAVAILABLE, FORK_RATE_LIMITED; FORK_UNPROVEN without a quorum
   */
  async requestAll(requests: readonly RemoteRequest[], datum: string): Promise<RemoteResult[]> {
    const client = this.#client
    if (client === undefined) throw offline(datum)
    const results: RemoteResult[] = []
    for (let at = 0; at < requests.length; at += MAX_FORK_BATCH) {
      const batch = requests.slice(at, at + MAX_FORK_BATCH)
      const answers = this.#isQuorum
        ? Promise.all(batch.map((request) => agreedResult(client, request)))
        : client.requestAll(batch)
      results.push(...(await answers))
    }
    return results
  }

  /**
   * Values of requests that the remote must not refuse.
   * @throws {NodeError} REMOTE_REFUSED, and those of {@link requestAll}
   */
  async valuesOf(requests: readonly RemoteRequest[], datum: string): Promise<unknown[]> {
    const results = await this.requestAll(requests, datum)
    return results.map((result, i) => acceptedValue(result, requests[i] as RemoteRequest))
  }

  /** Asks one address, also where two must agree: for hints, and for heads, which differ. */
  async requestOne(requests: readonly RemoteRequest[], datum: string): Promise<RemoteResult[]> {
    if (this.#client === undefined) throw offline(datum)
    return await this.#client.requestAll(requests)
  }

  /** The parameter that names a block whose state is read. */
  blockParameter({ number, hash }: RemoteBlock): unknown {
    return this.can('stateByHash') === false ? quantity(number) : { blockHash: bytesToHex(hash) }
  }

  /** Addresses without their secrets; none of a fork that is offline. */
  get origins(): readonly string[] {
    return this.#client?.status.origins ?? []
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
export function acceptedValue(result: RemoteResult, { method }: RemoteRequest): unknown {
  if (result.kind === 'error') throw refused(method, result.error)
  return result.value
}

/** A result that two addresses give, or the refusal of all of them. */
async function agreedResult(client: RemoteClient, { method, params }: RemoteRequest): Promise<RemoteResult> {
  const answers = await client.askAll(method, params)
  const results = answers.filter((answer) => answer.kind === 'result')
  const agreed = results.find((result, i) => results.slice(0, i).some((other) => agree(result.value, other.value)))
  if (agreed !== undefined) return agreed
  const refusal = answers.find((answer) => answer.kind === 'error')
  if (results.length === 0 && refusal !== undefined) return refusal
  throw noQuorum(
    method,
    results.map(({ origin }) => origin),
  )
}

/** Nodes differ in members that are not part of a specification, in leading zeros and in the case of hex. */
function agree(a: unknown, b: unknown): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a === b || hexDigits(a) === hexDigits(b)
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => agree(item, b[i]))
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  const others = b as Readonly<Record<string, unknown>>
  return Object.entries(a).every(([name, value]) => !(name in others) || agree(value, others[name]))
}

function hexDigits(text: string): string {
  return text.toLowerCase().replace(/^0x0*/, '0x')
}
