/**
 * The transaction that created a contract.
 * @module
 */
import { bytesToHex, equalBytes } from '../../../base/primitives/bytes.ts'
import { isNodeError, NodeError } from '../../../base/primitives/errors.ts'
import { isDelegation } from '../../../evm/delegation.ts'
import type { StateSource } from '../../../state/contract.ts'
import { type StatePrunedError, statePruned } from '../../../state/errors.ts'
import { retryMisses } from '../../../storage/retryMisses.ts'
import type { FlatEntry } from '../../../tracing/besu/flatTrace.ts'
import { address, json } from '../../codecs/scalars.ts'
import { ADDRESS, HASH, objectSchema } from '../../codecs/schemas.ts'
import { nullable } from '../../codecs/support.ts'
import { type Codec, defineMethod, type MethodDefinition, param, type RequestContext, result } from '../../method.ts'
import { StreamedResult } from '../../streamedResult.ts'
import { replayErrors } from '../trace/traceBackend.ts'
import { onSettledChain } from './settledChain.ts'
import { keptEntries, type OtsTraceBackend, traceTransactions } from './tracedBlock.ts'

interface CreatorBackend extends OtsTraceBackend {
  readonly states: StateSource
}

interface Creation {
  readonly hash: string
  readonly creator: string
}

const creation: Codec<StreamedResult | undefined> = nullable(
  json(objectSchema('ContractCreator', { hash: HASH, creator: ADDRESS })),
)

class CreatorSearch {
  readonly #backend: CreatorBackend
  readonly #account: Uint8Array
  readonly #context: RequestContext

  constructor(backend: CreatorBackend, account: Uint8Array, context: RequestContext) {
    this.#backend = backend
    this.#account = account
    this.#context = context
  }

  /** undefined: it is no contract, or no transaction created it */
  async find(): Promise<Creation | undefined> {
    const { chain } = this.#backend
    let high = Number(chain.head.header.number)
    if (!(await this.#isContract(high))) return undefined
    let low = await this.#blockWithout()
    if (low === undefined) return undefined
    // The contract exists after block `high`, and does not after `low`.
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      const { number, isContract } = await this.#firstKept(middle)
      if (number >= high) throw statePruned({ number: middle, keptFrom: number })
      if (isContract) high = number
      else low = number
    }
    return this.#creationIn(high)
  }

  /**
   * An old block after which the contract does not exist; undefined when it belongs to the genesis.
   * @throws {NodeError} STATE_PRUNED when the oldest state that is kept has the contract
   */
  async #blockWithout(): Promise<number | undefined> {
    const { genesis, lowestNumber } = this.#backend.chain
    // On a fork, `genesis` is the fork block: contracts may be older than that.
    for (const oldest of [Number(genesis.header.number), lowestNumber]) {
      const { number, isContract } = await this.#firstKept(oldest)
      if (!isContract) return number
      if (number !== oldest) throw statePruned({ number: oldest, keptFrom: number })
    }
    return undefined
  }

  /** The state after a block, or after the first later block whose state is kept. The bound may move meanwhile. */
  async #firstKept(from: number): Promise<{ readonly number: number; readonly isContract: boolean }> {
    for (let number = from; ; ) {
      try {
        return { number, isContract: await this.#isContract(number) }
      } catch (error) {
        if (!isNodeError(error, 'STATE_PRUNED')) throw error
        const { keptFrom } = (error as StatePrunedError).details
        if (keptFrom <= number) throw error
        number = keptFrom
      }
    }
  }

  /** Whether the account has code after a block, other than a delegation, which nobody created. */
  #isContract(number: number): Promise<boolean> {
    const { chain, states, residency } = this.#backend
    return retryMisses(() => {
      const header = chain.headerByNumber(number)
      const state = header && states.at(header)
      if (state === undefined) {
        throw new NodeError({ code: 'WORLD_STATE_UNAVAILABLE' }, `missing trie node: no state after block ${number}`)
      }
      const code = state.getCode(this.#account)
      return code.length > 0 && !isDelegation(code)
    }, residency)
  }

  /** undefined when no transaction of the block created the contract: a dev chain can set code without one */
  async #creationIn(number: number): Promise<Creation | undefined> {
    const { chain, residency } = this.#backend
    const header = await retryMisses(() => chain.headerByNumber(number), residency)
    const hashes = await retryMisses(() => header && chain.transactionHashes(header.hash), residency)
    if (header === undefined || hashes === undefined || hashes.length === 0) return undefined
    let found: Creation | undefined
    await traceTransactions(this.#backend, header, [...hashes.keys()], this.#context, (index, entries) => {
      const creator = keptEntries(entries)
        .map((entry) => this.#creatorIn(entry))
        .findLast((one) => one !== undefined)
      if (creator === undefined) return
      found = { hash: bytesToHex(hashes[index] as Uint8Array), creator: bytesToHex(creator) }
    })
    return found
  }

  #creatorIn({ event }: FlatEntry): Uint8Array | undefined {
    if (event.kind !== 'call') return undefined
    const { kind, caller, address } = event.start
    const isCreation = kind === 'CREATE' || kind === 'CREATE2'
    return isCreation && equalBytes(address, this.#account) ? caller : undefined
  }
}

export const getContractCreator: MethodDefinition<CreatorBackend> = defineMethod({
  name: 'ots_getContractCreator',
  group: 'OTS',
  summary:
    'The transaction that created a contract, and the account or contract that created it in the transaction; null for other ' +
    'accounts and contracts of the genesis.',
  params: [param('address', address, 'Address of the contract, 20 bytes.')],
  result: result('creation', creation),
  errors: ['CHAIN_MOVED', 'STATE_PRUNED', ...replayErrors],
  isHeavy: true,
  handler: (backend: CreatorBackend, [account], context) =>
    new StreamedResult(async (out) => {
      const found = await onSettledChain(backend, () => new CreatorSearch(backend, account, context).find())
      out.value(found ?? null)
    }),
})
