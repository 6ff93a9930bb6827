import { describe, expect, test } from 'vitest'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { metadataMutations, readMetadata, type StoreMetadata, verifyGenesis } from '../../../src/storage/metadata.ts'
import { keys, SCHEMA_VERSION } from '../../../src/storage/schema.ts'

const metadata: StoreMetadata = {
  schemaVersion: SCHEMA_VERSION,
  genesisHash: new Uint8Array(32).fill(0xaa),
  genesis: '{"config":{"chainId":1337}}',
}

describe('the record of a store', () => {
  test('is absent in an empty store and is read as written', () => {
    const store = new MemoryStore()
    expect(readMetadata(store)).toBeUndefined()
    store.commit(metadataMutations(metadata))
    expect(readMetadata(store)).toEqual(metadata)
  })

  test('a newer format is refused with an error that names both', () => {
    const store = new MemoryStore()
    store.commit(metadataMutations({ ...metadata, schemaVersion: 99 }))
    expect(() => readMetadata(store)).toThrow(
      expect.objectContaining({
        code: 'FORMAT_TOO_NEW',
        message: expect.stringMatching(new RegExp(`format 99, .*up to ${SCHEMA_VERSION}$`)),
      }),
    )
  })

  test('another genesis block is refused with an error that names both', () => {
    const other = new Uint8Array(32).fill(0xbb)
    expect(() => verifyGenesis(metadata, metadata.genesisHash.slice())).not.toThrow()
    expect(() => verifyGenesis(metadata, other)).toThrow(
      expect.objectContaining({ code: 'GENESIS_MISMATCH', message: expect.stringMatching(/0xaa{31}aa.*0xbb{31}bb/s) }),
    )
  })

  test('an incomplete record is refused', () => {
    const store = new MemoryStore()
    store.commit([...metadataMutations(metadata), { key: keys.meta('genesisHash'), value: undefined }])
    expect(() => readMetadata(store)).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }))
  })
})
