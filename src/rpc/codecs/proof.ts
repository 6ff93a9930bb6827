/**
 * @see EIP-1186; execution-apis AccountProof
 * @module
 */
import { bytesToHex, quantity, trimLeadingZeros } from '../../primitives/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../primitives/keccak.ts'
import type { AccountProof } from '../../state/contract.ts'
import type { Codec } from '../method.ts'
import { ACCOUNT_PROOF } from './schemas.ts'
import { answerCodec } from './support.ts'

export interface ProofView {
  readonly address: Uint8Array
  readonly proof: AccountProof
}

function storageValue(value: Uint8Array): string {
  const digits = bytesToHex(trimLeadingZeros(value))
  return digits === '0x' ? '0x0' : quantity(BigInt(digits))
}

export const proof: Codec<ProofView> = answerCodec(
  ACCOUNT_PROOF,
  ({ address, proof: { account, accountProof, storageProof } }) => ({
    accountProof: accountProof.map(bytesToHex),
    address: bytesToHex(address),
    balance: quantity(account?.balance ?? 0n),
    codeHash: bytesToHex(account?.codeHash ?? EMPTY_CODE_HASH),
    nonce: quantity(account?.nonce ?? 0n),
    storageHash: bytesToHex(account?.storageRoot ?? EMPTY_TRIE_ROOT),
    storageProof: storageProof.map((entry) => ({
      key: bytesToHex(trimLeadingZeros(entry.slot)),
      value: storageValue(entry.value),
      proof: entry.proof.map(bytesToHex),
    })),
  }),
)
