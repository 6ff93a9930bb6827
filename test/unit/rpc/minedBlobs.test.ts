/** Blobs of mined transactions on the dev chain. */
import { bytesToHex, type Hex, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { MAX_MINED_BLOB_BYTES } from '../../../src/base/limits/limits.ts'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { MinedBlobs } from '../../../src/dev/minedBlobs.ts'
import { versionedHash } from '../../../src/txpool/blobs.ts'
import type { PooledTransaction } from '../../../src/txpool/contract.ts'
import { closedAfterEach } from '../../support/nodes/devNodeInMemory.ts'

const openDevNode = closedAfterEach()

const ALICE = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
/** The commitment to a blob that contains 1 everywhere is the generator; its proof is the point at infinity. */
const GENERATOR: Hex =
  '0x97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb'
const INFINITY: Hex = `0xc0${'00'.repeat(47)}`
const HASH = bytesToHex(versionedHash(hexToBytes(GENERATOR)))
const BLOB: Hex = `0x${`${'00'.repeat(31)}01`.repeat(4096)}`
const UNKNOWN: Hex = `0x${'ab'.repeat(32)}`

const signedBlob = (): Promise<Hex> =>
  ALICE.signTransaction({
    type: 'eip4844',
    chainId: 31_337,
    nonce: 0,
    to: ALICE.address,
    gas: 21_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 1n,
    maxFeePerBlobGas: 10n ** 10n,
    blobVersionedHashes: [HASH],
    sidecars: [{ blob: BLOB, commitment: GENERATOR, proof: INFINITY }],
  })

describe('blobs of mined transactions', () => {
  it('are returned by versioned hash and by transaction, until a rollback removes the transaction', async () => {
    const { rpc } = await openDevNode()
    const hash = await rpc<Hex>('eth_sendRawTransaction', await signedBlob())
    expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1', type: '0x3' })
    expect(await rpc('anvil_getBlobsByTransactionHash', hash)).toEqual([BLOB])
    expect(await rpc('anvil_getBlobByHash', HASH)).toBe(BLOB)
    expect(await rpc('anvil_getBlobByHash', UNKNOWN)).toBeNull()
    expect(await rpc('anvil_getBlobsByTransactionHash', UNKNOWN)).toBeNull()
    const other = await rpc<Hex>('eth_sendTransaction', { from: ALICE.address, to: ALICE.address })
    expect(await rpc('anvil_getBlobsByTransactionHash', other)).toBeNull()
    await rpc('anvil_rollback', 2)
    expect(await rpc('anvil_getBlobsByTransactionHash', hash)).toBeNull()
    expect(await rpc('anvil_getBlobByHash', HASH)).toBeNull()
    await expect(rpc('anvil_getBlobByHash', '0x12')).rejects.toMatchObject({ code: -32602 })
  })

  it('are bounded in bytes: the oldest are dropped', () => {
    const blobs = new MinedBlobs()
    const key = (i: number): Uint8Array => hexToBytes(toHex(i, { size: 32 }))
    const blob = new Uint8Array(MAX_MINED_BLOB_BYTES / 4)
    for (let i = 0; i < 5; i++) {
      const transaction = { type: 3, blobVersionedHashes: [key(100 + i)] }
      blobs.add([{ transaction, hash: key(i), sidecar: { blobs: [blob] } } as unknown as PooledTransaction])
    }
    expect([0, 1, 4].map((i) => blobs.ofTransaction(key(i))?.length)).toEqual([undefined, 1, 1])
    const all = () => true
    expect([100, 104].map((i) => blobs.byVersionedHash(key(i), all)?.length)).toEqual([undefined, blob.length])
    expect(blobs.byVersionedHash(key(104), () => false)).toBeUndefined()
  })
})
