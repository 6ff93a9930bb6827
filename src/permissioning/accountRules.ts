/**
 * Whether the sender of a transaction may send it: by the list in the file, by the contract, or by both.
 * @see docs/reference/permissioning.md sections 3 and 7
 * @module
 */

import { bytesToHex, equalBytes } from '../base/primitives/bytes.ts'
import { type MaybePromise, mapMaybe } from '../base/primitives/maybePromise.ts'
import type { SenderCheck, SenderCheckContext, SenderChecks } from '../chain/senderCheck.ts'
import { type Rejection, reject } from '../chain/transition/rejection.ts'
import type { Transaction } from '../types/transaction.ts'
import type { ContractCaller } from './contractCaller.ts'
import { booleanVerdict, type ContractVerdict, transactionCall } from './contractCalls.ts'

export interface AccountRulesOptions {
  /** undefined: there is no list */
  readonly list: { allows(address: Uint8Array): boolean } | undefined
  readonly contract: AccountContract | undefined
}

export interface AccountContract {
  /** 20 bytes */
  readonly address: Uint8Array
  readonly caller: ContractCaller
}

/** The last verdict of the contract on a transaction. */
interface KnownVerdict {
  readonly parentHash: Uint8Array
  readonly stateRoot: Uint8Array
  readonly verdict: ContractVerdict
}

export class AccountRules implements SenderChecks {
  readonly #options: AccountRulesOptions
  readonly #known = new WeakMap<Transaction, KnownVerdict>()
  /** Whether verdicts may take time. */
  readonly asksContract: boolean
  readonly selected: SenderCheck
  readonly received: SenderCheck | undefined

  constructor(options: AccountRulesOptions) {
    this.#options = options
    this.asksContract = options.contract !== undefined
    this.selected = (transaction, sender, context) =>
      mapMaybe(this.verdict(transaction, sender, context), (verdict) => rejectionOf(verdict, sender))
    // Lists differ between nodes, so a block that breaks this node's list may be valid.
    this.received =
      options.contract &&
      ((transaction, sender, context) =>
        mapMaybe(this.#asked(transaction, sender, context), (verdict) => rejectionOf(verdict, sender)))
  }

  /** For the pool and for transactions that this node selects for a block. */
  verdict(transaction: Transaction, sender: Uint8Array, context: SenderCheckContext): MaybePromise<ContractVerdict> {
    if (this.#options.list?.allows(sender) === false) return 'refused'
    return this.#asked(transaction, sender, context)
  }

  #asked(transaction: Transaction, sender: Uint8Array, context: SenderCheckContext): MaybePromise<ContractVerdict> {
    const { contract } = this.#options
    if (contract === undefined) return 'allowed'
    const { hash: parentHash, stateRoot } = context.parent
    const cachedVerdict = this.#known.get(transaction)
    if (
      cachedVerdict &&
      equalBytes(cachedVerdict.parentHash, parentHash) &&
      equalBytes(cachedVerdict.stateRoot, stateRoot.hash)
    ) {
      return cachedVerdict.verdict
    }
    const answer = contract.caller.ask(transactionCall(contract.address, sender, transaction), booleanVerdict, context)
    return mapMaybe(answer, (verdict) => {
      this.#known.set(transaction, { parentHash, stateRoot: stateRoot.hash, verdict })
      return verdict
    })
  }
}

function rejectionOf(verdict: ContractVerdict, sender: Uint8Array): Rejection | undefined {
  if (verdict === 'allowed') return undefined
  const reason = verdict === 'refused' ? '' : ': the permissioning contract has failed'
  return reject('TX_SENDER_NOT_AUTHORIZED', `sender account ${bytesToHex(sender)} not authorized${reason}`)
}
