import { afterEach, describe, expect, it } from 'vitest'
import { BlobVerifier, type BlobVerifierOptions } from '../../../../../adapters/server/threads/blobVerifier.ts'
import { hexToBytes } from '../../../../../src/base/primitives/bytes.ts'
import { versionedHash } from '../../../../../src/txpool/blobs.ts'
import { bundledWorker } from '../../../../support/host/bundledWorker.ts'

/** The commitment to a blob that contains 1 everywhere is the generator; its proof is the point at infinity. */
const GENERATOR = hexToBytes(
  '97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb',
)
const SIGNED = { blobVersionedHashes: [versionedHash(GENERATOR)] }

function sidecar(value: number) {
  const blob = new Uint8Array(131_072)
  for (let at = 31; at < blob.length; at += 32) blob[at] = value
  const proof = new Uint8Array(48)
  proof[0] = 0xc0
  return { version: 0, blobs: [blob], commitments: [GENERATOR], proofs: [proof] } as const
}

const worker = bundledWorker('adapters/server/threads/blobWorker.ts')
const opened: BlobVerifier[] = []

function open(options: BlobVerifierOptions = {}): BlobVerifier {
  const verifier = new BlobVerifier({ workerUrl: worker.url, ...options })
  opened.push(verifier)
  return verifier
}

afterEach(async () => {
  for (const verifier of opened.splice(0)) await verifier.close()
})

describe('BlobVerifier', () => {
  it('verifies on a thread, in order, and starts a new one after an idle period', async () => {
    const verifier = open({ idleMs: 0 })
    const settled: string[] = []
    await Promise.all([
      verifier.verify(SIGNED, sidecar(1)).then(() => settled.push('valid')),
      verifier.verify(SIGNED, sidecar(2)).catch(({ code, message }) => settled.push(`${code} ${message}`)),
    ])
    expect(settled).toEqual(['valid', "INVALID_BLOB_SIDECAR invalid blob sidecar: blob 0: can't verify proof"])
    await new Promise((resolve) => setTimeout(resolve, 20))
    await verifier.verify(SIGNED, sidecar(1))
  })

  it('refuses sidecars beyond the bound of its queue', async () => {
    const verifier = open({ workerUrl: worker.moduleOf('silent.mjs', 'setInterval(() => {}, 1000)') })
    const none = { version: 0, blobs: [], commitments: [], proofs: [] } as const
    const waiting = Array.from({ length: 64 }, () => verifier.verify({ blobVersionedHashes: [] }, none))
    await expect(verifier.verify(SIGNED, sidecar(1))).rejects.toMatchObject({ code: 'TRANSACTION_POOL_FULL' })
    // Sidecars that are waiting when it is closed are verified on this thread.
    await verifier.close()
    await Promise.all(waiting)
  })

  it.each([
    ['cannot start', () => new URL('file:///no/such/worker.mjs')],
    [
      'dies',
      () =>
        worker.moduleOf(
          'dies.mjs',
          "import { parentPort } from 'node:worker_threads'\nparentPort.postMessage({ kind: 'ready' })\nparentPort.on('message', () => process.exit(1))",
        ),
    ],
  ])('verifies on the calling thread when the thread %s', async (_what, url) => {
    const verifier = open({ workerUrl: url() })
    for (let i = 0; i < 4; i++) await verifier.verify(SIGNED, sidecar(1))
    await expect(verifier.verify(SIGNED, sidecar(2))).rejects.toMatchObject({ code: 'INVALID_BLOB_SIDECAR' })
  })
})
