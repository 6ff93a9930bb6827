import { LATEST } from '../../../api/blockReference.ts'
import { type StateQuery, stateAt } from '../../../api/lookup.ts'
import { loadBlock, minedTransaction } from '../../../api/views.ts'
import type { MinedTransaction } from '../../../api/viewTypes.ts'
import { equalBytes } from '../../../base/primitives/bytes.ts'
import { NodeError } from '../../../base/primitives/errors.ts'

/** @throws {NodeError} WORLD_STATE_UNAVAILABLE */
function nonceAfter({ chain, states }: StateQuery, number: number, sender: Uint8Array): bigint {
  const header = chain.headerByNumber(number)
  const state = header && states.at(header)
  if (state === undefined) {
    throw new NodeError({ code: 'WORLD_STATE_UNAVAILABLE' }, `missing trie node: no state after block ${number}`)
  }
  return state.getAccount(sender)?.nonce ?? 0n
}

/** The lowest block after which the sender's nonce exceeds `nonce`, found by bisection. */
function blockOfNonce(backend: StateQuery, sender: Uint8Array, nonce: bigint): number {
  let low = 1
  let high = Number(backend.chain.head.header.number)
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (nonceAfter(backend, middle, sender) > nonce) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * The mined transaction of an account with a nonce.
 * @returns undefined when there is none
 * @throws {NodeError} WORLD_STATE_UNAVAILABLE, STATE_PRUNED
 */
export function minedBySender(backend: StateQuery, sender: Uint8Array, nonce: bigint): MinedTransaction | undefined {
  if ((stateAt(backend, LATEST)?.getAccount(sender)?.nonce ?? 0n) <= nonce) return undefined
  const { chain } = backend
  const header = chain.headerByNumber(blockOfNonce(backend, sender, nonce))
  const block = header && loadBlock(chain, header)
  if (header === undefined || block === undefined) return undefined
  const senders = chain.senders(header.hash) ?? []
  const transactions = chain.body(header.hash)?.transactions ?? []
  const position = transactions.findIndex(
    (transaction, at) => transaction.nonce === nonce && equalBytes(senders[at] as Uint8Array, sender),
  )
  return position < 0 ? undefined : minedTransaction(block, position)
}
