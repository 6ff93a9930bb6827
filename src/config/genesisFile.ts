/**
 * Genesis files in the formats of Besu and go-ethereum.
 * @see docs/reference/cli-and-config.md section 9
 * @module
 */

import { LARGE_GENESIS_ACCOUNTS } from '../base/limits/limits.ts'
import { bytesToBigInt, EMPTY_BYTES, padLeft } from '../base/primitives/bytes.ts'
import { described } from '../base/primitives/printable.ts'
import type { ChainConfig } from './chainConfig.ts'
import { parseGenesisConfig } from './genesisConfig.ts'
import { GenesisObject, genesisError, invalid, parseGenesisJson, toHexBytes } from './genesisJson.ts'

export interface GenesisAccount {
  /** 20 bytes */
  readonly address: Uint8Array
  /** wei */
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: Uint8Array
  /** Slot and value, 32 bytes each */
  readonly storage: readonly (readonly [slot: Uint8Array, value: Uint8Array])[]
}

export interface GenesisAlloc extends Iterable<GenesisAccount> {
  readonly length: number
}

/** Header fields given in the file; the others follow from the state and the forks. */
export interface GenesisFields {
  /** Number of the first block; 0 except on chains without peers. */
  readonly number: bigint
  /** 32 bytes */
  readonly parentHash: Uint8Array
  /** 20 bytes */
  readonly beneficiary: Uint8Array
  readonly difficulty: bigint
  readonly gasLimit: bigint
  /** seconds */
  readonly timestamp: bigint
  readonly extraData: Uint8Array
  /** 32 bytes */
  readonly mixHash: Uint8Array
  /** 8 bytes */
  readonly nonce: Uint8Array
  /** wei; undefined: the fork's default */
  readonly baseFeePerGas: bigint | undefined
  readonly blobGasUsed: bigint | undefined
  readonly excessBlobGas: bigint | undefined
  /** 32 bytes */
  readonly parentBeaconBlockRoot: Uint8Array | undefined
}

export interface Genesis {
  readonly config: ChainConfig
  readonly fields: GenesisFields
  readonly alloc: GenesisAlloc
}

/** Numbers of blocks are stored with 6 bytes: the chain has room to grow. */
const MAX_FIRST_BLOCK: bigint = 2n ** 47n

export interface GenesisOptions {
  /** Default: the chain id. */
  readonly networkId?: bigint
}

/**
 * @param text JSON
 * @throws {NodeError} INVALID_GENESIS
 */
export function parseGenesisFile(text: string, options: GenesisOptions = {}): Genesis {
  const genesis = parseGenesis(parseGenesisJson(text), options)
  return genesis.alloc.length < LARGE_GENESIS_ACCOUNTS
    ? genesis
    : { ...genesis, alloc: new LargeAlloc(text, genesis.alloc) }
}

/** The accounts of a large file: they are parsed again when they are needed, instead of being kept for ever. */
class LargeAlloc implements GenesisAlloc {
  readonly length: number
  readonly #text: string
  #parsed: WeakRef<GenesisAlloc>

  constructor(text: string, parsed: GenesisAlloc) {
    this.length = parsed.length
    this.#text = text
    this.#parsed = new WeakRef(parsed)
  }

  [Symbol.iterator](): Iterator<GenesisAccount> {
    let parsed = this.#parsed.deref()
    if (parsed === undefined) {
      parsed = parseGenesis(parseGenesisJson(this.#text)).alloc
      this.#parsed = new WeakRef(parsed)
    }
    return parsed[Symbol.iterator]()
  }
}

/**
 * Like {@link parseGenesisFile}, for parsed JSON.
 * @throws {NodeError} INVALID_GENESIS
 */
export function parseGenesis(json: unknown, options: GenesisOptions = {}): Genesis {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw genesisError(`Unable to load genesis file. Expected a JSON object, got ${described(json)}`)
  }
  const root = new GenesisObject(json, 'genesis')
  const fields = parseFields(root)
  return {
    config: parseGenesisConfig(root.get('config'), options.networkId, fields.number),
    fields,
    alloc: parseAlloc(root.object('alloc')),
  }
}

function parseFields(root: GenesisObject): GenesisFields {
  const difficulty = root.integer('difficulty')
  if (difficulty === undefined) throw invalid(`missing value for one of '[difficulty]'`)
  const gasLimit = root.integer('gaslimit') ?? root.integer('gastarget')
  if (gasLimit === undefined) throw invalid(`missing value for one of '[gaslimit, gastarget]'`)
  const number = root.integer('number') ?? 0n
  if (number > MAX_FIRST_BLOCK) throw invalid(`number must be at most ${MAX_FIRST_BLOCK} but was '${number}'`)
  return {
    number,
    parentHash: root.fixed('parenthash', 32) ?? new Uint8Array(32),
    beneficiary: root.fixed('coinbase', 20) ?? new Uint8Array(20),
    difficulty,
    gasLimit,
    timestamp: root.integer('timestamp') ?? 0n,
    extraData: root.bytes('extradata') ?? EMPTY_BYTES,
    mixHash: root.fixed('mixhash', 32) ?? new Uint8Array(32),
    nonce: root.fixed('nonce', 8) ?? new Uint8Array(8),
    baseFeePerGas: root.integer('basefeepergas'),
    blobGasUsed: root.integer('blobgasused'),
    excessBlobGas: root.integer('excessblobgas'),
    parentBeaconBlockRoot: root.fixed('parentbeaconblockroot', 32),
  }
}

function parseAlloc(alloc: GenesisObject | undefined): GenesisAccount[] {
  const accounts: GenesisAccount[] = []
  for (const [key, value] of alloc?.entries() ?? []) {
    const address = padLeft(toHexBytes('alloc address', key, 20), 20)
    const account = new GenesisObject(value, `alloc.${key}`)
    accounts.push({
      address,
      balance: account.integer('balance') ?? 0n,
      nonce: account.hexInteger('nonce', 8) ?? 0n,
      code: account.bytes('code') ?? EMPTY_BYTES,
      storage: parseStorage(account.object('storage')),
    })
  }
  return accounts
}

function parseStorage(storage: GenesisObject | undefined): [Uint8Array, Uint8Array][] {
  const slots: [Uint8Array, Uint8Array][] = []
  for (const [key, value] of storage?.entries() ?? []) {
    const bytes = toHexBytes('storage value', value, 32)
    if (bytesToBigInt(bytes) === 0n) continue
    slots.push([padLeft(toHexBytes('storage slot', key, 32), 32), padLeft(bytes, 32)])
  }
  return slots
}
