/**
 * Which chain the options ask for.
 * @module
 */
import { readFileSync } from 'node:fs'
import { DEV_CHAIN_ID, devGenesis } from '../../src/config/devGenesis.ts'
import { parseGenesis, parseGenesisFile } from '../../src/config/genesisFile.ts'
import { loadNetwork } from '../../src/config/networks.ts'
import type { NodeOptions } from '../../src/config/options.ts'
import type { NodeGenesis } from '../../src/node/node.ts'
import { NodeError } from '../../src/primitives/errors.ts'

export interface ChosenGenesis extends NodeGenesis {
  /** Folder of the chain under `.isonode` when there is no --data-path. */
  readonly folder: string
  readonly isDev: boolean
}

/**
 * @throws {NodeError} INVALID_GENESIS
 */
export async function chooseGenesis(options: NodeOptions): Promise<ChosenGenesis> {
  const networkId = options['network-id'] === undefined ? {} : { networkId: options['network-id'] }
  const file = options['genesis-file']
  if (file !== undefined) {
    const text = readGenesisFile(file)
    const genesis = parseGenesisFile(text, networkId)
    return { genesis, text, folder: `chain-${genesis.config.chainId}`, isDev: false }
  }
  if (options.network !== undefined) {
    const name = options.network
    const genesis = await loadNetwork(name, options['network-id'])
    return { genesis, text: JSON.stringify({ network: name }), folder: name.toLowerCase(), isDev: false }
  }
  const json = devGenesis()
  const genesis = parseGenesis(json, { networkId: options['network-id'] ?? BigInt(DEV_CHAIN_ID) })
  return { genesis, text: JSON.stringify(json), folder: 'dev', isDev: true }
}

function readGenesisFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? `${file} (No such file or directory)` : (cause as Error).message
    throw new NodeError({ code: 'INVALID_GENESIS' }, `Unable to load genesis file. ${reason}`, { cause })
  }
}
