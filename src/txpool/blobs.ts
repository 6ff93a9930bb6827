/**
 * Verifies blobs of a transaction against the signed hashes.
 *
 * The library and its trusted setup are large and most chains never need them, so the first sidecar loads them.
 * Measured: one blob takes 50 ms in version 0, and 400 ms in version 1, whose 128 cells and proofs are all verified.
 * @see EIP-4844, EIP-7594
 * @module
 */

import type { YieldToHost } from '../base/ports/yieldToHost.ts'
import { bytesToHex, bytesToHexUnprefixed, equalBytes } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { sha256 } from '../base/primitives/sha256.ts'
import type { BlobSidecar } from '../types/blobSidecar.ts'
import type { BlobTransaction } from '../types/transaction.ts'

type Library = typeof import('micro-eth-signer/kzg.js')
type Kzg = InstanceType<Library['KZG']>

const VERSION_KZG = 0x01
const CELLS_PER_BLOB = 128
/** Cells verified without a yield: fewer increase the total time, more delay other work. */
const CELLS_PER_STEP = 32

/** The setup is constant, so all nodes of a process share the verifier. */
let blobVerifier: Promise<Kzg> | undefined
let cellVerifier: Promise<Kzg> | undefined

/**
 * {@link verifySidecar} of a host, which may run it on a thread.
 * @throws {NodeError} INVALID_BLOB_SIDECAR; TRANSACTION_POOL_FULL when too many are waiting
 */
export type SidecarVerification = (
  transaction: Pick<BlobTransaction, 'blobVersionedHashes'>,
  sidecar: BlobSidecar,
) => Promise<void>

/**
 * Verifies commitments against the signed hashes, and blobs and proofs against the commitments, in steps of at most
 * about 100 ms.
 * @param sidecar with valid counts and lengths (types/blobSidecar.ts)
 * @throws {NodeError} INVALID_BLOB_SIDECAR
 */
export async function verifySidecar(
  { blobVersionedHashes }: Pick<BlobTransaction, 'blobVersionedHashes'>,
  sidecar: BlobSidecar,
  yieldToHost: YieldToHost,
): Promise<void> {
  const { version, blobs, commitments, proofs } = sidecar
  const proofsPerBlob = version === 0 ? 1 : CELLS_PER_BLOB
  const count = blobVersionedHashes.length
  if (blobs.length !== count || commitments.length !== count || proofs.length !== count * proofsPerBlob) {
    throw invalid(`${blobs.length} blobs, ${commitments.length} commitments and ${proofs.length} proofs`)
  }
  checkCommitments({ blobVersionedHashes }, sidecar)
  for (const [i, blob] of blobs.entries()) {
    const blobProofs = proofs.slice(i * proofsPerBlob, (i + 1) * proofsPerBlob).map(bytesToHex)
    const isProven = version === 0 ? isBlobProven : areCellsProven
    if (!(await isProven(bytesToHex(blob), bytesToHex(commitments[i] as Uint8Array), blobProofs, yieldToHost))) {
      throw invalid(`blob ${i}: can't verify proof`)
    }
    await yieldToHost()
  }
}

/**
 * Compares commitments with the signed hashes, which costs little.
 * @throws {NodeError} INVALID_BLOB_SIDECAR
 */
export function checkCommitments(
  { blobVersionedHashes }: Pick<BlobTransaction, 'blobVersionedHashes'>,
  { commitments }: Pick<BlobSidecar, 'commitments'>,
): void {
  for (const [i, commitment] of commitments.entries()) {
    const hash = versionedHash(commitment)
    const signed = blobVersionedHashes[i]
    if (signed === undefined || !equalBytes(hash, signed)) {
      throw invalid(`blob ${i}: computed hash ${bytesToHex(hash)} mismatches transaction one`)
    }
  }
}

/** Versioned hash of a KZG commitment, 32 bytes. */
export function versionedHash(commitment: Uint8Array): Uint8Array {
  const hash = sha256(commitment)
  hash[0] = VERSION_KZG
  return hash
}

function invalid(message: string): NodeError {
  return new NodeError({ code: 'INVALID_BLOB_SIDECAR' }, `invalid blob sidecar: ${message}`)
}

async function isBlobProven(blob: string, commitment: string, [proof]: readonly string[]): Promise<boolean> {
  const kzg = await loadBlobVerifier()
  return holds(() => kzg.verifyBlobProof(blob, commitment, proof as string))
}

async function areCellsProven(
  blob: string,
  commitment: string,
  proofs: readonly string[],
  yieldToHost: YieldToHost,
): Promise<boolean> {
  const kzg = await loadCellVerifier()
  let cells: readonly string[] = []
  const hasCells = holds(() => {
    cells = kzg.computeCells(blob)
    return true
  })
  if (!hasCells) return false
  for (let start = 0; start < CELLS_PER_BLOB; start += CELLS_PER_STEP) {
    await yieldToHost()
    const end = start + CELLS_PER_STEP
    const indexes = Array.from({ length: CELLS_PER_STEP }, (_, i) => start + i)
    const commitments = indexes.map(() => commitment)
    const step = (): boolean =>
      kzg.verifyCellKzgProofBatch(commitments, indexes, cells.slice(start, end), proofs.slice(start, end))
    if (!holds(step)) return false
  }
  return true
}

/**
 * The library throws for a blob with an element above the field's order, and for 48 bytes that are not a point of the
 * curve.
 */
function holds(check: () => boolean): boolean {
  try {
    return check()
  } catch {
    return false
  }
}

/** After a failure the next sidecar loads it again. */
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
  const [{ KZG }, { VERIFICATION_SETUP }] = await Promise.all([
    import('micro-eth-signer/kzg.js'),
    import('../base/primitives/kzg/verificationSetup.ts'),
  ])
  return new KZG(VERIFICATION_SETUP)
}

async function makeCellVerifier(): Promise<Kzg> {
  const [{ KZG }, { VERIFICATION_SETUP }, { G1_SETUP }, { bls12_381 }] = await Promise.all([
    import('micro-eth-signer/kzg.js'),
    import('../base/primitives/kzg/verificationSetup.ts'),
    import('../base/primitives/kzg/g1Setup.ts'),
    import('@noble/curves/bls12-381.js'),
  ])
  const { Point } = bls12_381.G1
  const monomial = G1_SETUP.map((compressed) => {
    const uncompressed = bytesToHexUnprefixed(Point.fromHex(compressed).toBytes(false))
    return `0x${uncompressed.slice(0, 96)} ${uncompressed.slice(96)}`
  })
  return new KZG({ ...VERIFICATION_SETUP, g1_monomial: monomial })
}
