/**
 * Signs this node's messages. For one height, round and kind it never signs two different ones, not even after a
 * restart: every signed message is recorded before it is sent.
 * @module
 */
import { equalBytes } from '../../../base/primitives/bytes.ts'
import type { Addresses } from '../addresses.ts'
import type { BftBlock, Commit, Message, Prepare, Proposal, RoundChange } from '../messages/payloads.ts'
import type { Lock } from './contract.ts'
import { type Step, signedKey } from './state.ts'

/**
 * Records and sends a message.
 * @param lock with a commit: the lock that it creates
 */
function publish(step: Step, message: Message, lock?: Lock): void {
  const { round, kind } = message.signed.payload
  step.set({ signed: new Map(step.work.signed).set(signedKey(round, kind), message) })
  step.remember({ message, lock })
  send(step, message)
}

export function send(step: Step, message: Message, validators: Addresses = step.plan.validators): void {
  step.effect({ kind: 'send', message, validators })
}

/** The message of this kind that this node has signed in this round. */
function signedBefore<M extends Message>(step: Step, round: number, kind: M['kind']): M | undefined {
  return step.work.signed.get(signedKey(round, kind)) as M | undefined
}

/** Whether this node may sign a message of this kind in this round. */
export function maySign(step: Step, round: number, kind: Message['kind']): boolean {
  return !step.work.isSilent && signedBefore(step, round, kind) === undefined
}

/** @returns undefined when a message of this kind exists */
export function signProposal(
  step: Step,
  block: BftBlock,
  certificate: Pick<Proposal, 'roundChanges' | 'prepares'>,
): Proposal | undefined {
  const { height, round, digest } = block
  if (!maySign(step, round, 'proposal')) return undefined
  const signed = step.context.sign({ kind: 'proposal', height, round, digest }, block)
  const message: Proposal = { kind: 'proposal', signed, block, ...certificate }
  publish(step, message)
  return message
}

/** @returns the message of this vote; undefined when this node has voted for another block in this round */
export function signPrepare(step: Step, { height, round, digest }: BftBlock): Prepare | undefined {
  const before = signedBefore<Prepare>(step, round, 'prepare')
  if (before !== undefined) return equalBytes(before.signed.payload.digest, digest) ? before : undefined
  if (!maySign(step, round, 'prepare')) return undefined
  const signed = step.context.sign({ kind: 'prepare', height, round, digest })
  const message: Prepare = { kind: 'prepare', signed }
  publish(step, message)
  return message
}

/** @returns the message of this vote; undefined when this node has voted for another block in this round */
export function signCommit(step: Step, { height, round, digest }: BftBlock, lock: Lock): Commit | undefined {
  const before = signedBefore<Commit>(step, round, 'commit')
  if (before !== undefined) return equalBytes(before.signed.payload.digest, digest) ? before : undefined
  if (!maySign(step, round, 'commit')) return undefined
  const seal = step.context.seal(digest)
  const signed = step.context.sign({ kind: 'commit', height, round, digest, seal })
  const message: Commit = { kind: 'commit', signed }
  publish(step, message, lock)
  return message
}

/** @returns undefined when a message of this kind exists for the target */
export function signRoundChange(step: Step, round: number): RoundChange | undefined {
  if (!maySign(step, round, 'roundChange')) return undefined
  const { plan, lock } = step.work
  const { prepared, block, prepares } = plan.rules.roundChange(lock)
  const signed = step.context.sign({ kind: 'roundChange', height: plan.height, round, prepared })
  const message: RoundChange = { kind: 'roundChange', signed, block, prepares }
  publish(step, message)
  return message
}
