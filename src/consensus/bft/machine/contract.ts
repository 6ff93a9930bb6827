/**
 * The agreement on one block per height, as a function of state and event. Effects are data, which a producer carries
 * out; nothing in this folder waits, reads a clock or stores anything.
 * @see docs/reference/consensus-ibft-qbft.md sections 4 to 9
 * @module
 */
import type { Addresses } from '../addresses.ts'
import type {
  BftBlock,
  Message,
  MessageKind,
  Payload,
  PreparePayload,
  Proposal,
  RoundChange,
  RoundChangePayload,
  Signed,
} from '../messages/payloads.ts'

/** The validators of a height. */
export interface Members {
  /** Ascending, 20 bytes each. */
  readonly validators: Addresses
  /** Section 4: number of validators whose agreement is final. */
  readonly quorum: number
  /** Section 5. @returns 20 bytes */
  proposerOf(round: number): Uint8Array
}

/** All that is known about a height when work on it begins. */
export interface HeightPlan extends Members {
  readonly height: number
  readonly rules: ProtocolRules
  /** Least timestamp of the block, seconds. */
  readonly leastTimestamp: number
  /** Wall clock at which the block is due, milliseconds since 1970. */
  readonly dueMs: number
  /** The same for a block without transactions; equal to `dueMs` if empty blocks are normal. */
  readonly emptyDueMs: number
  /** Duration of round 0; each further round lasts twice as long, up to a cap. */
  readonly requestTimeoutMs: number
}

/** Proof that a quorum accepted a block: the author must propose it again in later rounds. */
export interface Lock {
  readonly proposal: Proposal
  readonly prepares: readonly Signed<PreparePayload>[]
}

/** Operations on blocks and keys; deterministic. */
export interface AgreementContext {
  /** Address of this node, 20 bytes. */
  readonly local: Uint8Array
  /** @param block the proposed one, for proposals */
  sign<P extends Payload>(payload: P, block?: BftBlock): Signed<P>
  /** Signs a digest for the header. @returns 65 bytes */
  seal(digest: Uint8Array): Uint8Array
  /** @returns 20 bytes; undefined when the seal is no valid signature */
  sealAuthor(digest: Uint8Array, seal: Uint8Array): Uint8Array | undefined
  /** The same block with another round in its extra data. */
  withRound(block: BftBlock, round: number): BftBlock
}

/** Everything that a rule checks a message against. */
export interface RuleContext {
  readonly plan: HeightPlan
  readonly context: Pick<AgreementContext, 'withRound'>
}

/** The rules in which IBFT 2.0 and QBFT differ. */
export interface ProtocolRules {
  readonly protocol: 'ibft2' | 'qbft'
  /** Section 6. `height`: round 0 begins with the height; `blockTimer`: when the block timer has expired. */
  readonly roundZeroBegins: 'height' | 'blockTimer'
  /** Section 4: whether the proposer sends a prepare for its own proposal. */
  readonly proposerPrepares: boolean
  /** Section 4: number of prepares that make a proposal prepared. */
  preparesNeeded(quorum: number): number
  /** Section 9. @returns why the proposal is invalid, apart from its block; undefined: valid */
  proposalProblem(message: Proposal, rule: RuleContext): string | undefined
  /** Section 9. @returns why the message is invalid; undefined: valid */
  roundChangeProblem(message: RoundChange, rule: RuleContext): string | undefined
  /** Payload and attachments of a round change by an author with this lock. */
  roundChange(lock: Lock | undefined): RoundChangeContent
  /** Attachments of a proposal after these round changes. */
  certificate(roundChanges: readonly RoundChange[]): Pick<Proposal, 'roundChanges' | 'prepares'>
}

export interface RoundChangeContent {
  readonly prepared: RoundChangePayload['prepared']
  readonly block: BftBlock | undefined
  readonly prepares: readonly Signed<PreparePayload>[]
}

/** A message from another node. */
export interface ReceivedMessage {
  readonly protocol: 'ibft2' | 'qbft'
  readonly message: Message
  /** As it was received, to pass it on. */
  readonly encoded: Uint8Array
  /** The peer that sent it. */
  readonly from: string
}

/** A message that this node has signed. */
export interface SignedRecord {
  readonly message: Message
  /** The lock that the author of a commit has. */
  readonly lock: Lock | undefined
}

/** Messages that this node signed at its highest height before the restart. */
export interface Remembered {
  readonly height: number
  readonly protocol: 'ibft2' | 'qbft'
  readonly messages: readonly Message[]
  /** The newest lock. */
  readonly lock: Lock | undefined
}

export type MachineEvent =
  /** The parent of `plan.height` is the head. @param isObserved whether this node does not vote at this height yet */
  | { readonly kind: 'newHead'; readonly plan: HeightPlan; readonly isObserved?: boolean }
  | { readonly kind: 'message'; readonly received: ReceivedMessage }
  /** @param hasTransactions whether a block would have transactions */
  | { readonly kind: 'blockTimer'; readonly height: number; readonly hasTransactions: boolean }
  | { readonly kind: 'roundTimer'; readonly height: number; readonly round: number }
  /** The pool has a transaction for the next block. */
  | { readonly kind: 'transactions' }
  /** Messages may have been lost. @param validator the one that has just connected; undefined: all of them */
  | { readonly kind: 'repeat'; readonly validator: Uint8Array | undefined }
  /** Answer to `build`. */
  | { readonly kind: 'built'; readonly height: number; readonly round: number; readonly block: BftBlock | undefined }
  /** Answer to `verify`. */
  | { readonly kind: 'verified'; readonly height: number; readonly round: number; readonly problem: string | undefined }
  /** The block of a `commit` could not be stored. */
  | { readonly kind: 'commitFailed'; readonly height: number }

export type MachineEffect =
  /** Must be durable before any later effect is carried out. Records of lower heights may be deleted. */
  | { readonly kind: 'remember'; readonly height: number; readonly records: readonly SignedRecord[] }
  /** Sends a message of this node to these validators. */
  | { readonly kind: 'send'; readonly message: Message; readonly validators: Addresses }
  /** Passes a message on to all other validators except its author and the peer that sent it. */
  | { readonly kind: 'gossip'; readonly received: ReceivedMessage; readonly validators: Addresses }
  /** Replaces the block timer. @param atMs wall clock; immediately if past */
  | { readonly kind: 'setBlockTimer'; readonly height: number; readonly atMs: number }
  /** Replaces the round timer. */
  | { readonly kind: 'setRoundTimer'; readonly height: number; readonly round: number; readonly delayMs: number }
  | { readonly kind: 'cancelTimers' }
  /** @param timestamp of the block, seconds */
  | { readonly kind: 'build'; readonly height: number; readonly round: number; readonly timestamp: number }
  | { readonly kind: 'verify'; readonly height: number; readonly round: number; readonly block: BftBlock }
  /** @param seals of a quorum, 65 bytes each */
  | {
      readonly kind: 'commit'
      readonly height: number
      readonly block: BftBlock
      readonly seals: readonly Uint8Array[]
    }
  /** The peer has at least the block of this height. */
  | { readonly kind: 'peerHeight'; readonly peer: string; readonly height: number }
  /** A message was refused. */
  | {
      readonly kind: 'refused'
      readonly message: MessageKind
      readonly height: number
      readonly round: number
      readonly author: Uint8Array | undefined
      readonly reason: string
    }

/** Section 7. */
export interface MachineLimits {
  readonly futureMessagesMaxDistance: number
  /** All authors together. */
  readonly futureMessagesLimit: number
  readonly futureMessagesBytes: number
}
