/**
 * Asks for all that a call reads before it runs: with its proof in one request where the remote is a node of this project,
 * otherwise for its access list and then for proofs. What the remote leaves out is asked for when the call reads it.
 * @module
 */
import type { RemoteBlock, StateRead } from '../base/ports/keyValueStore.ts'
import { bytesToHex, hexToBytes } from '../base/primitives/bytes.ts'
import { readCallWitness } from '../fork/callWitness.ts'
import type { ForkSource } from '../fork/contract.ts'
import { lacksMethod, misunderstands } from '../fork/refusals.ts'
import type { RemoteAccess } from '../fork/remoteAccess.ts'
import { RemoteObject, readBytes } from '../fork/remoteObject.ts'
import type { Capability, RemoteError, RemoteRequest } from '../remote/contract.ts'
import type { VerifiedView } from './verifiedView.ts'

/** More accounts or slots than this are no access list. */
const MAX_ITEMS = 65_536

export class Prefetch {
  readonly #remote: RemoteAccess
  readonly #source: ForkSource

  constructor(remote: RemoteAccess, source: ForkSource) {
    this.#remote = remote
    this.#source = source
  }

  /**
   * @param call as the client gave it, with valid members
   * @throws {NodeError} PROOF_INVALID, FORK_UNAVAILABLE and others of the remote
   */
  async run(view: VerifiedView, block: RemoteBlock, call: unknown): Promise<void> {
    const reads = (await this.#witness(block, call)) ?? (await this.#accessList(block, call))
    if (reads !== undefined) await view.load(block, reads)
  }

  async #witness(block: RemoteBlock, call: unknown): Promise<readonly StateRead[] | undefined> {
    const value = await this.#ask('callWitness', 'isonode_callWitness', block, call)
    if (value === undefined) return undefined
    const { entries, reads } = readCallWitness(value, block)
    this.#source.put(entries)
    return reads
  }

  async #accessList(block: RemoteBlock, call: unknown): Promise<readonly StateRead[] | undefined> {
    const value = await this.#ask('accessLists', 'eth_createAccessList', block, call)
    if (value === undefined) return undefined
    const json = new RemoteObject(value, 'eth_createAccessList')
    const listed = json.list('accessList', MAX_ITEMS, (item, datum): StateRead[] => {
      const entry = new RemoteObject(item, datum)
      const address = entry.bytes('address', 20)
      const slots = entry.list('storageKeys', MAX_ITEMS, (slot, at) => readBytes(slot, at, 32))
      return [{ address }, ...slots.map((slot) => ({ address, slot }))]
    })
    return [...parties(call), ...listed.flat()]
  }

  /** @returns undefined when the remote does not answer: the call then finds out itself what it needs */
  async #ask(capability: Capability, method: string, block: RemoteBlock, call: unknown): Promise<unknown> {
    if (this.#remote.can(capability) === false) return undefined
    const request: RemoteRequest = { method, params: [call, { blockHash: bytesToHex(block.hash) }] }
    const [result] = await this.#remote.requestAll([request], method)
    if (result?.kind === 'result') {
      this.#remote.learn(capability, true)
      return result.value
    }
    if (result !== undefined && isMissing(result.error)) this.#remote.learn(capability, false)
    return undefined
  }
}

function isMissing(error: RemoteError): boolean {
  return lacksMethod(error) || misunderstands(error)
}

/** Access lists leave out the sender and the called account when no slot of theirs is read. */
function parties(call: unknown): StateRead[] {
  const { from, to } = call as { readonly from?: unknown; readonly to?: unknown }
  return [from ?? `0x${'0'.repeat(40)}`, to]
    .filter((address) => typeof address === 'string' && /^0x[0-9a-f]{40}$/i.test(address))
    .map((address) => ({ address: hexToBytes(address as string) }))
}
