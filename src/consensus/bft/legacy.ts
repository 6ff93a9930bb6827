/**
 * Extra data, hashes and seals of legacy IBFT (Istanbul in Quorum): 32 bytes of vanity, then RLP of the validators, the
 * proposer's seal and the commit seals.
 * @see EIP-650
 * @module
 */
import { concatBytes, EMPTY_BYTES, equalBytes, isZeroBytes } from '../../base/primitives/bytes.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import { rlpEncode } from '../../base/primitives/rlp.ts'
import type { Header } from '../../types/block.ts'
import { decodeItem, type EncodedKind, FieldReader } from '../../types/fieldReader.ts'
import { encodeHeader } from '../../types/headerCodec.ts'
import { ADD_NONCE, SEAL_BYTES, VANITY_BYTES } from '../signedHeader.ts'
import { checkLength } from './extraData.ts'
import { recoverSigner } from './hashes.ts'
import type { CastVote } from './votes.ts'

const EXTRA_DATA: EncodedKind = { code: 'INVALID_EXTRA_DATA', name: 'extra data' }
/** Code of a commit message: seals sign the block hash followed by it. */
const COMMIT_CODE = Uint8Array.of(2)

export interface LegacyExtraData {
  /** 32 bytes */
  readonly vanity: Uint8Array
  readonly validators: readonly Uint8Array[]
  /** 65 bytes; empty in a genesis block */
  readonly proposerSeal: Uint8Array
  /** 65 bytes each */
  readonly seals: readonly Uint8Array[]
}

/** @throws {NodeError} INVALID_EXTRA_DATA */
export function decodeLegacyExtraData(bytes: Uint8Array): LegacyExtraData {
  checkLength(bytes)
  const vanity = bytes.subarray(0, VANITY_BYTES)
  const fields = new FieldReader(decodeItem(EXTRA_DATA, bytes.subarray(VANITY_BYTES)), EXTRA_DATA)
  const all = (field: string, length: number): Uint8Array[] =>
    fields.list(field).map((item) => new FieldReader([item], EXTRA_DATA).fixed(`item of ${field}`, length))
  const validators = all('validators', 20)
  const proposerSeal = fields.optionalFixed('proposer seal', SEAL_BYTES) ?? EMPTY_BYTES
  const seals = all('seals', SEAL_BYTES)
  fields.end()
  return { vanity, validators, proposerSeal, seals }
}

export function encodeLegacyExtraData({ vanity, validators, proposerSeal, seals }: LegacyExtraData): Uint8Array {
  return concatBytes(vanity, rlpEncode([validators, proposerSeal, seals]))
}

/** The block hash: without commit seals. */
export function legacyBlockHash(header: Header, extra: LegacyExtraData): Uint8Array {
  return hashWith(header, { ...extra, seals: [] })
}

/** The hash that commit seals sign, 32 bytes. */
export function legacyCommitDigest(header: Header, extra: LegacyExtraData): Uint8Array {
  return keccak256(concatBytes(legacyBlockHash(header, extra), COMMIT_CODE))
}

/** @returns undefined when no account can be recovered from the proposer's seal */
export function legacyProposer(header: Header, extra: LegacyExtraData): Uint8Array | undefined {
  const unsealed = hashWith(header, { ...extra, proposerSeal: EMPTY_BYTES, seals: [] })
  return recoverSigner(keccak256(unsealed), extra.proposerSeal)
}

/** A vote is a beneficiary other than zero; the nonce is its direction. */
export function legacyVote(header: Header, extra: LegacyExtraData): CastVote | undefined {
  const { beneficiary: recipient, nonce } = header
  if (isZeroBytes(recipient)) return undefined
  const voter = legacyProposer(header, extra)
  return voter && { voter, recipient, isAdd: equalBytes(nonce, ADD_NONCE) }
}

function hashWith(header: Header, extra: LegacyExtraData): Uint8Array {
  return keccak256(encodeHeader({ ...header, extraData: encodeLegacyExtraData(extra) }))
}
