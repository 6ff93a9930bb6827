/**
 * The keys that every use of a mirror reads first. They are known from its manifest, so that they are loaded together.
 * @module
 */
import { keys, type MetaName } from '../storage/schema.ts'
import type { BlockName, Manifest } from './format/manifest.ts'
import type { KnownIdentity } from './mirrorObjects.ts'

/** The identity of a chain. The genesis file may be longer than the cache, so it is read once and not kept. */
export const METADATA_NAMES: readonly MetaName[] = ['schemaVersion', 'migratingFrom', 'genesisHash', 'genesis']

const POINTERS: readonly MetaName[] = [
  'schemaVersion',
  'migratingFrom',
  'genesisHash',
  'head',
  'safe',
  'finalized',
  'flatRoot',
  'runs',
  'stateFrom',
  'callTable',
]

/** In no order, and some of them twice if the blocks are the same. */
export function startKeys(
  { head, safe, finalized }: Pick<Manifest, 'head' | 'safe' | 'finalized'>,
  { genesisHash }: Pick<KnownIdentity, 'genesisHash'>,
): Uint8Array[] {
  const blocks = [head, safe, finalized, { number: 0, hash: genesisHash }].filter((block) => block !== undefined)
  return [...POINTERS.map(keys.meta), ...blocks.flatMap(keysOfBlock)]
}

function keysOfBlock({ number, hash }: BlockName): Uint8Array[] {
  return [
    keys.numberByHash(hash),
    keys.canonicalHash(number),
    keys.header(number, hash),
    keys.blockRecord(number, hash),
    keys.devAmendment(number, hash),
  ]
}
