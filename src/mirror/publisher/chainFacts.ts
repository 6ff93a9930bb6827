/**
 * The facts of a manifest about the chain, from one state of the database.
 * @module
 */
import type { KeyValueReader } from '../../base/ports/keyValueStore.ts'
import { bytesToHex } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { decodeNumber } from '../../chain/blockRecord.ts'
import { BlockTables, type PointerName } from '../../chain/blockTables.ts'
import { storedChainId } from '../../chain/storedRules.ts'
import { readMetadata } from '../../storage/metadata.ts'
import { keys } from '../../storage/schema.ts'
import type { MirrorIdentity } from '../format/identity.ts'
import type { BlockName, Manifest } from '../format/manifest.ts'

export type ChainIdentity = Omit<MirrorIdentity, 'publisher'>
export type ChainFacts = Pick<Manifest, 'head' | 'safe' | 'finalized' | 'stateVersion'>

/** @throws {NodeError} INVALID_OPTION without a chain, STORE_DAMAGED, FORMAT_TOO_NEW, STORE_NOT_MIGRATED */
export function readChainIdentity(reader: KeyValueReader): ChainIdentity {
  const metadata = readMetadata(reader)
  const chainId = storedChainId(reader)
  if (metadata === undefined || chainId === undefined) {
    throw new NodeError({ code: 'INVALID_OPTION' }, 'the database has no chain to publish: start the node on it first')
  }
  return { chainId, genesisHash: metadata.genesisHash, genesis: metadata.genesis }
}

/** @throws {NodeError} STORE_DAMAGED */
export function readChainFacts(reader: KeyValueReader): ChainFacts {
  const tables = new BlockTables(reader)
  const head = pointer(tables, 'head')
  if (head === undefined) throw new NodeError({ code: 'STORE_DAMAGED' }, 'the database has no head')
  const version = reader.get(keys.meta('stateVersion'))
  return {
    head,
    safe: pointer(tables, 'safe'),
    finalized: pointer(tables, 'finalized'),
    stateVersion: version === undefined ? 0 : decodeNumber(version),
  }
}

function pointer(tables: BlockTables, name: PointerName): BlockName | undefined {
  const hash = tables.pointer(name)
  const number = hash && tables.numberOf(hash)
  return hash && number !== undefined ? { number, hash } : undefined
}

/** Whether the database has the block. */
export function hasBlock(reader: KeyValueReader, { hash }: BlockName): boolean {
  return new BlockTables(reader).numberOf(hash) !== undefined
}

/** For messages. */
export function blockText({ number, hash }: BlockName): string {
  return `block ${number} ${bytesToHex(hash)}`
}
