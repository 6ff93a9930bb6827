// slow: proofs of blobs
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../../src/base/primitives/errors.ts'
import { verifySidecar, versionedHash } from '../../../src/txpool/blobs.ts'
import { decodeSubmission } from '../../../src/txpool/decode.ts'
import type { BlobSidecar } from '../../../src/types/blobSidecar.ts'
import type { BlobTransaction } from '../../../src/types/transaction.ts'
import { needsData } from '../../support/host/needsData.ts'
import { testYield } from '../../support/host/testYield.ts'
import { recordedPath } from '../../support/recorded/conformance.ts'

/** The commitment to a blob that contains 1 everywhere is the generator; all its proofs are the point at infinity. */
const GENERATOR = hexToBytes(
  '97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb',
)
const INFINITY = new Uint8Array(48)
INFINITY[0] = 0xc0

function constantBlob(value: number): Uint8Array {
  const blob = new Uint8Array(131_072)
  for (let at = 31; at < blob.length; at += 32) blob[at] = value
  return blob
}

function sidecarOf(version: 0 | 1, changes: Partial<BlobSidecar> = {}): BlobSidecar {
  const proofs = Array.from({ length: version === 0 ? 1 : 128 }, () => INFINITY)
  return { version, blobs: [constantBlob(1)], commitments: [GENERATOR], proofs, ...changes }
}

const SIGNED = { blobVersionedHashes: [versionedHash(GENERATOR)] }

async function refusal(
  sidecar: BlobSidecar,
  transaction: Pick<BlobTransaction, 'blobVersionedHashes'> = SIGNED,
): Promise<string | undefined> {
  try {
    await verifySidecar(transaction, sidecar, testYield)
    return undefined
  } catch (error) {
    if (!isNodeError(error, 'INVALID_BLOB_SIDECAR')) throw error
    return error.message
  }
}

for (const version of [0, 1] as const) {
  describe(`blobs of version ${version}`, () => {
    it('are accepted if everything is consistent', async () => {
      expect(await refusal(sidecarOf(version))).toBeUndefined()
    })

    it('are refused when the sender signed another commitment', async () => {
      const transaction = { blobVersionedHashes: [versionedHash(INFINITY)] }
      expect(await refusal(sidecarOf(version), transaction)).toContain('mismatches transaction one')
    })

    it('are refused when the blob is another one', async () => {
      expect(await refusal(sidecarOf(version, { blobs: [constantBlob(2)] }))).toContain("can't verify proof")
    })

    it('are refused when a proof is wrong or not a point', async () => {
      const { proofs } = sidecarOf(version)
      const wrong = [...proofs.slice(0, -1), GENERATOR]
      expect(await refusal(sidecarOf(version, { proofs: wrong }))).toContain("can't verify proof")
      const noPoint = [...proofs.slice(0, -1), new Uint8Array(48)]
      expect(await refusal(sidecarOf(version, { proofs: noPoint }))).toContain("can't verify proof")
    })

    it('are refused when an element is too large or one is missing', async () => {
      const tooLarge = constantBlob(1).fill(0xff, 0, 32)
      expect(await refusal(sidecarOf(version, { blobs: [tooLarge] }))).toContain("can't verify proof")
      expect(await refusal(sidecarOf(version, { proofs: [] }))).toContain('0 proofs')
    })
  })
}

const RECORDED = ['execution-apis', 'execution-apis-cancun'].map((folder) => ({
  folder,
  file: `${folder}/cases-extra/eth_sendRawTransaction/send-blob-tx.io`,
}))

describe('recorded blob transactions', () => {
  for (const { folder, file } of RECORDED) {
    it(`have blobs with valid proofs: ${folder}`, needsData(file), async () => {
      const raw = /"(0x03[0-9a-f]+)"/.exec(readFileSync(recordedPath(file), 'utf8'))?.[1] ?? ''
      const { transaction, sidecar } = decodeSubmission(hexToBytes(raw))
      if (sidecar === undefined) throw new Error('no sidecar')
      await verifySidecar(transaction as BlobTransaction, sidecar, testYield)
      const proofs = [...sidecar.proofs.slice(1), GENERATOR]
      expect(await refusal({ ...sidecar, proofs }, transaction as BlobTransaction)).toContain("can't verify proof")
    })
  }
})
