/**
 * Asks a remote what a call reads.
 * @module
 */
import { MAX_FORK_PLAN_NODE_BYTES } from '../base/limits/limits.ts'
import type { MissCause, RemoteBlock, StateRead } from '../base/ports/keyValueStore.ts'
import { bytesToHex, quantity } from '../base/primitives/bytes.ts'
import { keccak256 } from '../base/primitives/keccak.ts'
import { rlpDecodeList, rlpEncode } from '../base/primitives/rlp.ts'
import type { Capability, RemoteResult } from '../remote/contract.ts'
import { isMissingMethod, isMisunderstood } from '../remote/refusals.ts'
import { KnownParts, readHash } from '../state/knownParts.ts'
import { readAccessList } from './blockJson.ts'
import { cacheKeys } from './cacheKeys.ts'
import { type KnownWitness, NOTHING_KNOWN, readCallWitness } from './callWitness.ts'
import type { ForkSource } from './contract.ts'
import type { RemoteAccess } from './remoteAccess.ts'
import { RemoteObject, readPadded } from './remoteObject.ts'

/** A method that tells what a call reads. */
interface PlanMethod {
  readonly capability: Capability
  readonly method: string
  /** Parameters after the call and the block. */
  readonly options: (cause: MissCause, known: KnownParts) => readonly unknown[]
  readonly read: (value: unknown, block: RemoteBlock, known: KnownWitness) => Plan
}

interface Plan {
  readonly reads: readonly StateRead[]
  /** Entries that the answer proves. */
  readonly entries?: readonly (readonly [key: Uint8Array, value: Uint8Array])[]
  /** RLP of the trie nodes that prove them. */
  readonly nodes?: readonly Uint8Array[]
}

/** A message, and its name in the cache. */
interface PlannedCall {
  readonly cause: MissCause
  readonly key: Uint8Array
}

const MAX_ACCOUNTS = 100_000
/** wei; enough for the gas and the value of any call */
const FUNDS = `0x${'ff'.repeat(16)}`

const WITNESS: PlanMethod = {
  capability: 'callWitness',
  method: 'isonode_callWitness',
  options: (_cause, known) => (known.isEmpty ? [] : [bytesToHex(known.toBytes())]),
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
  async readsOf(block: RemoteBlock, call: PlannedCall): Promise<readonly StateRead[]> {
    const hasWitness = this.#deps.remote.can(WITNESS.capability) === true
    const first = hasWitness ? [WITNESS] : [WITNESS, ...this.#accessLists()].filter((method) => this.#mayHave(method))
    const reads = await this.#ask(first, block, call)
    if (reads !== undefined || !this.#mayHave(PRESTATE)) return reads ?? []
    return (await this.#ask([PRESTATE], block, call)) ?? []
  }

  /**
   * Asks again about a call that was proven on another block. The remote sends only what has changed since.
   * @param reads of the last time
   * @returns undefined when the remote has no witnesses, or nothing is known
   * @throws {NodeError} those of the remote
   */
  async readsAgain(
    block: RemoteBlock,
    call: PlannedCall,
    reads: readonly StateRead[],
  ): Promise<readonly StateRead[] | undefined> {
    if (!this.#mayHave(WITNESS)) return undefined
    const [stored] = await this.#deps.source.getMany([cacheKeys.planNodes(call.key)])
    if (stored === undefined) return undefined
    return this.#ask([WITNESS], block, call, { reads, nodes: rlpDecodeList(stored) as Uint8Array[] })
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
    { cause, key }: PlannedCall,
    known: KnownWitness = NOTHING_KNOWN,
  ): Promise<readonly StateRead[] | undefined> {
    if (methods.length === 0) return undefined
    const { remote, source } = this.#deps
    const call = callJson(cause)
    const parts = await this.#partsOf(block, known)
    const requests = methods.map(({ method, options }) => ({
      method,
      params: [call, quantity(block.number), ...options(cause, parts)],
    }))
    const results = await remote.requestOne(requests, 'the plan of a call')
    for (const [i, result] of results.entries()) this.#learn(methods[i] as PlanMethod, result)
    const answered = results.findIndex(({ kind }) => kind === 'result')
    const result = results[answered]
    if (result?.kind !== 'result') return undefined
    const { reads, entries = [], nodes } = (methods[answered] as PlanMethod).read(result.value, block, known)
    source.put(nodes === undefined ? entries : [...entries, ...nodesEntry(key, nodes)])
    return reads
  }

  async #partsOf({ hash }: RemoteBlock, { reads, nodes }: KnownWitness): Promise<KnownParts> {
    const parts = new KnownParts()
    if (nodes.length === 0) return parts
    parts.add(hash)
    for (const node of nodes) parts.add(keccak256(node))
    for (const { address, slot } of reads) parts.add(readHash(address, slot))
    const accounts = reads.filter(({ slot }) => slot === undefined)
    const codes = await this.#deps.source.getMany(accounts.map(({ address }) => cacheKeys.lastCode(address)))
    for (const code of codes) if (code !== undefined) parts.add(code)
    return parts
  }

  #learn(method: PlanMethod, result: RemoteResult): void {
    if (result.kind === 'result') this.#deps.remote.learn(method.capability, true)
    else if (isMissingMethod(result.error)) this.#deps.remote.learn(method.capability, false)
    if (method !== FUNDED_ACCESS_LIST) return
    if (result.kind === 'result') this.#canFund = true
    else if (isMisunderstood(result.error)) this.#canFund = false
  }
}

function nodesEntry(key: Uint8Array, nodes: readonly Uint8Array[]): [key: Uint8Array, value: Uint8Array][] {
  const value = rlpEncode(nodes)
  return value.length > MAX_FORK_PLAN_NODE_BYTES ? [] : [[cacheKeys.planNodes(key), value]]
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
