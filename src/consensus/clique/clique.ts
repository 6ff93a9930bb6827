/**
 * Clique: proof of authority by signers that are voted in and out (EIP-225).
 * @see docs/reference/consensus-clique.md
 * @module
 */

import { bytesToHex, compareBytes, equalBytes, isZeroBytes } from '../../base/primitives/bytes.ts'
import { EMPTY_LIST_HASH } from '../../base/primitives/keccak.ts'
import {
  type BlockRewards,
  type ConsensusEngine,
  type HeadRivals,
  type ParentContext,
  STANDSTILL_PERIODS,
  type VerifyContext,
} from '../../chain/engine.ts'
import type { StateDB } from '../../evm/stateDb.ts'
import type { Header } from '../../types/block.ts'
import { fullHeaderHash } from '../headerLimits.ts'
import { ADD_NONCE, DROP_NONCE } from '../signedHeader.ts'
import { checkExtraData, encodeExtraData, parseExtraData } from './extraData.ts'
import { blocksSinceTurn, type CliqueSnapshot, hasSignedRecently, includesAddress, isInTurn } from './snapshot.ts'
import type { CliqueSnapshots, SnapshotReads } from './snapshots.ts'

export interface CliqueSettings {
  readonly periodSeconds: number
  readonly createsEmptyBlocks: boolean
}

const IN_TURN_DIFFICULTY = 2n
const OUT_OF_TURN_DIFFICULTY = 1n
/** Maximum lead of a timestamp over the local clock. */
const MAX_FUTURE_SECONDS = 10n
const ZERO_ADDRESS: Uint8Array = new Uint8Array(20)
const ZERO_HASH: Uint8Array = new Uint8Array(32)
const NO_REWARDS: BlockRewards = { staticReward: 0n, ommerInclusionReward: 0n, ommerRewards: [] }

export class CliqueEngine implements ConsensusEngine {
  readonly name = 'clique'
  readonly finality = 'difficulty'
  readonly allowsOmmers = false
  readonly settings: CliqueSettings
  readonly #snapshots: CliqueSnapshots

  /** @param snapshots shared by the engines of one chain, whose settings differ */
  constructor(settings: CliqueSettings, snapshots: CliqueSnapshots) {
    this.settings = settings
    this.#snapshots = snapshots
  }

  /** undefined while blocks are made for transactions only */
  get standstillMs(): number | undefined {
    const { periodSeconds, createsEmptyBlocks } = this.settings
    return periodSeconds === 0 || createsEmptyBlocks === false ? undefined : STANDSTILL_PERIODS * periodSeconds * 1000
  }

  hash(header: Header, encoded?: Uint8Array): Uint8Array {
    return fullHeaderHash(header, encoded)
  }

  checkGenesis({ extraData }: Pick<Header, 'extraData'>): string | undefined {
    return checkExtraData(extraData)
  }

  arrival({ timestamp }: Header, nowMs: number): 'now' | 'future' {
    return timestamp > BigInt(Math.floor(nowMs / 1000)) + MAX_FUTURE_SECONDS ? 'future' : 'now'
  }

  verifyHeader(header: Header, parent: Header, context: VerifyContext): string | undefined {
    const reason = this.verifyFields(header, parent)
    if (reason !== undefined) return reason
    const snapshot = this.#snapshotAfter(header.parentHash, parent, context)
    return this.#checkSigners(header, snapshot) ?? (context.verifySeal ? this.#checkSeal(header, snapshot) : undefined)
  }

  verifyFields(header: Header, parent: Header): string | undefined {
    return checkFields(header) ?? this.#checkTime(header, parent)
  }

  /** The signer; the zero address for a header without a valid seal, such as the genesis block's. */
  author(header: Header): Uint8Array {
    return header.number === 0n ? ZERO_ADDRESS : (this.#snapshots.seals.signerOf(header) ?? ZERO_ADDRESS)
  }

  /** The beneficiary remains: it is the subject of a vote, or zero. */
  prepare(draft: Header, parent: Header, context: ParentContext): Header {
    const { number, parentHash, timestamp } = draft
    const snapshot = this.#snapshotAfter(parentHash, parent, context)
    const isEpoch = this.isEpochBlock(number)
    const earliest = this.#earliestAfter(parent)
    return {
      ...draft,
      beneficiary: isEpoch ? ZERO_ADDRESS : draft.beneficiary,
      difficulty: difficultyOf(snapshot, number, context.author ?? ZERO_ADDRESS),
      timestamp: timestamp > earliest ? timestamp : earliest,
      extraData: encodeExtraData(draft.extraData, isEpoch ? snapshot.signers : []),
      mixHash: ZERO_HASH,
      nonce: DROP_NONCE,
    }
  }

  rewards(): BlockRewards {
    return NO_REWARDS
  }

  finalize(_state: StateDB): void {}

  /** EIP-3436: the shorter branch, then the block whose signer had its turn last, then the lower hash. */
  prefers({ candidate, head, headers, store }: HeadRivals): boolean {
    if (candidate.header.number !== head.header.number) return candidate.header.number < head.header.number
    const [ours, theirs] = [candidate, head].map(({ header }) => this.#distance(header, { headers, store }))
    if (ours !== theirs) return (ours as number) < (theirs as number)
    return compareBytes(candidate.hash, head.hash) < 0
  }

  isEpochBlock(number: bigint): boolean {
    return this.#snapshots.isEpochBlock(number)
  }

  /** @param hash of a stored block @throws {NodeError} STORE_DAMAGED */
  snapshotAfter(hash: Uint8Array, reads: SnapshotReads): CliqueSnapshot {
    return this.#snapshots.after(hash, reads)
  }

  #snapshotAfter(hash: Uint8Array, header: Header, context: ParentContext): CliqueSnapshot {
    const snapshot = this.#snapshots.after(hash, context)
    this.#snapshots.keep(header, hash, snapshot, context.store)
    return snapshot
  }

  #distance(header: Header, reads: SnapshotReads): number {
    const snapshot = this.#snapshots.after(header.parentHash, reads)
    return blocksSinceTurn(snapshot, header.number, this.author(header)) ?? snapshot.signers.length
  }

  #earliestAfter({ timestamp }: Header): bigint {
    return timestamp + BigInt(this.settings.periodSeconds)
  }

  #checkTime({ timestamp }: Header, parent: Header): string | undefined {
    const earliest = this.#earliestAfter(parent)
    return timestamp >= earliest
      ? undefined
      : `invalid timestamp: ${timestamp}, must be at least ${earliest} with a period of ${this.settings.periodSeconds} s`
  }

  /** The list of signers and the vote. */
  #checkSigners({ number, extraData, beneficiary }: Header, { signers }: CliqueSnapshot): string | undefined {
    const listed = parseExtraData(extraData).signers
    if (!this.isEpochBlock(number))
      return listed.length === 0
        ? undefined
        : `invalid extra data: ${listed.length} signers, only epoch blocks list signers`
    if (!isZeroBytes(beneficiary))
      return `invalid beneficiary: ${bytesToHex(beneficiary)}, epoch blocks contain no vote`
    const isSame =
      listed.length === signers.length && listed.every((entry, i) => equalBytes(entry, signers[i] as Uint8Array))
    return isSame
      ? undefined
      : `invalid extra data: the epoch block lists ${addressList(listed)}, the signers are ${addressList(signers)}`
  }

  #checkSeal(header: Header, snapshot: CliqueSnapshot): string | undefined {
    const { number, difficulty } = header
    const signer = this.#snapshots.seals.signerOf(header)
    if (signer === undefined) return 'invalid seal: no signer can be recovered from it'
    if (!includesAddress(snapshot.signers, signer)) return `invalid seal: ${bytesToHex(signer)} is not a signer`
    if (hasSignedRecently(snapshot, signer)) return `invalid seal: ${bytesToHex(signer)} has signed too recently`
    const expected = difficultyOf(snapshot, number, signer)
    return difficulty === expected
      ? undefined
      : `invalid difficulty: ${difficulty}, must be ${expected} for the signer ${bytesToHex(signer)}`
  }
}

function checkFields({ ommersHash, mixHash, nonce, extraData, difficulty }: Header): string | undefined {
  if (!equalBytes(ommersHash, EMPTY_LIST_HASH))
    return `invalid ommers hash: ${bytesToHex(ommersHash)}, Clique allows no ommers`
  if (!isZeroBytes(mixHash)) return `invalid mix hash: ${bytesToHex(mixHash)}, must be zero under Clique`
  if (!equalBytes(nonce, ADD_NONCE) && !equalBytes(nonce, DROP_NONCE))
    return `invalid nonce: ${bytesToHex(nonce)}, must be ${bytesToHex(ADD_NONCE)} or ${bytesToHex(DROP_NONCE)}`
  if (difficulty !== IN_TURN_DIFFICULTY && difficulty !== OUT_OF_TURN_DIFFICULTY)
    return `invalid difficulty: ${difficulty}, must be ${IN_TURN_DIFFICULTY} or ${OUT_OF_TURN_DIFFICULTY}`
  return checkExtraData(extraData)
}

function difficultyOf(snapshot: CliqueSnapshot, number: bigint, signer: Uint8Array): bigint {
  return isInTurn(snapshot, number, signer) ? IN_TURN_DIFFICULTY : OUT_OF_TURN_DIFFICULTY
}

function addressList(list: readonly Uint8Array[]): string {
  return list.length === 0 ? 'none' : list.map(bytesToHex).join(', ')
}
