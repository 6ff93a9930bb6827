/**
 * Runs transactions of a stored block again, on the state of its parent.
 * @module
 */
import type { ChainHeader, ChainReader } from '../../chain/contract.ts'
import { blobBaseFee, GAS_PER_BLOB } from '../../chain/fees.ts'
import type { ExecutionContext } from '../../chain/transition/applyMessage.ts'
import { executionContext, openBlock } from '../../chain/transition/executeBlock.ts'
import { executeTransaction } from '../../chain/transition/executeTransaction.ts'
import { NodeError } from '../../primitives/errors.ts'
import type { MutableState } from '../../state/contract.ts'
import type { BlockReplay, CallLimits } from '../backend.ts'
import { type BlockParts, blockParts } from '../views.ts'
import { ancestorHashes } from './environment.ts'
import { type CallModules, executionInput, patienceOf } from './executionInput.ts'

export class TransitionReplay implements BlockReplay {
  readonly #chain: ChainReader
  readonly #modules: CallModules

  constructor(chain: ChainReader, modules: CallModules) {
    this.#chain = chain
    this.#modules = modules
  }

  /** @throws {NodeError} REPLAY_FAILED when the block does not run as it did at import */
  async transactions(state: MutableState, header: ChainHeader, count: number, limits: CallLimits): Promise<void> {
    const parts = blockParts(this.#chain, header)
    const parent = this.#chain.headerByHash(header.header.parentHash)
    if (parts === undefined || parent === undefined) throw failed(header, 'its body or parent is not stored')
    const input = executionInput(this.#modules, {
      block: { header: header.header, ...parts.body },
      senders: parts.senders,
      state,
      blockHash: ancestorHashes(this.#chain, parent),
    })
    const context = { ...executionContext(input), patience: patienceOf(this.#modules, limits) }
    await openBlock(input, context)
    await runTransactions(parts, count, state, context)
  }
}

async function runTransactions(
  { header: stored, body, senders }: BlockParts,
  count: number,
  state: MutableState,
  context: ExecutionContext,
): Promise<void> {
  const { header } = stored
  const { excessBlobGas, baseFeePerGas } = header
  const { blobs } = context.rules
  const room = {
    baseFeePerGas,
    blobBaseFee: blobs === undefined || excessBlobGas === undefined ? undefined : blobBaseFee(excessBlobGas, blobs),
    gasLeft: header.gasLimit,
    blobGasLeft: (blobs?.max ?? 0n) * GAS_PER_BLOB,
  }
  let gasUsedBefore = 0n
  for (const [index, transaction] of body.transactions.slice(0, count).entries()) {
    const sender = senders[index]
    if (sender === undefined) throw failed(stored, 'a sender is not stored')
    const input = { transaction, sender, mayHaveCode: true, room, gasUsedBefore, keepRevertReason: false }
    const outcome = await executeTransaction(input, state, context)
    if (outcome.kind === 'invalid') throw failed(stored, outcome.rejection.message)
    gasUsedBefore += outcome.gasUsed
  }
}

function failed({ header }: ChainHeader, reason: string): NodeError {
  return new NodeError({ code: 'REPLAY_FAILED' }, `block ${header.number} cannot be run again: ${reason}`)
}
