/**
 * Metadata of a store: its format and its chain.
 * @module
 */
import type { KeyValueReader, Mutation } from '../base/ports/keyValueStore.ts'
import { bytesToHex, bytesToNumber, equalBytes, uintBytes } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
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
 * @returns undefined for a store without a chain
 * @throws {NodeError} FORMAT_TOO_NEW, STORE_NOT_MIGRATED; STORE_DAMAGED when a part of the record is missing
 */
export function readMetadata(reader: KeyValueReader): StoreMetadata | undefined {
  const schemaVersion = requirePresentFormat(reader)
  if (schemaVersion === undefined) return undefined
  const [genesisHash, genesis] = reader.getMany([keys.meta('genesisHash'), keys.meta('genesis')])
  if (genesisHash === undefined || genesis === undefined) {
    throw unidentified()
  }
  return { schemaVersion, genesisHash, genesis: new TextDecoder().decode(genesis) }
}

/**
 * The genesis file of a store of any known format, even during a migration.
 * @returns undefined for a store without a chain
 * @throws {NodeError} FORMAT_TOO_NEW
 */
export function readGenesisText(reader: KeyValueReader): string | undefined {
  if (readFormat(reader, SCHEMA_VERSION) === undefined) return undefined
  const genesis = reader.get(keys.meta('genesis'))
  return genesis === undefined ? undefined : new TextDecoder().decode(genesis)
}

/** Format of a store. */
export interface StoreFormat {
  /** During a migration the target format: builds that do not know it refuse the store. */
  readonly version: number
  /** The format before the unfinished migration. */
  readonly migratingFrom: number | undefined
}

/**
 * @param supported newest format known to the caller
 * @returns undefined for a store without a chain
 * @throws {NodeError} FORMAT_TOO_NEW, STORE_DAMAGED
 */
export function readFormat(reader: KeyValueReader, supported: number): StoreFormat | undefined {
  const [found, from, genesis] = reader.getMany([
    keys.meta('schemaVersion'),
    keys.meta('migratingFrom'),
    keys.meta('genesisHash'),
  ])
  if (found === undefined && genesis !== undefined) throw unidentified()
  if (found === undefined) return undefined
  const version = bytesToNumber(found)
  if (version <= supported) return { version, migratingFrom: from === undefined ? undefined : bytesToNumber(from) }
  const message = `the database has format ${version}, this version of isonode supports formats up to ${supported}`
  throw new NodeError({ code: 'FORMAT_TOO_NEW', found: version, supported }, message)
}

function unidentified(): NodeError {
  return new NodeError({ code: 'STORE_DAMAGED' }, 'the database does not identify its chain')
}

/**
 * For readers that do not migrate the store.
 * @returns the format; undefined for a store without a chain
 * @throws {NodeError} FORMAT_TOO_NEW; STORE_NOT_MIGRATED for an older format or an unfinished migration
 */
export function requirePresentFormat(reader: KeyValueReader): number | undefined {
  const format = readFormat(reader, SCHEMA_VERSION)
  if (format === undefined) return undefined
  const found = format.migratingFrom ?? format.version
  if (found === SCHEMA_VERSION) return found
  const message = `the database has format ${found} and must be migrated to format ${SCHEMA_VERSION}: start the node on it`
  throw new NodeError({ code: 'STORE_NOT_MIGRATED', found, needed: SCHEMA_VERSION }, message)
}

/** Mutations to commit with the genesis block, or when the fork schedule of the same genesis block changes. */
export function metadataMutations(metadata: StoreMetadata): Mutation[] {
  return [
    schemaVersionMutation(metadata.schemaVersion),
    { key: keys.meta('genesisHash'), value: metadata.genesisHash },
    { key: keys.meta('genesis'), value: new TextEncoder().encode(metadata.genesis) },
  ]
}

/** Whether a database stores the addresses and slots of hashes. Databases without a record do. */
export function hasPreimages(reader: KeyValueReader): boolean {
  return reader.get(keys.meta('preimages')) === undefined
}

export function preimageMutations(isOn: boolean): Mutation[] {
  return isOn ? [] : [{ key: keys.meta('preimages'), value: Uint8Array.of(0) }]
}

export function schemaVersionMutation(schemaVersion: number): Mutation {
  return { key: keys.meta('schemaVersion'), value: uintBytes(schemaVersion, VERSION_BYTES) }
}

/** Marks a store as being migrated; {@link migrationEnd} removes the mark. */
export function migrationStart(from: number, to: number): Mutation[] {
  return [schemaVersionMutation(to), { key: keys.meta('migratingFrom'), value: uintBytes(from, VERSION_BYTES) }]
}

export function migrationEnd(): Mutation[] {
  return [{ key: keys.meta('migratingFrom'), value: undefined }]
}

/**
 * @param genesisHash of the node's chain
 * @throws {NodeError} GENESIS_MISMATCH
 */
export function verifyGenesis(metadata: StoreMetadata, genesisHash: Uint8Array): void {
  if (equalBytes(metadata.genesisHash, genesisHash)) return
  const [found, expected] = [bytesToHex(metadata.genesisHash), bytesToHex(genesisHash)]
  const message = `the database has a chain with genesis block ${found}, the configuration has ${expected}`
  throw new NodeError({ code: 'GENESIS_MISMATCH', found, expected }, message)
}
