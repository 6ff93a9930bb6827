/**
 * Faults put into the rules, the machine's surroundings or its memory, to verify that the simulation finds them.
 * @module
 */
import { proposalFormProblem } from '../../../src/consensus/bft/machine/certificates.ts'
import type {
  AgreementContext,
  HeightPlan,
  ProtocolRules,
  Remembered,
  SignedRecord,
} from '../../../src/consensus/bft/machine/contract.ts'
import type { step } from '../../../src/consensus/bft/machine/machine.ts'
import type { Proposal } from '../../../src/consensus/bft/messages/payloads.ts'
import { addressOf } from './abstractBlocks.ts'

/** Each is a build with one mistake. */
export interface BftFault {
  readonly rules?: (rules: ProtocolRules) => ProtocolRules
  readonly plan?: (plan: HeightPlan) => HeightPlan
  readonly context?: (context: AgreementContext) => AgreementContext
  /** The part of a height's records that reaches the disk. */
  readonly written?: (record: SignedRecord) => SignedRecord | undefined
  readonly read?: (remembered: Remembered) => Remembered
  /** A step of the machine that differs. */
  readonly step?: (sound: typeof step) => typeof step
  /** Whether messages leave before the records are on the disk. */
  readonly sendsFirst?: boolean
  /** Whether a block of a message may have another body than its header names. */
  readonly acceptsAnyBody?: boolean
}

export const FAULTS = {
  /** A proposal of a later round needs no valid certificate. */
  proposalCertificateUnchecked: {
    rules: (rules) => ({
      ...rules,
      proposalProblem: (message, { plan }) => proposalFormProblem(message, plan),
    }),
  },
  /** A proposal after round changes need not be the prepared block. */
  preparedBlockReplaceable: {
    rules: (rules) => ({
      ...rules,
      proposalProblem: (message, rule) => rules.proposalProblem(withoutClaims(message), rule),
    }),
  },
  /** A round change claims nothing although its author is prepared. */
  lockNotClaimed: {
    rules: (rules) => ({ ...rules, roundChange: () => rules.roundChange(undefined) }),
  },
  /** The lock is not on the disk after a restart. */
  lockNotWritten: { written: ({ message }) => ({ message, lock: undefined }) },
  /** Nothing that was signed is on the disk after a restart. */
  votesNotWritten: { written: () => undefined },
  /** Votes are on the disk, but are not read at the start, except for the lock. */
  votesNotRead: { read: (remembered) => ({ ...remembered, messages: [] }) },
  /** Messages leave before they are written. */
  sentBeforeWritten: { sendsFirst: true },
  /** A simple majority is final. */
  majorityIsQuorum: {
    plan: (plan) => ({ ...plan, quorum: Math.floor(plan.validators.length / 2) + 1 }),
  },
  /** One validator less than a quorum is final. */
  quorumTooSmall: { plan: (plan) => ({ ...plan, quorum: Math.max(1, plan.quorum - 1) }) },
  /** A single prepare makes a proposal prepared, also in certificates. */
  onePrepareSuffices: {
    rules: (rules) => ({ ...rules, preparesNeeded: (quorum) => Math.min(1, rules.preparesNeeded(quorum)) }),
  },
  /** Anyone may propose. */
  proposerUnchecked: {
    rules: (rules) => ({
      ...rules,
      proposalProblem: (message, rule) =>
        rules.proposalProblem(message, { ...rule, plan: anyProposer(message, rule.plan) }),
    }),
  },
  /** A commit seal may be of another block. */
  sealDigestUnchecked: {
    context: (context) => ({ ...context, sealAuthor: (_, seal) => addressOf((seal[0] as number) - 1) }),
  },
  /** A body is no part of a block's identity. */
  bodyUnchecked: { acceptsAnyBody: true },
  /** A round change may claim a block without proof. */
  roundChangeUnchecked: { rules: (rules) => ({ ...rules, roundChangeProblem: () => undefined }) },
} as const satisfies Record<string, BftFault>

export type FaultName = keyof typeof FAULTS

function withoutClaims(message: Proposal): Proposal {
  const roundChanges = message.roundChanges.map((signed) => ({
    ...signed,
    payload: { ...signed.payload, prepared: undefined },
  }))
  const author = message.signed.author as Uint8Array
  const block = message.signed.payload.round === 0 ? message.block : { ...message.block, beneficiary: author }
  return { ...message, block, roundChanges, prepares: [] }
}

function anyProposer({ signed }: Proposal, plan: HeightPlan): HeightPlan {
  const { round } = signed.payload
  const { author } = signed
  return { ...plan, proposerOf: (other) => (other === round && author ? author : plan.proposerOf(other)) }
}
