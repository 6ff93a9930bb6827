import type { ChainReader } from '../../../chain/contract.ts'
import { data, hash32 } from '../../codecs/scalars.ts'
import { listOf } from '../../codecs/schemas.ts'
import { answerCodec, nullable } from '../../codecs/support.ts'
import { type Codec, defineMethod, type MethodDefinition, param, result } from '../../method.ts'
import { TRANSACTION_HASH } from '../support/parameterTexts.ts'
import { type DevBackend, devChain } from './operation.ts'

interface BlobBackend extends DevBackend {
  readonly chain: ChainReader
}

const blobList: Codec<readonly Uint8Array[]> = answerCodec(listOf(data.schema), (blobs) =>
  blobs.map((blob) => data.serialize(blob)),
)

const getBlobByHash: MethodDefinition<BlobBackend> = defineMethod({
  name: 'anvil_getBlobByHash',
  group: 'DEV',
  summary: 'Blob of a mined transaction by its versioned hash; null when it is not kept (the newest 64 MiB are).',
  params: [param('versionedHash', hash32, 'Versioned hash of the blob, 32 bytes.')],
  result: result('blob', nullable(data)),
  handler: (backend: BlobBackend, [versionedHash]) =>
    devChain(backend).blobs.byVersionedHash(versionedHash, (hash) => isMined(backend, hash)),
})

const getBlobsByTransactionHash: MethodDefinition<BlobBackend> = defineMethod({
  name: 'anvil_getBlobsByTransactionHash',
  group: 'DEV',
  summary: 'Blobs of a mined transaction; null when it is unknown, has none, or they are not kept.',
  params: [param('hash', hash32, TRANSACTION_HASH)],
  result: result('blobs', nullable(blobList)),
  handler: (backend: BlobBackend, [hash]) => {
    const blobs = devChain(backend).blobs.ofTransaction(hash)
    return isMined(backend, hash) ? blobs : undefined
  },
})

/** A reorganisation may have removed the transaction. */
function isMined({ chain }: BlobBackend, hash: Uint8Array): boolean {
  return chain.transactionLocation(hash) !== undefined
}

export const blobMethods: readonly MethodDefinition<BlobBackend>[] = [getBlobByHash, getBlobsByTransactionHash]
