/**
 * What a store says about itself: its format and the chain that it belongs to.
 * @module
 */
import type { KeyValueReader, Mutation } from '../ports/keyValueStore.ts'
import { bytesToHex, bytesToNumber, equalBytes, writeUint } from '../primitives/bytes.ts'
import { NodeError } from '../primitives/errors.ts'
import { keys, SCHEMA_VERSION } from './schema.ts'

export interface StoreMetadata {
  readonly schemaVersion: number
  /** 32 bytes. */
  readonly genesisHash: Uint8Array
  /** The genesis file as JSON text; its `config` section is the fork schedule. */
  readonly genesis: string
}

const VERSION_BYTES = 4

/**
 * @returns undefined for a store that no chain was written to
 * @throws {NodeError} FORMAT_TOO_NEW; STORE_DAMAGED when a part of the record is missing
 */
export function readMetadata(reader: KeyValueReader): StoreMetadata | undefined {
  const schemaVersion = readSchemaVersion(reader, SCHEMA_VERSION)
  if (schemaVersion === undefined) return undefined
  const [genesisHash, genesis] = reader.getMany([keys.meta('genesisHash'), keys.meta('genesis')])
  if (genesisHash === undefined || genesis === undefined) {
    throw new NodeError({ code: 'STORE_DAMAGED' }, 'the database does not say which chain it holds')
  }
  return { schemaVersion, genesisHash, genesis: new TextDecoder().decode(genesis) }
}

/**
 * @param supported newest format that the caller knows
 * @returns undefined for a store that no chain was written to
 * @throws {NodeError} FORMAT_TOO_NEW
 */
export function readSchemaVersion(reader: KeyValueReader, supported: number): number | undefined {
  const version = reader.get(keys.meta('schemaVersion'))
  if (version === undefined) return undefined
  const found = bytesToNumber(version)
  if (found <= supported) return found
  const message = `the database has format ${found}, this version of isonode knows formats up to ${supported}`
  throw new NodeError({ code: 'FORMAT_TOO_NEW', found, supported }, message)
}

/** What to commit together with the genesis block, or when the fork schedule of the same genesis block changes. */
export function metadataMutations(metadata: StoreMetadata): Mutation[] {
  return [
    schemaVersionMutation(metadata.schemaVersion),
    { key: keys.meta('genesisHash'), value: metadata.genesisHash },
    { key: keys.meta('genesis'), value: new TextEncoder().encode(metadata.genesis) },
  ]
}

export function schemaVersionMutation(schemaVersion: number): Mutation {
  const value = new Uint8Array(VERSION_BYTES)
  writeUint(value, 0, schemaVersion, VERSION_BYTES)
  return { key: keys.meta('schemaVersion'), value }
}

/**
 * @param genesisHash of the chain that the node is started for
 * @throws {NodeError} GENESIS_MISMATCH
 */
export function verifyGenesis(metadata: StoreMetadata, genesisHash: Uint8Array): void {
  if (equalBytes(metadata.genesisHash, genesisHash)) return
  const [found, expected] = [bytesToHex(metadata.genesisHash), bytesToHex(genesisHash)]
  const message = `the database holds a chain with genesis block ${found}, the configuration has ${expected}`
  throw new NodeError({ code: 'GENESIS_MISMATCH', found, expected }, message)
}
