/**
 * Encoding of snapshots in the engine's store: RLP of three lists, signers, recent signers and votes.
 * @module
 */
import { NodeError } from '../../base/primitives/errors.ts'
import { type DecodedItem, rlpDecode, rlpEncode } from '../../base/primitives/rlp.ts'
import type { CliqueSnapshot, CliqueVote } from './snapshot.ts'

const ADDS = Uint8Array.of(1)
const REMOVES = Uint8Array.of(0)

export function encodeSnapshot({ signers, recent, votes }: CliqueSnapshot): Uint8Array {
  return rlpEncode([
    [...signers],
    [...recent],
    votes.map(({ voter, subject, adds }) => [voter, subject, adds ? ADDS : REMOVES]),
  ])
}

/** @throws {NodeError} STORE_DAMAGED */
export function decodeSnapshot(bytes: Uint8Array): CliqueSnapshot {
  const [signers, recent, votes] = listOf(rlpDecode(bytes))
  return { signers: addresses(signers), recent: addresses(recent), votes: listOf(votes).map(decodeVote) }
}

function decodeVote(item: DecodedItem): CliqueVote {
  const [voter, subject, adds] = listOf(item)
  return { voter: addressOf(voter), subject: addressOf(subject), adds: adds instanceof Uint8Array && adds[0] === 1 }
}

function addresses(item: DecodedItem | undefined): readonly Uint8Array[] {
  return listOf(item).map(addressOf)
}

function listOf(item: DecodedItem | undefined): readonly DecodedItem[] {
  if (item === undefined || item instanceof Uint8Array) throw corrupt()
  return item
}

function addressOf(item: DecodedItem | undefined): Uint8Array {
  if (!(item instanceof Uint8Array) || item.length !== 20) throw corrupt()
  return item
}

function corrupt(): NodeError {
  return new NodeError({ code: 'STORE_DAMAGED' }, 'the database is damaged: a stored set of Clique signers is invalid')
}
