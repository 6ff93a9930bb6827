/**
 * Asks a remote what a call reads.
 * @module
 */
import type { MissCause, RemoteBlock, StateRead } from '../base/ports/keyValueStore.ts'
import { bytesToHex, quantity } from '../base/primitives/bytes.ts'
import type { Capability, RemoteResult } from '../remote/contract.ts'
import { isMissingMethod } from '../remote/refusals.ts'
import { readAccessList } from './blockJson.ts'
import { readCallWitness } from './callWitness.ts'
import type { ForkSource } from './contract.ts'
import type { RemoteAccess } from './remoteAccess.ts'
import { RemoteObject, readPadded } from './remoteObject.ts'

/** A method that tells what a call reads. */
interface PlanMethod {
  readonly capability: Capability
  readonly method: string
  readonly options: readonly unknown[]
  readonly read: (value: unknown, block: RemoteBlock) => Plan
}

interface Plan {
  readonly reads: readonly StateRead[]
  /** What the answer proves. */
  readonly entries?: readonly (readonly [key: Uint8Array, value: Uint8Array])[]
}

const MAX_ACCOUNTS = 100_000

const ACCESS_LIST: PlanMethod = {
  capability: 'accessLists',
  method: 'eth_createAccessList',
  options: [],
  read: (value) => ({ reads: readsOfAccessList(new RemoteObject(value, 'eth_createAccessList')) }),
}

const WITNESS: PlanMethod = {
  capability: 'callWitness',
  method: 'isonode_callWitness',
  options: [],
  read: readCallWitness,
}

const PRESTATE: PlanMethod = {
  capability: 'prestateTraces',
  method: 'debug_traceCall',
  options: [{ tracer: 'prestateTracer' }],
  read: (value) => ({ reads: readsOfPrestate(value) }),
}

export interface RemotePlansDeps {
  readonly remote: RemoteAccess
  readonly source: ForkSource
}

export class RemotePlans {
  readonly #deps: RemotePlansDeps

  constructor(deps: RemotePlansDeps) {
    this.#deps = deps
  }

  /** Whether the remote is known to have none of the methods. */
  get hasNone(): boolean {
    return [WITNESS, ACCESS_LIST, PRESTATE].every(({ capability }) => this.#deps.remote.can(capability) === false)
  }

  /**
   * An access list takes fewest bytes. A trace, which repeats all code, is the second choice.
   * @throws {NodeError} those of the remote
   */
  async readsOf(block: RemoteBlock, cause: MissCause): Promise<readonly StateRead[]> {
    const { remote } = this.#deps
    const has = ({ capability }: PlanMethod): boolean => remote.can(capability) !== false
    const first = remote.can('callWitness') === true ? [WITNESS] : [WITNESS, ACCESS_LIST].filter(has)
    const reads = first.length === 0 ? undefined : await this.#ask(first, block, cause)
    return reads ?? (has(PRESTATE) && !has(ACCESS_LIST) ? await this.#ask([PRESTATE], block, cause) : undefined) ?? []
  }

  /** In one batch. @returns undefined when the remote has none of the methods */
  async #ask(
    methods: readonly PlanMethod[],
    block: RemoteBlock,
    cause: MissCause,
  ): Promise<readonly StateRead[] | undefined> {
    const { remote, source } = this.#deps
    const call = callJson(cause)
    const at = remote.blockParameter(block)
    const requests = methods.map(({ method, options }) => ({ method, params: [call, at, ...options] }))
    const results = await remote.requestOne(requests, 'the plan of a call')
    for (const [i, result] of results.entries()) this.#learn(methods[i] as PlanMethod, result)
    const answered = results.findIndex(({ kind }) => kind === 'result')
    const result = results[answered]
    if (result?.kind !== 'result') return results.every(isMissing) ? undefined : []
    const { reads, entries = [] } = (methods[answered] as PlanMethod).read(result.value, block)
    source.put(entries)
    return reads
  }

  #learn({ capability }: PlanMethod, result: RemoteResult): void {
    if (result.kind === 'result') this.#deps.remote.learn(capability, true)
    else if (isMissing(result)) this.#deps.remote.learn(capability, false)
  }
}

function isMissing(result: RemoteResult): boolean {
  return result.kind === 'error' && isMissingMethod(result.error)
}

function callJson({ sender, to, value, data }: MissCause): unknown {
  return {
    from: bytesToHex(sender),
    ...(to === undefined ? {} : { to: bytesToHex(to) }),
    value: quantity(value),
    data: bytesToHex(data),
  }
}

function readsOfAccessList(json: RemoteObject): StateRead[] {
  return readAccessList(json).flatMap(({ address, storageKeys }) => [
    { address },
    ...storageKeys.map((slot) => ({ address, slot })),
  ])
}

function readsOfPrestate(value: unknown): StateRead[] {
  const accounts = new RemoteObject(value, 'debug_traceCall')
  return accounts.names.slice(0, MAX_ACCOUNTS).flatMap((name) => {
    const address = readPadded(name, accounts.datum(name), 20)
    const account = new RemoteObject(accounts.raw(name), accounts.datum(name))
    const slots = account.has('storage') ? new RemoteObject(account.raw('storage'), account.datum('storage')).names : []
    return [{ address }, ...slots.map((slot) => ({ address, slot: readPadded(slot, account.datum('storage'), 32) }))]
  })
}
