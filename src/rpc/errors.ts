/**
 * The only conversion of domain errors to JSON-RPC errors.
 * @module
 */

import { problemOf, type ValueProblem } from '../api/errors.ts'
import type { RpcProfile } from '../api/profile.ts'
import { bytesToHex } from '../base/primitives/bytes.ts'
import { isNodeError, type NodeError } from '../base/primitives/errors.ts'
import { revertReason } from '../evm/revertReason.ts'
import type { RefusedDetails } from '../remote/errors.ts'
import type { ErrorRow } from './errorRow.ts'
import { ERROR_TABLE } from './errorTable.ts'

/** The `error` member of a response. */
export interface RpcError {
  readonly code: number
  readonly message: string
  /** Revert output, text, or an object for a failed transaction. */
  readonly data?: string | TransactionFailure
  /** Lines of the Solidity stack trace, the failed function first. Beside `data`, because clients decode that. */
  readonly stackTrace?: readonly string[]
  /** Why a parameter was refused. Not sent: only programs in the same process see it. */
  readonly problem?: ValueProblem
}

/** Error data of a mined transaction that failed, as Hardhat's node sends them. */
export interface TransactionFailure {
  readonly message: string
  readonly txHash: string
  /** Output of the transaction. */
  readonly data: string
  readonly stackTrace?: readonly string[]
}

/** Data that a domain error may carry in addition to its code. */
interface RpcErrorDetails {
  /** Revert output (bytes or 0x hex), or text. Sent only when the error's row allows it. */
  readonly data?: unknown
  /** Of a mined transaction that failed, in hex. */
  readonly txHash?: string
  readonly output?: string
}

/** @returns undefined for an unknown code */
export function errorRow(code: string): ErrorRow | undefined {
  return ERROR_TABLE.get(code)
}

/** @returns the error to send; undefined for an unexpected error: log it and send {@link INTERNAL_ERROR} */
export function toRpcError(error: unknown, profile: RpcProfile): RpcError | undefined {
  if (!isNodeError(error)) return undefined
  const row = ERROR_TABLE.get(error.code)
  if (row === undefined) return undefined
  if (error.code === 'REMOTE_REFUSED') return remoteError(error as NodeError<RefusedDetails>)
  const answer = profile === 'geth' ? gethError(row, error) : besuError(row, error)
  const problem = problemOf(error.details)
  return Object.keys(problem).length === 0 ? answer : { ...answer, problem }
}

/** @param stackTrace lines, the failed function first */
export function withStackTrace(error: RpcError, stackTrace: readonly string[]): RpcError {
  const { data } = error
  return { ...error, stackTrace, ...(typeof data === 'object' ? { data: { ...data, stackTrace } } : {}) }
}

export const INTERNAL_ERROR: RpcError = { code: -32603, message: 'Internal error' }

/** Clients recognise the errors of the other node by its words and data, as of a call that reverted. */
function remoteError({ details }: NodeError<RefusedDetails>): RpcError {
  const { code, message, data } = details.error
  return { code, message, ...(typeof data === 'string' ? { data } : {}) }
}

function besuError(row: ErrorRow, error: NodeError): RpcError {
  if (row.data === 'failure') return failureError(row, error)
  const data = row.data === undefined ? undefined : dataText(error)
  return data === undefined ? { code: row.code, message: row.message } : { code: row.code, message: row.message, data }
}

function gethError(row: ErrorRow, error: NodeError): RpcError {
  if (row.data === 'failure') return failureError(row, error)
  const code = row.geth?.code ?? row.code
  const message = gethMessage(row, error.message)
  const data = row.data === undefined ? undefined : dataText(error)
  if (data === undefined) return { code, message }
  const reason = row.data === 'revert' ? revertReason(data) : undefined
  return { code, message: reason === undefined ? message : `${message}: ${reason}`, data }
}

/** A domain error whose message begins with go-ethereum's message may add details. */
function gethMessage(row: ErrorRow, own: string): string {
  if (row.geth === undefined) return row.message
  const { message } = row.geth
  return message === undefined || own.startsWith(message) ? own : message
}

function failureError({ code }: ErrorRow, { message, details }: NodeError): RpcError {
  const { txHash = '', output = '' } = details as RpcErrorDetails
  return { code, message, data: { message, txHash, data: output } }
}

function dataText(error: NodeError): string | undefined {
  const { data } = error.details as RpcErrorDetails
  if (data instanceof Uint8Array) return bytesToHex(data)
  return typeof data === 'string' ? data : undefined
}
