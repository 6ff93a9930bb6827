/**
 * Batches of calls that succeed or revert together: an account that delegates to a batch executor (EIP-7702) sends one
 * transaction to itself.
 * @see EIP-5792, ERC-7821
 * @module
 */
import { LATEST } from '../../../api/blockReference.ts'
import { CallSimulation } from '../../../api/calls/callSimulation.ts'
import { EMPTY_CALL } from '../../../api/calls/emptyCall.ts'
import { invalidParams } from '../../../api/errors.ts'
import { stateAt } from '../../../api/lookup.ts'
import { bytesToBigInt, hexToBytes, isZeroBytes } from '../../../base/primitives/bytes.ts'
import { chainIdAfter, nextRules } from '../../../chain/nextBlock.ts'
import { BATCH_EXECUTOR } from '../../../config/predeploys.ts'
import { batchInput, type ExecutedCall, SUPPORTS_BATCHES } from '../../../dev/batchExecution.ts'
import { authorizationSigningHash } from '../../../types/authorization.ts'
import type { Authorization } from '../../../types/transaction.ts'
import type { RequestContext } from '../../method.ts'
import { devChain } from './operation.ts'
import { type SendBackend, send, sendDelegating } from './sendTransaction.ts'
import { signWith } from './signing.ts'
import type { TransactionRequest } from './transactionRequest.ts'

/** `ready`: the account can be delegated to the executor of the chain. */
export type Atomicity = 'supported' | 'ready' | 'unsupported'

const SET_CODE_EIP = 7702
const EXECUTOR = hexToBytes(BATCH_EXECUTOR)

/** At the head. An account that delegates to another contract is not changed. */
export async function atomicityOf(backend: SendBackend, from: Uint8Array, context: RequestContext): Promise<Atomicity> {
  const { chain } = backend
  if (codeOf(backend, from).length > 0) {
    return (await executesBatches(backend, from, context)) ? 'supported' : 'unsupported'
  }
  const canDelegate = nextRules(chain.config, chain.head.header).eips.has(SET_CODE_EIP)
  if (!canDelegate || !devChain(backend).accounts.hasKey(from)) return 'unsupported'
  if (codeOf(backend, EXECUTOR).length === 0) return 'unsupported'
  return (await executesBatches(backend, EXECUTOR, context)) ? 'ready' : 'unsupported'
}

function codeOf(backend: SendBackend, address: Uint8Array): Uint8Array {
  return stateAt(backend, LATEST)?.getCode(address) ?? new Uint8Array(0)
}

async function executesBatches(backend: SendBackend, to: Uint8Array, context: RequestContext): Promise<boolean> {
  const options = { block: LATEST, stateOverrides: undefined, blockOverrides: undefined }
  const call = { ...EMPTY_CALL, to, data: SUPPORTS_BATCHES }
  const answer = await new CallSimulation(backend, options, context).run(call, { chargesFees: false })
  if (answer.kind === 'invalid' || answer.result.outcome !== 'success') return false
  return answer.result.output.length === 32 && bytesToBigInt(answer.result.output) === 1n
}

/** Whether ERC-7821 can express the calls: it has no creations, and its zero address is the account itself. */
export function areBatchable(calls: readonly TransactionRequest[]): boolean {
  return calls.every(isBatchable)
}

function isBatchable({ to }: TransactionRequest): boolean {
  return to !== undefined && !isZeroBytes(to)
}

/**
 * @param atomicity of the sender; not unsupported
 * @returns hash of the transaction
 * @throws {NodeError} as eth_sendTransaction; INVALID_PARAMS for a call that an atomic batch cannot have
 */
export function sendAtomically(
  backend: SendBackend,
  from: Uint8Array,
  calls: readonly TransactionRequest[],
  atomicity: Exclude<Atomicity, 'unsupported'>,
  context: RequestContext,
): Promise<Uint8Array> {
  const executed = calls.map(executedCall)
  const request: TransactionRequest = { ...EMPTY_CALL, type: undefined, from, to: from, data: batchInput(executed) }
  if (atomicity === 'supported') return send(backend, request, context)
  return sendDelegating(backend, request, from, (nonce) => delegation(backend, from, nonce), context)
}

function executedCall(call: TransactionRequest, index: number): ExecutedCall {
  const { to, value = 0n, data } = call
  if (to !== undefined && isBatchable(call)) return { to, value, data }
  throw invalidParams(`calls[${index}].to: an atomic batch can neither create a contract nor call the zero address`, {
    expected: 'an address other than zero',
    got: to === undefined ? 'nothing' : 'the zero address',
    parameter: `batch.calls[${index}].to`,
  })
}

/** @param nonce of the account when the authorization is processed */
function delegation(backend: SendBackend, from: Uint8Array, nonce: bigint): Authorization {
  const { chain } = backend
  const unsigned = { chainId: chainIdAfter(chain.config, chain.head), address: EXECUTOR, nonce }
  const { r, s, yParity } = signWith(backend, from, authorizationSigningHash(unsigned))
  return { ...unsigned, yParity: BigInt(yParity), r, s }
}
