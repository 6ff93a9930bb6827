/**
 * Asks a remote what a call reads.
 * @module
 */
import type { MissCause, RemoteBlock, StateRead } from '../base/ports/keyValueStore.ts'
import { bytesToHex, quantity } from '../base/primitives/bytes.ts'
import type { Capability, RemoteResult } from '../remote/contract.ts'
import { isMissingMethod, isMisunderstood } from '../remote/refusals.ts'
import { readAccessList } from './blockJson.ts'
import { readCallWitness } from './callWitness.ts'
import type { ForkSource } from './contract.ts'
import type { RemoteAccess } from './remoteAccess.ts'
import { RemoteObject, readPadded } from './remoteObject.ts'

/** A method that tells what a call reads. */
interface PlanMethod {
  readonly capability: Capability
  readonly method: string
  /** Parameters after the call and the block. */
  readonly options: (cause: MissCause) => readonly unknown[]
  readonly read: (value: unknown, block: RemoteBlock) => Plan
}

interface Plan {
  readonly reads: readonly StateRead[]
  /** Entries that the answer proves. */
  readonly entries?: readonly (readonly [key: Uint8Array, value: Uint8Array])[]
}

const MAX_ACCOUNTS = 100_000
/** wei; enough for the gas and the value of any call */
const FUNDS = `0x${'ff'.repeat(16)}`

const WITNESS: PlanMethod = {
  capability: 'callWitness',
  method: 'isonode_callWitness',
  options: () => [],
  read: readCallWitness,
}

const ACCESS_LIST: PlanMethod = {
  capability: 'accessLists',
  method: 'eth_createAccessList',
  options: () => [],
  read: (value) => ({ reads: readsOfAccessList(new RemoteObject(value, 'eth_createAccessList')) }),
}

/** Go-ethereum makes the sender pay for its gas, which local accounts cannot do on the remote. */
const FUNDED_ACCESS_LIST: PlanMethod = {
  ...ACCESS_LIST,
  options: ({ sender }) => [{ [bytesToHex(sender)]: { balance: FUNDS } }],
}

const PRESTATE: PlanMethod = {
  capability: 'prestateTraces',
  method: 'debug_traceCall',
  options: () => [{ tracer: 'prestateTracer' }],
  read: (value) => ({ reads: readsOfPrestate(value) }),
}

export interface RemotePlansDeps {
  readonly remote: RemoteAccess
  readonly source: ForkSource
}

export class RemotePlans {
  readonly #deps: RemotePlansDeps
  /** Whether access lists can be made for a sender with other funds; undefined while unknown. */
  #canFund: boolean | undefined

  constructor(deps: RemotePlansDeps) {
    this.#deps = deps
  }

  /** Whether the remote is known to have none of the methods. */
  get hasNone(): boolean {
    return ![WITNESS, ACCESS_LIST, PRESTATE].some((method) => this.#mayHave(method))
  }

  /**
   * A witness brings everything, and an access list takes few bytes. A trace, which repeats all code, is the last choice.
   * Methods that the remote may lack are tried in one batch.
   * @throws {NodeError} those of the remote
   */
  async readsOf(block: RemoteBlock, cause: MissCause): Promise<readonly StateRead[]> {
    const hasWitness = this.#deps.remote.can(WITNESS.capability) === true
    const first = hasWitness ? [WITNESS] : [WITNESS, ...this.#accessLists()].filter((method) => this.#mayHave(method))
    const reads = await this.#ask(first, block, cause)
    if (reads !== undefined || !this.#mayHave(PRESTATE)) return reads ?? []
    return (await this.#ask([PRESTATE], block, cause)) ?? []
  }

  #mayHave({ capability }: PlanMethod): boolean {
    return this.#deps.remote.can(capability) !== false
  }

  #accessLists(): PlanMethod[] {
    if (this.#canFund === undefined) return [FUNDED_ACCESS_LIST, ACCESS_LIST]
    return this.#canFund ? [FUNDED_ACCESS_LIST] : [ACCESS_LIST]
  }

  /** @returns undefined when the remote answers none of the methods */
  async #ask(
    methods: readonly PlanMethod[],
    block: RemoteBlock,
    cause: MissCause,
  ): Promise<readonly StateRead[] | undefined> {
    if (methods.length === 0) return undefined
    const { remote, source } = this.#deps
    const call = callJson(cause)
    const requests = methods.map(({ method, options }) => ({
      method,
      params: [call, quantity(block.number), ...options(cause)],
    }))
    const results = await remote.requestOne(requests, 'the plan of a call')
    for (const [i, result] of results.entries()) this.#learn(methods[i] as PlanMethod, result)
    const answered = results.findIndex(({ kind }) => kind === 'result')
    const result = results[answered]
    if (result?.kind !== 'result') return undefined
    const { reads, entries = [] } = (methods[answered] as PlanMethod).read(result.value, block)
    source.put(entries)
    return reads
  }

  #learn(method: PlanMethod, result: RemoteResult): void {
    if (result.kind === 'result') this.#deps.remote.learn(method.capability, true)
    else if (isMissingMethod(result.error)) this.#deps.remote.learn(method.capability, false)
    if (method !== FUNDED_ACCESS_LIST) return
    if (result.kind === 'result') this.#canFund = true
    else if (isMisunderstood(result.error)) this.#canFund = false
  }
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
