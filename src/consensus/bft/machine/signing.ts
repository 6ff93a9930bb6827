/**
 * Signs this node's messages. For one height, round and kind it never signs two different ones, not even after a
 * restart: every signed message is recorded before it is sent.
 * @module
 */
import { equalBytes } from '../../../base/primitives/bytes.ts'
import type { BftBlock, Commit, Message, Prepare, Proposal, RoundChange } from '../messages/payloads.ts'
import type { Lock } from './contract.ts'
import { signedKey, type Turn } from './state.ts'

/**
 * Records and sends a message.
 * @param lock with a commit: the lock that it creates
 */
function publish(turn: Turn, message: Message, lock?: Lock): void {
  const { round, kind } = message.signed.payload
  turn.set({ signed: new Map(turn.work.signed).set(signedKey(round, kind), message) })
  turn.remember({ message, lock })
  send(turn, message)
}

export function send(turn: Turn, message: Message): void {
  turn.effect({ kind: 'send', message, validators: turn.plan.validators })
}

/** The message of this kind that this node has signed in this round. */
function signedBefore<M extends Message>(turn: Turn, round: number, kind: M['kind']): M | undefined {
  return turn.work.signed.get(signedKey(round, kind)) as M | undefined
}

/** Whether this node may sign a message of this kind in this round. */
export function maySign(turn: Turn, round: number, kind: Message['kind']): boolean {
  return !turn.work.isSilent && signedBefore(turn, round, kind) === undefined
}

/** @returns undefined when a message of this kind exists */
export function signProposal(
  turn: Turn,
  block: BftBlock,
  certificate: Pick<Proposal, 'roundChanges' | 'prepares'>,
): Proposal | undefined {
  const { height, round, digest } = block
  if (!maySign(turn, round, 'proposal')) return undefined
  const signed = turn.context.sign({ kind: 'proposal', height, round, digest }, block)
  const message: Proposal = { kind: 'proposal', signed, block, ...certificate }
  publish(turn, message)
  return message
}

/** @returns the message of this vote; undefined when this node has voted for another block in this round */
export function signPrepare(turn: Turn, { height, round, digest }: BftBlock): Prepare | undefined {
  const before = signedBefore<Prepare>(turn, round, 'prepare')
  if (before !== undefined) return equalBytes(before.signed.payload.digest, digest) ? before : undefined
  if (!maySign(turn, round, 'prepare')) return undefined
  const signed = turn.context.sign({ kind: 'prepare', height, round, digest })
  const message: Prepare = { kind: 'prepare', signed }
  publish(turn, message)
  return message
}

/** @returns the message of this vote; undefined when this node has voted for another block in this round */
export function signCommit(turn: Turn, { height, round, digest }: BftBlock, lock: Lock): Commit | undefined {
  const before = signedBefore<Commit>(turn, round, 'commit')
  if (before !== undefined) return equalBytes(before.signed.payload.digest, digest) ? before : undefined
  if (!maySign(turn, round, 'commit')) return undefined
  const seal = turn.context.seal(digest)
  const signed = turn.context.sign({ kind: 'commit', height, round, digest, seal })
  const message: Commit = { kind: 'commit', signed }
  publish(turn, message, lock)
  return message
}

/** @returns undefined when a message of this kind exists for the target */
export function signRoundChange(turn: Turn, round: number): RoundChange | undefined {
  if (!maySign(turn, round, 'roundChange')) return undefined
  const { plan, lock } = turn.work
  const { prepared, block, prepares } = plan.rules.roundChange(lock)
  const signed = turn.context.sign({ kind: 'roundChange', height: plan.height, round, prepared })
  const message: RoundChange = { kind: 'roundChange', signed, block, prepares }
  publish(turn, message)
  return message
}
