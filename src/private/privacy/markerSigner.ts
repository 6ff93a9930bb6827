import type { Random } from '../../base/ports/random.ts'
import { bytesToBigInt } from '../../base/primitives/bytes.ts'
import { isPrivateKey, publicKeyOf, publicKeyToAddress, signHash } from '../../base/primitives/secp256k1.ts'
import type { LegacyTransaction } from '../../types/transaction.ts'
import { signingHash } from '../../types/transactionCodec.ts'

/** Fields of a marker that its signer does not determine. */
export type MarkerFields = Pick<LegacyTransaction, 'nonce' | 'gasPrice' | 'gasLimit' | 'to' | 'data'>

/** Signs markers, without a chain id. */
export class MarkerSigner {
  readonly #key: Uint8Array
  /** 20 bytes */
  readonly address: Uint8Array

  /** @param key private key, 32 bytes */
  constructor(key: Uint8Array) {
    this.#key = key
    this.address = publicKeyToAddress(publicKeyOf(key))
  }

  /** A signer with a key that nothing else uses: markers cannot be attributed to the node. */
  static random(random: Random): MarkerSigner {
    for (;;) {
      const key = random.bytes(32)
      if (isPrivateKey(key)) return new MarkerSigner(key)
    }
  }

  sign(fields: MarkerFields): LegacyTransaction {
    const unsigned: LegacyTransaction = { ...fields, type: 0, value: 0n, chainId: undefined, v: 27n, r: 0n, s: 0n }
    const { signature, yParity } = signHash(signingHash(unsigned), this.#key)
    return {
      ...unsigned,
      v: 27n + BigInt(yParity),
      r: bytesToBigInt(signature.subarray(0, 32)),
      s: bytesToBigInt(signature.subarray(32)),
    }
  }
}
