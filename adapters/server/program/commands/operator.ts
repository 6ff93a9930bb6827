/**
 * The commands of operators of private networks: `operator generate-blockchain-config`, `rlp encode`.
 * @see docs/reference/cli-and-config.md section 7
 * @module
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { NodeError } from '../../../../src/base/primitives/errors.ts'
import {
  EXTRA_DATA_TYPES,
  encodeAddresses,
  type GeneratedNode,
  generateBlockchainConfig,
} from '../../../../src/cli/blockchainConfig.ts'
import type { CommandValues } from '../../../../src/config/options.ts'
import { createFolder } from '../../data/createFolder.ts'
import type { Output } from '../output.ts'

const STANDARD_INPUT = 0
const PRIVATE_MODE = 0o600

/**
 * Writes a genesis file and the keys of its nodes to a new or empty folder.
 * @throws {NodeError} INVALID_OPTION, INVALID_BLOCKCHAIN_CONFIG; nothing is written then
 */
export function writeBlockchainConfig(
  values: CommandValues<'operator generate-blockchain-config'>,
  output: Output,
): void {
  const { to, 'genesis-file-name': genesisFile } = values
  checkFileNames(values)
  const file = values['config-file']
  const { genesis, nodes } = naming(file, () => generateBlockchainConfig(readInput(file), randomBytes))
  if (entriesOf(to).length > 0) throw invalidOption('Output directory already exists.')
  createFolder(path.join(to, 'keys'))
  for (const node of nodes) writeNode(node, values)
  writeFileSync(path.join(to, genesisFile), genesis)
  output.print({ message: 'wrote the genesis file and the keys of the nodes', fields: { to, nodes: nodes.length } })
}

/**
 * Encodes addresses as the extra data of a genesis block.
 * @throws {NodeError} INVALID_OPTION, INVALID_BLOCKCHAIN_CONFIG
 */
export function encodeRlp({ from, to, type }: CommandValues<'rlp encode'>, output: Output): void {
  const hex = naming(from ?? 'standard input', () => encodeAddresses(readInput(from), EXTRA_DATA_TYPES[type]))
  if (to === undefined) output.printValue(hex)
  else writeFileSync(to, hex)
}

function writeNode(
  { address, publicKey, privateKey }: GeneratedNode,
  {
    to,
    'public-key-file-name': publicName,
    'private-key-file-name': privateName,
  }: CommandValues<'operator generate-blockchain-config'>,
): void {
  const folder = path.join(to, 'keys', bytesToHex(address))
  mkdirSync(folder)
  writeFileSync(path.join(folder, publicName), bytesToHex(publicKey))
  if (privateKey !== undefined) {
    writeFileSync(path.join(folder, privateName), bytesToHex(privateKey), { mode: PRIVATE_MODE })
  }
}

function checkFileNames(values: CommandValues<'operator generate-blockchain-config'>): void {
  const options = ['genesis-file-name', 'private-key-file-name', 'public-key-file-name'] as const
  const names = options.map((option) => values[option])
  if (new Set(names).size < names.length) throw invalidOption('Output file paths must be unique.')
  for (const option of options) {
    if (path.basename(values[option]) !== values[option] || /^\.{0,2}$/.test(values[option])) {
      throw invalidOption(`Invalid value for option '--${option}': '${values[option]}' is not a file name`)
    }
  }
}

/** Empty for a folder that does not exist. */
function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return []
    throw invalidOption(`Invalid value for option '--to': '${folder}' is not a folder`)
  }
}

function readInput(file: string | undefined): string {
  try {
    return readFileSync(file ?? STANDARD_INPUT, 'utf8')
  } catch (cause) {
    throw invalidOption(`cannot read ${file ?? 'standard input'}: ${cause instanceof Error ? cause.message : cause}`)
  }
}

/** Adds the name of the input to an error about its content. */
function naming<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof NodeError) || error.code !== 'INVALID_BLOCKCHAIN_CONFIG') throw error
    throw new NodeError({ code: error.code }, `${file}: ${error.message}`)
  }
}

function invalidOption(message: string): NodeError {
  return new NodeError({ code: 'INVALID_OPTION' }, message)
}
