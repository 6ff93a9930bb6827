/**
 * The messages by which validators agree on a block. IBFT 2.0 and QBFT share them; their encodings differ (codec.ts).
 * @see docs/reference/consensus-ibft-qbft.md section 8
 * @module
 */

export type MessageKind = 'proposal' | 'prepare' | 'commit' | 'roundChange'

/** A block as the agreement sees it. */
export interface BftBlock {
  readonly height: number
  /** The round in its extra data. */
  readonly round: number
  /** Hash that commit seals sign; depends on the round. 32 bytes. */
  readonly digest: Uint8Array
  /** Block hash; does not depend on the round. 32 bytes. */
  readonly hash: Uint8Array
  /** The proposer that created the block, 20 bytes. */
  readonly beneficiary: Uint8Array
  /** RLP with the full extra data, without seals. */
  readonly encoded: Uint8Array
}

/** The step of the protocol to which a payload belongs. */
export interface View {
  readonly height: number
  readonly round: number
}

export interface ProposalPayload extends View {
  readonly kind: 'proposal'
  /** The digest of the proposed block. */
  readonly digest: Uint8Array
}

export interface PreparePayload extends View {
  readonly kind: 'prepare'
  readonly digest: Uint8Array
}

export interface CommitPayload extends View {
  readonly kind: 'commit'
  readonly digest: Uint8Array
  /** Signature of the digest, 65 bytes. */
  readonly seal: Uint8Array
}

export interface RoundChangePayload extends View {
  readonly kind: 'roundChange'
  /** The newest round in which the author was prepared, before the target round. */
  readonly prepared: PreparedClaim | undefined
}

export interface PreparedClaim {
  readonly round: number
  readonly digest: Uint8Array
  /** IBFT 2.0 only: QBFT sends the prepares outside the payload. */
  readonly certificate: PreparedCertificate | undefined
}

/** Proves that a quorum accepted one block in one round. */
export interface PreparedCertificate {
  readonly proposal: Signed<ProposalPayload>
  readonly prepares: readonly Signed<PreparePayload>[]
}

export type Payload = ProposalPayload | PreparePayload | CommitPayload | RoundChangePayload

export interface Signed<P extends Payload> {
  readonly payload: P
  /** r ‖ s ‖ y parity, 65 bytes */
  readonly signature: Uint8Array
  /** 20 bytes, recovered from the signature; undefined when it is no valid signature */
  readonly author: Uint8Array | undefined
}

export interface Proposal {
  readonly kind: 'proposal'
  readonly signed: Signed<ProposalPayload>
  readonly block: BftBlock
  /** Reason for the round; empty in round 0. */
  readonly roundChanges: readonly Signed<RoundChangePayload>[]
  /** QBFT only: the prepares of a block that is proposed again. */
  readonly prepares: readonly Signed<PreparePayload>[]
}

export interface Prepare {
  readonly kind: 'prepare'
  readonly signed: Signed<PreparePayload>
}

export interface Commit {
  readonly kind: 'commit'
  readonly signed: Signed<CommitPayload>
}

export interface RoundChange {
  readonly kind: 'roundChange'
  readonly signed: Signed<RoundChangePayload>
  /** The prepared block. */
  readonly block: BftBlock | undefined
  /** QBFT only: the prepares of the block. */
  readonly prepares: readonly Signed<PreparePayload>[]
}

export type Message = Proposal | Prepare | Commit | RoundChange
