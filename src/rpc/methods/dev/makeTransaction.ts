/**
 * Builds a transaction from a request: fills in nonce, gas and fees, and signs it.
 * @module
 */

import { type BlockNumberOrTag, LATEST } from '../../../api/blockReference.ts'
import { type CallBackend, CallSimulation } from '../../../api/calls/callSimulation.ts'
import { estimateGas } from '../../../api/calls/gasEstimate.ts'
import { suggestedPriorityFee } from '../../../api/gasPrices.ts'
import { stateAt } from '../../../api/lookup.ts'
import { nonceAfterPending } from '../../../api/pendingNonce.ts'
import { bytesToBigInt } from '../../../base/primitives/bytes.ts'
import { isNodeError, NodeError } from '../../../base/primitives/errors.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import { chainIdAfter, nextRules } from '../../../chain/nextBlock.ts'
import type { DevSignature } from '../../../dev/contract.ts'
import type { PoolReader } from '../../../txpool/contract.ts'
import type { Transaction } from '../../../types/transaction.ts'
import { MAX_TRANSACTION_GAS } from '../../../types/transactionForm.ts'
import type { RequestContext } from '../../method.ts'
import { estimatedBlock, isPending } from '../support/nextBlock.ts'
import { type DevBackend, nextBaseFee } from './operation.ts'
import type { MadeType, TransactionRequest } from './transactionRequest.ts'

export interface MakerBackend extends CallBackend, DevBackend {
  readonly pool: PoolReader
}

const REPLAY_PROTECTION_EIP = 155
const FEE_MARKET_EIP = 1559
const GAS_CAP_EIP = 7825
/** Errors of estimates whose message fails with any gas. */
const FAILED_ESTIMATES: ReadonlySet<string> = new Set(['EXECUTION_REVERTED', 'EXECUTION_FAILED'])
const HIGHEST_ADDRESS = (1n << 160n) - 1n

/**
 * Builds the transaction without a signature: r and s are zero.
 * @param base block on whose state missing gas is estimated; default: as for an estimate
 * @throws {NodeError} WRONG_CHAIN_ID; as eth_estimateGas when no gas is given and the transaction would fail
 */
export async function fillIn(
  backend: MakerBackend,
  request: TransactionRequest,
  from: Uint8Array,
  context: RequestContext,
  base?: BlockNumberOrTag,
): Promise<Transaction> {
  const { chain } = backend
  checkChainId(chain, request)
  const gasLimit = request.gas ?? (await requiredGas(backend, request, from, context, base))
  const { to, value = 0n, data } = request
  const common = { nonce: request.nonce ?? nextNonce(backend, from), gasLimit, to, value, data, r: 0n, s: 0n }
  const chainId = chainIdAfter(chain.config, chain.head)
  const { eips } = nextRules(chain.config, chain.head.header)
  const type = typeOf(request, eips)
  if (type === 0) {
    const signedId = eips.has(REPLAY_PROTECTION_EIP) ? chainId : undefined
    return { type, ...common, chainId: signedId, gasPrice: gasPrice(backend, request), v: 0n }
  }
  const typed = { ...common, chainId, accessList: request.accessList ?? [], yParity: 0n }
  if (type === 1) return { type, ...typed, gasPrice: gasPrice(backend, request) }
  const fees = dynamicFees(backend, request)
  if (type === 2) return { type, ...typed, ...fees }
  // The request codec refuses this type without a recipient.
  return { type, ...typed, ...fees, to: to as Uint8Array, authorizationList: request.authorizationList ?? [] }
}

export function withSignature(transaction: Transaction, { r, s, yParity }: DevSignature): Transaction {
  if (transaction.type !== 0) return { ...transaction, r, s, yParity: BigInt(yParity) }
  const { chainId } = transaction
  const v = BigInt(yParity) + (chainId === undefined ? 27n : 35n + 2n * chainId)
  return { ...transaction, r, s, v }
}

/** A mark of the sender in place of a signature: without it, transactions of two senders could have the same hash. */
export function senderMark(sender: Uint8Array): DevSignature {
  const number = bytesToBigInt(sender)
  // A valid r is not zero, so the zero address maps to a number above all addresses.
  return { r: number === 0n ? HIGHEST_ADDRESS + 1n : number, s: 1n, yParity: 0 }
}

function checkChainId(chain: ChainReader, { chainId }: TransactionRequest): void {
  const expected = chainIdAfter(chain.config, chain.head)
  if (chainId === undefined || chainId === expected) return
  const message = `invalid chain id for signer: have ${chainId} want ${expected}`
  throw new NodeError({ code: 'WRONG_CHAIN_ID' }, message)
}

/** The estimate for a request without `gas`. @throws {NodeError} as eth_estimateGas */
export async function requiredGas(
  backend: MakerBackend,
  request: TransactionRequest,
  from: Uint8Array,
  context: RequestContext,
  base: BlockNumberOrTag | undefined,
): Promise<bigint> {
  const block = base === undefined ? estimatedBlock(backend) : { block: base, blockOverrides: undefined }
  const options = { ...block, stateOverrides: undefined }
  const source = isPending(block.block) ? await withBuiltBlock(backend) : backend
  const estimate = estimateGas(new CallSimulation(source, options, context), { ...request, from }, backend.options)
  if (backend.dev?.failures.isReported !== true) return estimate
  // As on Hardhat, a transaction that will fail is mined, and the answer has the error of its block.
  return estimate.catch((error: unknown) => {
    if (!isNodeError(error) || !FAILED_ESTIMATES.has(error.code)) throw error
    return mostGas(backend)
  })
}

/** A batch of calls may have sent transactions already, so a pending block that is not built must not end this request. */
async function withBuiltBlock({
  chain,
  states,
  calls,
  consensus,
  options,
  pending,
}: CallBackend): Promise<CallBackend> {
  const block = await pending?.whenBuilt()
  const built = block === undefined ? undefined : { current: () => block, whenBuilt: async () => block }
  return { chain, states, calls, consensus, options, pending: built }
}

/** The gas limit of the next block, or what its rules allow to a transaction. */
export function mostGas({ chain }: Pick<MakerBackend, 'chain'>): bigint {
  const { gasLimit } = chain.head.header
  const { eips } = nextRules(chain.config, chain.head.header)
  return eips.has(GAS_CAP_EIP) && gasLimit > MAX_TRANSACTION_GAS ? MAX_TRANSACTION_GAS : gasLimit
}

/** The nonce after the sender's transactions in the pool. */
export function nextNonce(backend: MakerBackend, sender: Uint8Array): bigint {
  return nonceAfterPending(backend.pool, sender, minedNonce(backend, sender))
}

export function minedNonce(backend: MakerBackend, sender: Uint8Array): bigint {
  return stateAt(backend, LATEST)?.getAccount(sender)?.nonce ?? 0n
}

/**
 * The type that the request's members imply: legacy with a gas price, set code with authorizations, otherwise dynamic
 * fee, or legacy before London.
 */
function typeOf(request: TransactionRequest, eips: ReadonlySet<number>): MadeType {
  const { type, gasPrice: price, maxFeePerGas, maxPriorityFeePerGas: tip, accessList, authorizationList } = request
  if (type !== undefined) return type
  if (authorizationList !== undefined) return 4
  const hasFees = maxFeePerGas !== undefined || tip !== undefined
  if (price === undefined && (hasFees || eips.has(FEE_MARKET_EIP))) return 2
  return accessList === undefined ? 0 : 1
}

function gasPrice(backend: MakerBackend, request: TransactionRequest): bigint {
  return request.gasPrice ?? nextBaseFee(backend) + suggestedPriorityFee(backend.chain, backend.options)
}

/** The default fee cap allows the base fee to double. */
function dynamicFees(
  backend: MakerBackend,
  request: TransactionRequest,
): { readonly maxPriorityFeePerGas: bigint; readonly maxFeePerGas: bigint } {
  const { chain, options } = backend
  const { maxFeePerGas: ceiling, maxPriorityFeePerGas: wished } = request
  const tip = wished ?? suggestedPriorityFee(chain, options)
  if (ceiling === undefined) {
    return { maxPriorityFeePerGas: tip, maxFeePerGas: 2n * nextBaseFee(backend) + tip }
  }
  if (wished === undefined) return { maxPriorityFeePerGas: tip < ceiling ? tip : ceiling, maxFeePerGas: ceiling }
  if (wished <= ceiling) return { maxPriorityFeePerGas: wished, maxFeePerGas: ceiling }
  const message = `max priority fee per gas higher than max fee per gas: ${wished}, ${ceiling}`
  throw new NodeError({ code: 'MAX_PRIORITY_FEE_PER_GAS_EXCEEDS_MAX_FEE_PER_GAS' }, message)
}
