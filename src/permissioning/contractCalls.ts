/**
 * Calls of permissioning contracts and their answers.
 * @see docs/reference/permissioning.md section 7
 * @module
 */

import {
  bigIntToBytesPadded,
  bytesToHexUnprefixed,
  concatBytes,
  EMPTY_BYTES,
  hexToBytes,
} from '../base/primitives/bytes.ts'
import { parseIp } from '../base/primitives/ipAddress.ts'
import type { ParentCall, ParentCallResult } from '../chain/engine.ts'
import type { Transaction } from '../types/transaction.ts'
import type { PeerEndpoint } from './contract.ts'

/** `failed`: the call has no answer that the interface defines, so nothing is permitted. */
export type ContractVerdict = 'allowed' | 'refused' | 'failed'

const WORD_BYTES = 32
const IP_BYTES = 16
const IPV4_PREFIX: Uint8Array = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff)
/** transactionAllowed(address,address,uint256,uint256,uint256,bytes) */
const TRANSACTION_ALLOWED = hexToBytes('0x936421d5')
/** connectionAllowed(bytes32,bytes32,bytes16,uint16,bytes32,bytes32,bytes16,uint16) */
const CONNECTION_ALLOWED = hexToBytes('0x3620b1df')
/** connectionAllowed(string,string,uint16) */
const NODE_ALLOWED = hexToBytes('0x45a59e5b')

/** @param sender 20 bytes */
export function transactionCall(to: Uint8Array, sender: Uint8Array, transaction: Transaction): ParentCall {
  const gasPrice = transaction.type < 2 ? (transaction as { readonly gasPrice: bigint }).gasPrice : 0n
  const data = concatBytes(
    TRANSACTION_ALLOWED,
    left(sender),
    left(transaction.to ?? EMPTY_BYTES),
    word(transaction.value),
    word(gasPrice),
    word(transaction.gasLimit),
    ...tails(6, [transaction.data]),
  )
  return { to, data }
}

/** Interface version 1: both ends of the connection. */
export function connectionCall(to: Uint8Array, source: PeerEndpoint, destination: PeerEndpoint): ParentCall {
  return { to, data: concatBytes(CONNECTION_ALLOWED, ...endpointWords(source), ...endpointWords(destination)) }
}

/** Interface version 2: one end of the connection. */
export function nodeCall(to: Uint8Array, { id, host, port }: PeerEndpoint): ParentCall {
  const text = new TextEncoder()
  const [idOffset, hostOffset, ...strings] = tails(3, [text.encode(bytesToHexUnprefixed(id)), text.encode(host)])
  const head = [idOffset as Uint8Array, hostOffset as Uint8Array, word(BigInt(port))]
  return { to, data: concatBytes(NODE_ALLOWED, ...head, ...strings) }
}

/** A word of 1 allows, 0 refuses. */
export function booleanVerdict(result: ParentCallResult): ContractVerdict {
  return verdictOf(result, TRUE, FALSE)
}

/** Interface version 1 of nodes: ones in all bits allow; all but the first refuse. */
export function connectionVerdict(result: ParentCallResult): ContractVerdict {
  return verdictOf(result, ALL_ONES, FIRST_ZERO)
}

const FALSE = 0n
const TRUE = 1n
const ALL_ONES = 2n ** 256n - 1n
const FIRST_ZERO = 2n ** 255n - 1n

function verdictOf(result: ParentCallResult, allowed: bigint, refused: bigint): ContractVerdict {
  if (result.kind === 'failed' || result.output.length !== WORD_BYTES) return 'failed'
  const value = BigInt(`0x${bytesToHexUnprefixed(result.output)}`)
  if (value === allowed) return 'allowed'
  return value === refused ? 'refused' : 'failed'
}

function endpointWords({ id, host, port }: PeerEndpoint): readonly Uint8Array[] {
  const ip = parseIp(host) ?? new Uint8Array(IP_BYTES)
  const bytes = ip.length === IP_BYTES ? ip : concatBytes(IPV4_PREFIX, ip)
  return [id.subarray(0, WORD_BYTES), id.subarray(WORD_BYTES), right(bytes), word(BigInt(port))]
}

/**
 * Arguments of variable length.
 * @param headWords number of words before the first of them
 * @returns one offset per argument, then the arguments with their lengths
 */
function tails(headWords: number, values: readonly Uint8Array[]): readonly Uint8Array[] {
  let offset = headWords * WORD_BYTES
  const offsets = values.map(({ length }) => {
    const at = word(BigInt(offset))
    offset += WORD_BYTES + padded(length)
    return at
  })
  return [...offsets, ...values.flatMap((value) => [word(BigInt(value.length)), right(value)])]
}

function word(value: bigint): Uint8Array {
  return bigIntToBytesPadded(value, WORD_BYTES)
}

function left(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(WORD_BYTES)
  out.set(bytes, WORD_BYTES - bytes.length)
  return out
}

function right(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(padded(bytes.length))
  out.set(bytes)
  return out
}

function padded(length: number): number {
  return Math.ceil(length / WORD_BYTES) * WORD_BYTES
}
