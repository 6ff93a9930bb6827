/**
 * Asks for all that a call reads before it runs: with its proof in one request where the remote is a node of this project,
 * otherwise for its access list and then for proofs. What the remote leaves out is asked for when the call reads it.
 * @module
 */
import type { RemoteBlock, StateRead } from '../base/ports/keyValueStore.ts'
import { bytesToHex, hexToBytes } from '../base/primitives/bytes.ts'
import { readCallWitness } from '../fork/callWitness.ts'
import type { ForkSource } from '../fork/contract.ts'
import type { RemoteAccess } from '../fork/remoteAccess.ts'
import { RemoteObject, readBytes } from '../fork/remoteObject.ts'
import type { Capability, RemoteError, RemoteResult } from '../remote/contract.ts'
import { isMissingMethod, isMisunderstood } from '../remote/refusals.ts'
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
   * @param author of the block, whose account every transaction touches
   * @throws {NodeError} PROOF_INVALID, FORK_UNAVAILABLE and others of the remote
   */
  async run(view: VerifiedView, block: RemoteBlock, call: unknown, author: Uint8Array): Promise<void> {
    const params = [call, { blockHash: bytesToHex(block.hash) }]
    const [witness, list] = await this.#ask(params)
    if (witness !== undefined) {
      const { entries, reads } = readCallWitness(witness, block)
      this.#source.put(entries)
      await view.load(block, reads)
    } else if (list !== undefined) {
      await view.load(block, [{ address: author }, ...parties(call), ...listedReads(list)])
    }
  }

  /** While it is unknown whether the remote gives witnesses, both questions go into one batch. */
  async #ask(params: readonly unknown[]): Promise<[witness: unknown, accessList: unknown]> {
    const { witness, list } = QUESTIONS
    const hasWitness = this.#remote.can(witness.capability)
    const asked = [...(hasWitness === false ? [] : [witness]), ...(hasWitness === true ? [] : [list])].filter(
      ({ capability }) => this.#remote.can(capability) !== false,
    )
    const requests = asked.map(({ method }) => ({ method, params }))
    const results = requests.length === 0 ? [] : await this.#remote.requestAll(requests, witness.method)
    const answerTo = (question: Question): unknown => this.#learn(question, results[asked.indexOf(question)])
    return [answerTo(witness), answerTo(list)]
  }

  /** @returns undefined when the remote does not answer: the call then finds out itself what it needs */
  #learn({ capability }: Question, result: RemoteResult | undefined): unknown {
    if (result === undefined) return undefined
    if (result.kind === 'result') {
      this.#remote.learn(capability, true)
      return result.value
    }
    if (isMissing(result.error)) this.#remote.learn(capability, false)
    return undefined
  }
}

interface Question {
  readonly capability: Capability
  readonly method: string
}

const QUESTIONS: Readonly<Record<'witness' | 'list', Question>> = {
  witness: { capability: 'callWitness', method: 'isonode_callWitness' },
  list: { capability: 'accessLists', method: 'eth_createAccessList' },
}

function listedReads(value: unknown): StateRead[] {
  const json = new RemoteObject(value, QUESTIONS.list.method)
  const reads = json.list('accessList', MAX_ITEMS, (item, datum): StateRead[] => {
    const entry = new RemoteObject(item, datum)
    const address = entry.bytes('address', 20)
    const slots = entry.list('storageKeys', MAX_ITEMS, (slot, at) => readBytes(slot, at, 32))
    return [{ address }, ...slots.map((slot) => ({ address, slot }))]
  })
  return reads.flat()
}

function isMissing(error: RemoteError): boolean {
  return isMissingMethod(error) || isMisunderstood(error)
}

/** Access lists leave out the sender and the called account when no slot of theirs is read. */
function parties(call: unknown): StateRead[] {
  const { from, to } = call as { readonly from?: unknown; readonly to?: unknown }
  return [from ?? `0x${'0'.repeat(40)}`, to]
    .filter((address) => typeof address === 'string' && /^0x[0-9a-f]{40}$/i.test(address))
    .map((address) => ({ address: hexToBytes(address as string) }))
}
