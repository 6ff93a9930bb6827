/**
 * Messages of the current height, by kind.
 * @see docs/reference/consensus-ibft-qbft.md section 9
 * @module
 */
import type { Message } from '../messages/payloads.ts'
import { receiveRoundChange } from './roundChanges.ts'
import type { Step } from './state.ts'
import { receiveCommit, receivePrepare, receiveProposal } from './voting.ts'

/**
 * @param message by a validator
 * @returns whether other validators may need it: its form is valid, and it is not of an earlier round
 */
export function receive(step: Step, message: Message): boolean {
  if (step.work.isFinal) return message.kind === 'prepare' || message.kind === 'commit'
  switch (message.kind) {
    case 'proposal':
      return receiveProposal(step, message)
    case 'prepare':
      return receivePrepare(step, message)
    case 'commit':
      return receiveCommit(step, message)
    case 'roundChange':
      return receiveRoundChange(step, message)
  }
}
