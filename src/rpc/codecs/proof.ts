/**
 * @see EIP-1186; execution-apis AccountProof
 * @module
 */
import { bytesToHex, hasHexPrefix, quantity, trimLeadingZeros } from '../../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../base/primitives/keccak.ts'
import type { AccountProof, StorageProof } from '../../state/contract.ts'
import type { Codec } from '../method.ts'
import { word } from './scalars.ts'
import { ACCOUNT_PROOF, HASH } from './schemas.ts'
import { answerCodec, parameterCodec } from './support.ts'

export interface ProofView {
  readonly address: Uint8Array
  readonly proof: AccountProof
  /** Slots as the answer repeats them, one per proof. */
  readonly keys: readonly string[]
}

/** A slot, and whether the client wrote it in full. */
export interface StorageKey {
  /** 32 bytes */
  readonly slot: Uint8Array
  /** Whether all 32 bytes were given. */
  readonly isWhole: boolean
}

const WHOLE_DIGITS = 64

export const storageKey: Codec<StorageKey> = parameterCodec(HASH, (value) => ({
  slot: word.parse(value),
  isWhole: typeof value === 'string' && value.length === WHOLE_DIGITS + (hasHexPrefix(value) ? 2 : 0),
}))

/** Whole bytes without leading zeros; `0x0` for slot 0. */
export function trimmedKey({ slot }: StorageKey): string {
  const digits = bytesToHex(trimLeadingZeros(slot))
  return digits === '0x' ? '0x0' : digits
}

/** The slot as the client wrote it: all 32 bytes, or a quantity. */
export function givenKey({ slot, isWhole }: StorageKey): string {
  return isWhole ? bytesToHex(slot) : storageValue(slot)
}

function storageValue(value: Uint8Array): string {
  const digits = bytesToHex(trimLeadingZeros(value))
  return digits === '0x' ? '0x0' : quantity(BigInt(digits))
}

export const proof: Codec<ProofView> = answerCodec(
  ACCOUNT_PROOF,
  ({ address, keys, proof: { account, accountProof, storageProof } }) => ({
    accountProof: accountProof.map(bytesToHex),
    address: bytesToHex(address),
    balance: quantity(account?.balance ?? 0n),
    codeHash: bytesToHex(account?.codeHash ?? EMPTY_CODE_HASH),
    nonce: quantity(account?.nonce ?? 0n),
    storageHash: bytesToHex(account?.storageRoot ?? EMPTY_TRIE_ROOT),
    storageProof: storageProof.map((entry, at) => slotProof(entry, keys[at] as string)),
  }),
)

/** @param key the slot as the answer repeats it */
export function slotProof({ value, proof: nodes }: StorageProof, key: string): unknown {
  return { key, value: storageValue(value), proof: nodes.map(bytesToHex) }
}
