/**
 * Errors of a fork. They name a remote by its origin alone, because the rest of its address may hold a key.
 * @module
 */
import { MAX_CALL_WAIT_MS } from '../base/limits/limits.ts'
import type { MissRequest } from '../base/ports/keyValueStore.ts'
import { bytesToHex } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { described } from '../base/primitives/printable.ts'
import type { RemoteError } from '../remote/contract.ts'
import { shortened } from '../remote/errors.ts'

/** The remote answered, but not with what the method promises. @param datum such as `eth_getBalance` */
export function malformedAnswer(datum: string, expected: string, value: unknown): NodeError {
  const message = `the remote's answer is malformed: ${datum} must be ${expected}, not ${described(value)}`
  return new NodeError({ code: 'FORK_UNAVAILABLE', datum }, message)
}

/** A value of the remote contradicts the hash that commits to it. */
export function contradictedAnswer(datum: string, reason: string): NodeError {
  return new NodeError({ code: 'PROOF_INVALID', datum }, `the remote's answer is wrong: ${datum}: ${reason}`)
}

export function unproven(datum: string, reason: string): NodeError {
  return new NodeError({ code: 'FORK_UNPROVEN', datum }, `${datum} cannot be proven: ${reason}`)
}

/** @param datum what is in neither the pack nor the cache */
export function offline(datum: string): NodeError {
  return new NodeError({ code: 'FORK_OFFLINE', datum }, `the fork is offline, and neither pack nor cache has ${datum}`)
}

export function unsupported(what: string): NodeError {
  return new NodeError({ code: 'FORK_UNSUPPORTED' }, what)
}

export function blockChanged(number: number, pinned: Uint8Array, found: Uint8Array): NodeError {
  const message = `block ${number} of the remote changed from ${bytesToHex(pinned)} to ${bytesToHex(found)}`
  return new NodeError({ code: 'FORK_BLOCK_CHANGED', number, pinned, found }, message)
}

/** @param head of the remote */
export function statePruned(number: number, head: number, { message }: RemoteError): NodeError {
  const age = `${head - number} blocks below its head`
  const reason = `the remote does not have the state of block ${number}, ${age}: an archive node is needed`
  return new NodeError({ code: 'FORK_STATE_PRUNED', number }, `${reason} (${shortened(message)})`)
}

/** The remote has no such block. @param block such as `block 12` */
export function unknownBlock(block: string): NodeError {
  return new NodeError({ code: 'FORK_UNAVAILABLE', block }, `the remote does not have ${block}`)
}

/** All waits of a call for its data together took too long. @param request the data that it still needs */
export function waitsExceeded(origins: readonly string[], request: MissRequest): NodeError {
  const datum = datumOf(request)
  const waited = `the call waited ${MAX_CALL_WAIT_MS / 1000} s in all for ${origins.join(' and ') || 'the cache'}`
  return new NodeError({ code: 'FORK_UNAVAILABLE', datum }, `${waited}, and still needs ${datum}`)
}

function datumOf(request: MissRequest): string {
  const read = request.kind === 'state' ? request.reads[0] : undefined
  if (read === undefined) return 'blocks'
  const account = bytesToHex(read.address)
  return read.slot === undefined ? `account ${account}` : `slot ${bytesToHex(read.slot)} of ${account}`
}

/** @param datum the request, such as `eth_getBalance` */
export function noQuorum(datum: string, origins: readonly string[]): NodeError {
  const reason = origins.length < 2 ? 'only one remote answered' : `${origins.join(' and ')} do not agree`
  return unproven(datum, reason)
}

/** More data are needed together than the fork may hold in memory. */
export function memoryExceeded(): NodeError {
  return new NodeError(
    { code: 'RESIDENT_MEMORY_EXCEEDED' },
    'one read needs more data of the remote than may be held in memory',
  )
}
