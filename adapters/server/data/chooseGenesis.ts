/**
 * Selects the chain that the options ask for.
 * @module
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { MAX_GENESIS_FILE_BYTES } from '../../../src/base/limits/limits.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { type DevWallet, devChainRecord, type GenesisJson } from '../../../src/config/devGenesis.ts'
import { parseGenesisFile } from '../../../src/config/genesisFile.ts'
import { loadNetwork } from '../../../src/config/networks.ts'
import type { NodeOptions } from '../../../src/config/options.ts'
import { type DevChainGenesis, newDevChain, storedDevChain } from '../../../src/dev/devChainGenesis.ts'
import { storedForkStart } from '../../../src/dev/forkedChain.ts'
import type { NodeGenesis } from '../../../src/node/node.ts'
import { systemClock, systemRandom } from '../../shared/systemPorts.ts'
import { withPredeployCode } from './predeployCode.ts'

export interface ChosenGenesis extends NodeGenesis {
  /** Folder of the chain under `.isonode`, used without --data-path. */
  readonly folder: string
  readonly isDev: boolean
  /** Source of the accounts of the dev chain. */
  readonly wallet?: DevWallet
  /** Sections of the genesis file that the dev chain does not apply, in `config`. */
  readonly unusedSections?: readonly string[]
}

const READ_BYTES = 1024 * 1024
const SYSTEM = { random: systemRandom, clock: systemClock }

/**
 * @param content of the genesis file; default: it is read
 * @throws {NodeError} INVALID_GENESIS, INVALID_OPTION, INVALID_WALLET
 */
export async function chooseGenesis(options: NodeOptions, content?: string): Promise<ChosenGenesis> {
  const text = content ?? genesisText(options)
  const networkId = options['network-id'] === undefined ? {} : { networkId: options['network-id'] }
  if (options.network !== undefined) {
    const name = options.network
    const genesis = await loadNetwork(name, options['network-id'])
    return { genesis, text: JSON.stringify({ network: name }), folder: name.toLowerCase(), isDev: false }
  }
  if (options.dev || text === undefined)
    return devChain(await newDevChain(withPredeployCode(options), SYSTEM, text), text)
  const genesis = parseGenesisFile(text, networkId)
  return { genesis, text, folder: `chain-${genesis.config.chainId}`, isDev: false }
}

/** The content of an existing data directory. */
export interface StoredGenesis {
  readonly directory: string
  /** undefined for a new directory */
  readonly text: string | undefined
}

/**
 * Returns the genesis that a directory was created with, even when the default of the dev chain has changed since.
 * @param content of the genesis file; default: it is read
 * @throws {NodeError} GENESIS_MISMATCH when the options ask for another dev chain, or the directory holds another chain
 */
export async function frozenGenesis(
  chosenGenesis: ChosenGenesis,
  stored: StoredGenesis,
  options: NodeOptions,
  content?: string,
): Promise<ChosenGenesis> {
  const { text, directory } = stored
  if (!chosenGenesis.isDev || text === undefined || text === chosenGenesis.text) return chosenGenesis
  const json = JSON.parse(text) as GenesisJson
  const record = devChainRecord(json)
  if (record === undefined) {
    const option = typeof json['network'] === 'string' ? `--network=${json['network']}` : '--genesis-file'
    const message = `${directory} does not hold the dev chain: start it with ${option}, or name another --data-path`
    throw new NodeError({ code: 'GENESIS_MISMATCH', directory }, message)
  }
  if (storedForkStart(json) !== undefined) {
    const message = `the dev chain in ${directory} continues another chain: start it with --fork-url or --fork-pack, or name another --data-path`
    throw new NodeError({ code: 'GENESIS_MISMATCH', directory }, message)
  }
  const file = content ?? genesisText(options)
  return devChain(await storedDevChain({ json, record, directory }, withPredeployCode(options), file), file)
}

/** @param file text of the genesis file that the options name */
function devChain(chain: DevChainGenesis, file: string | undefined): ChosenGenesis {
  return { ...chain, folder: file === undefined ? 'dev' : `dev-${chain.genesis.config.chainId}`, isDev: true }
}

/** Text of the file that the options name. */
export function genesisText(options: NodeOptions): string | undefined {
  const file = options['genesis-file']
  return file === undefined ? undefined : readGenesisFile(file)
}

/** @throws {NodeError} INVALID_GENESIS */
export function readGenesisFile(file: string): string {
  try {
    return boundedText(file)
  } catch (cause) {
    if (cause instanceof NodeError) throw cause
    const { code } = cause as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? `${file} (No such file or directory)` : (cause as Error).message
    throw new NodeError({ code: 'INVALID_GENESIS' }, `Unable to load genesis file. ${reason}`, { cause })
  }
}

/** Devices and pipes have no size, so the text is read in pieces up to the limit. */
function boundedText(file: string): string {
  const descriptor = openSync(file, 'r')
  try {
    const buffer = new Uint8Array(READ_BYTES)
    const pieces: Uint8Array[] = []
    let size = 0
    for (;;) {
      const length = readSync(descriptor, buffer)
      if (length === 0) return Buffer.concat(pieces, size).toString('utf8')
      pieces.push(buffer.slice(0, length))
      size += length
      if (size <= MAX_GENESIS_FILE_BYTES) continue
      const reason = `${file} has more than ${MAX_GENESIS_FILE_BYTES} bytes`
      throw new NodeError({ code: 'INVALID_GENESIS' }, `Unable to load genesis file. ${reason}`)
    }
  } finally {
    closeSync(descriptor)
  }
}
