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
 * @throws {NodeError} FORMAT_TOO_NEW, STORE_NOT_MIGRATED; STORE_DAMAGED when a part of the record is missing
 */
export function readMetadata(reader: KeyValueReader): StoreMetadata | undefined {
  const schemaVersion = requirePresentFormat(reader)
  if (schemaVersion === undefined) return undefined
  const [genesisHash, genesis] = reader.getMany([keys.meta('genesisHash'), keys.meta('genesis')])
  if (genesisHash === undefined || genesis === undefined) {
    throw new NodeError({ code: 'STORE_DAMAGED' }, 'the database does not say which chain it holds')
  }
  return { schemaVersion, genesisHash, genesis: new TextDecoder().decode(genesis) }
}

/**
 * The genesis file of a store of any known format, also of one that a migration left half-way.
 * @returns undefined for a store that no chain was written to
 * @throws {NodeError} FORMAT_TOO_NEW
 */
export function readGenesisText(reader: KeyValueReader): string | undefined {
  if (readFormat(reader, SCHEMA_VERSION) === undefined) return undefined
  const genesis = reader.get(keys.meta('genesis'))
  return genesis === undefined ? undefined : new TextDecoder().decode(genesis)
}

/** The format that a store has. */
export interface StoreFormat {
  /** While a migration is under way, the one that it leads to: builds that do not know it refuse the store. */
  readonly version: number
  /** The format that the unfinished migration started from. */
  readonly migratingFrom: number | undefined
}

/**
 * @param supported newest format that the caller knows
 * @returns undefined for a store that no chain was written to
 * @throws {NodeError} FORMAT_TOO_NEW
 */
export function readFormat(reader: KeyValueReader, supported: number): StoreFormat | undefined {
  const [found, from] = reader.getMany([keys.meta('schemaVersion'), keys.meta('migratingFrom')])
  if (found === undefined) return undefined
  const version = bytesToNumber(found)
  if (version <= supported) return { version, migratingFrom: from === undefined ? undefined : bytesToNumber(from) }
  const message = `the database has format ${version}, this version of isonode knows formats up to ${supported}`
  throw new NodeError({ code: 'FORMAT_TOO_NEW', found: version, supported }, message)
}

/**
 * For everything that reads a store and does not migrate it.
 * @returns the format; undefined for a store that no chain was written to
 * @throws {NodeError} FORMAT_TOO_NEW; STORE_NOT_MIGRATED for an older format and for a migration that is not finished
 */
export function requirePresentFormat(reader: KeyValueReader): number | undefined {
  const format = readFormat(reader, SCHEMA_VERSION)
  if (format === undefined) return undefined
  const found = format.migratingFrom ?? format.version
  if (found === SCHEMA_VERSION) return found
  const message = `the database has format ${found} and has to be migrated to format ${SCHEMA_VERSION}: start the node on it`
  throw new NodeError({ code: 'STORE_NOT_MIGRATED', found, needed: SCHEMA_VERSION }, message)
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
  return { key: keys.meta('schemaVersion'), value: encodeVersion(schemaVersion) }
}

/** Marks a store whose migration begins; {@link migrationEnd} takes the mark away. */
export function migrationStart(from: number, to: number): Mutation[] {
  return [schemaVersionMutation(to), { key: keys.meta('migratingFrom'), value: encodeVersion(from) }]
}

export function migrationEnd(): Mutation[] {
  return [{ key: keys.meta('migratingFrom'), value: undefined }]
}

function encodeVersion(version: number): Uint8Array {
  const value = new Uint8Array(VERSION_BYTES)
  writeUint(value, 0, version, VERSION_BYTES)
  return value
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
