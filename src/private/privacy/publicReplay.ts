/**
 * The public state inside a block. Private transactions read it as it was when their marker ran, so the public
 * transactions before a marker are executed again, on the state of the parent.
 * @module
 */
import { corrupt } from '../../chain/blockRecord.ts'
import { blobGas, effectiveGasPrice } from '../../chain/fees.ts'
import type { ExecutionContext } from '../../chain/transition/applyMessage.ts'
import type { BlockExecutionInput } from '../../chain/transition/contract.ts'
import { openBlock } from '../../chain/transition/executeBlock.ts'
import { executeTransaction } from '../../chain/transition/executeTransaction.ts'
import { budgetIn, executionContext, feesIn } from '../../chain/transition/executionContext.ts'
import { type ExecutionDeps, executionInput } from '../../chain/transition/executionInput.ts'
import type { Evm } from '../../evm/evm.ts'
import type { WorldState } from '../../state/worldState.ts'
import { retryMissesMaybe } from '../../storage/retryMisses.ts'
import type { Block } from '../../types/block.ts'
import type { PublicState } from './privateWorld.ts'

export interface ReplayTarget {
  readonly block: Block
  readonly senders: readonly Uint8Array[]
  /** After the parent; changed by the replay. */
  readonly state: WorldState
  readonly dev?: BlockExecutionInput['dev']
  blockHash(number: bigint): Uint8Array | undefined
}

export class PublicReplay {
  readonly #input: BlockExecutionInput
  readonly #context: ExecutionContext
  readonly #state: WorldState
  readonly #used = { gas: 0n, blobGas: 0n }
  #next = 0

  private constructor(target: ReplayTarget, deps: ExecutionDeps) {
    this.#input = executionInput(deps, target)
    this.#context = executionContext(this.#input)
    this.#state = target.state
  }

  static async open(target: ReplayTarget, deps: ExecutionDeps): Promise<PublicReplay> {
    const replay = new PublicReplay(target, deps)
    await openBlock(replay.#input, replay.#context)
    return replay
  }

  /** The environment of private messages of this block. */
  contextFor(evm: Evm): ExecutionContext {
    return { ...this.#context, evm }
  }

  /**
   * Runs `work` on the state within a transaction: its sender has paid for the gas. Transactions are visited in their
   * order.
   */
  async within<T>(index: number, work: (state: PublicState) => Promise<T>): Promise<T> {
    while (this.#next < index) await this.#execute(this.#next++)
    const state = this.#state
    const transaction = this.#input.block.transactions[index]
    const sender = this.#input.senders[index]
    if (transaction === undefined || sender === undefined) throw corrupt(`transaction ${index} is missing`)
    const account = await retryMissesMaybe(() => state.getAccount(sender), this.#context.control.residency)
    state.beginTransaction()
    state.checkpoint()
    try {
      const gasPrice = effectiveGasPrice(transaction, this.#context.block.baseFeePerGas)
      state.setNonce(sender, (account?.nonce ?? 0n) + 1n)
      state.setBalance(sender, (account?.balance ?? 0n) - transaction.gasLimit * gasPrice)
      return await work(state)
    } finally {
      state.revert()
    }
  }

  async #execute(index: number): Promise<void> {
    const { block, senders } = this.#input
    const transaction = block.transactions[index]
    const sender = senders[index]
    if (transaction === undefined || sender === undefined) throw corrupt(`transaction ${index} is missing`)
    const budget = budgetIn(this.#input, feesIn(this.#input, this.#context), this.#used)
    const gasUsedBefore = this.#used.gas
    // The block has been accepted, also with a contract as a sender (dev chain).
    const input = { transaction, sender, mayHaveCode: true, budget, gasUsedBefore, keepRevertReason: false }
    const outcome = await executeTransaction(input, this.#state, this.#context)
    if (outcome.kind === 'invalid') throw corrupt(`transaction ${index} cannot run again: ${outcome.rejection.message}`)
    this.#used.gas += outcome.gasUsed
    this.#used.blobGas += blobGas(transaction)
  }
}
