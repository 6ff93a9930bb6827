import type { RemoteBlock } from '../base/ports/keyValueStore.ts'
import { bytesToHex, equalBytes } from '../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../base/primitives/keccak.ts'
import type { BaseAccount, BaseState } from '../state/baseState.ts'

/**
 * The state under a dev chain, with its funded accounts: their keys are public, so strangers have sent from them and have
 * given them code that takes whatever they receive (EIP-7702). At the block on which the chain begins they have their
 * balance and no code; the blocks before it show them as they were.
 */
export class FundedBase implements BaseState {
  #base: BaseState
  readonly #balances: ReadonlyMap<string, bigint>
  readonly #onCode: (address: Uint8Array) => void
  readonly #reported = new Set<string>()

  /**
   * @param balances wei, by address as hex
   * @param onCode called once for each account that loses its code
   */
  constructor(base: BaseState, balances: ReadonlyMap<string, bigint>, onCode: (address: Uint8Array) => void) {
    this.#base = base
    this.#balances = balances
    this.#onCode = onCode
  }

  /** Continues another block, or asks another remote. */
  adopt(base: BaseState): void {
    this.#base = base
    this.#reported.clear()
  }

  get forkBlock(): RemoteBlock {
    return this.#base.forkBlock
  }

  account(block: RemoteBlock, address: Uint8Array): BaseAccount | undefined {
    const account = this.#base.account(block, address)
    if (!equalBytes(block.hash, this.forkBlock.hash)) return account
    const name = bytesToHex(address)
    const balance = this.#balances.get(name)
    if (balance === undefined) return account
    if (account !== undefined && !equalBytes(account.codeHash, EMPTY_CODE_HASH)) this.#report(name, address)
    return { nonce: 0n, storageRoot: undefined, ...account, balance, codeHash: EMPTY_CODE_HASH }
  }

  storage(block: RemoteBlock, address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.#base.storage(block, address, slot)
  }

  code(block: RemoteBlock, address: Uint8Array, codeHash: Uint8Array): Uint8Array {
    return this.#base.code(block, address, codeHash)
  }

  #report(name: string, address: Uint8Array): void {
    if (this.#reported.has(name)) return
    this.#reported.add(name)
    this.#onCode(address)
  }
}
