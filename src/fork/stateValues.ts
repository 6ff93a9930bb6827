/**
 * Accounts of a remote as values of a cache.
 * @module
 */
import { bigIntToBytes, bytesToBigInt, EMPTY_BYTES } from '../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../base/primitives/keccak.ts'
import { rlpDecodeList, rlpEncode } from '../base/primitives/rlp.ts'
import type { BaseAccount } from '../state/baseState.ts'

/** An account that does not exist is an empty list. */
export function encodeBaseAccount(account: BaseAccount | undefined): Uint8Array {
  if (account === undefined) return rlpEncode([])
  const { nonce, balance, codeHash, storageRoot } = account
  return rlpEncode([bigIntToBytes(nonce), bigIntToBytes(balance), codeHash, storageRoot ?? EMPTY_BYTES])
}

export function decodeBaseAccount(value: Uint8Array): BaseAccount | undefined {
  const [nonce, balance, codeHash, storageRoot] = rlpDecodeList(value) as Uint8Array[]
  if (nonce === undefined || balance === undefined) return undefined
  return {
    nonce: bytesToBigInt(nonce),
    balance: bytesToBigInt(balance),
    codeHash: codeHash ?? EMPTY_CODE_HASH,
    storageRoot: storageRoot?.length === 32 ? storageRoot : undefined,
  }
}
