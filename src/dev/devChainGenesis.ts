/**
 * The dev chain that the options describe, and the one that a store holds.
 * @module
 */

import type { Clock } from '../base/ports/host.ts'
import type { Random } from '../base/ports/random.ts'
import { bytesToHex } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { formatEther } from '../base/primitives/ether.ts'
import { keccak256 } from '../base/primitives/keccak.ts'
import { DEV_DERIVATION_PATH, DEV_MNEMONIC, DEV_NETWORK_ACCOUNTS, type DevAccount } from '../config/devAccounts.ts'
import {
  DEV_CHAIN_ID,
  type DevChainRecord,
  type DevGenesisSettings,
  type DevWallet,
  devChainText,
  devForkOf,
  devGenesis,
  devGenesisFrom,
  type GenesisJson,
  hasBaseFee,
} from '../config/devGenesis.ts'
import { type Genesis, parseGenesis } from '../config/genesisFile.ts'
import { parseGenesisJson } from '../config/genesisJson.ts'
import type { NodeOptions } from '../config/options.ts'
import { packagedContracts, predeploysAmong, predeploysAsked, suppliedAmong } from '../config/predeploys.ts'
import type { CreationPorts } from './createdContracts.ts'
import { checkedPath, normalizedMnemonic, randomMnemonic, walletKeys } from './wallet.ts'

export type DevChainOptions = Pick<
  NodeOptions,
  | 'accounts'
  | 'allow-unlimited-gas'
  | 'balance'
  | 'base-fee'
  | 'chain-id'
  | 'code-size-limit'
  | 'derivation-path'
  | 'dev-fork'
  | 'gas-limit'
  | 'mnemonic'
  | 'mnemonic-random'
  | 'network-id'
  | 'number'
  | 'predeploys'
  | 'timestamp'
>

export interface DevChainGenesis {
  readonly genesis: Genesis
  /** Source of the genesis, kept in the store. */
  readonly text: string
  readonly accounts: readonly DevAccount[]
  /** Source of the accounts, or of the first ones. */
  readonly wallet: DevWallet
  /** Whether block 0 has the time at which the chain began: a reset begins it again, at a later time. */
  readonly beginsNow: boolean
  /** Sections of the genesis file that the dev chain does not apply, in `config`. */
  readonly unusedSections?: readonly string[]
}

/** A dev chain that a store holds. */
export interface StoredDevChain {
  readonly json: GenesisJson
  readonly record: DevChainRecord
  /** For messages. */
  readonly directory: string
  /** Tells the user of another chain what helps. Default: the options of the command line. */
  readonly advice?: string
}

const DEFAULT_WALLET: DevWallet = { mnemonic: DEV_MNEMONIC, derivationPath: DEV_DERIVATION_PATH, accounts: 10 }
const DEFAULT_BALANCE = 10_000n * 10n ** 18n
const COMMAND_LINE_ADVICE = 'omit the option, or create another chain with --data-path or --ephemeral'
const MAX_UINT256 = 2n ** 256n - 1n

/** Ports that a new dev chain needs. */
export interface NewChainPorts extends CreationPorts {
  /** Source of the time of block 0, unless it is given. */
  readonly clock: Pick<Clock, 'now'>
}

const MS_PER_SECOND = 1000

/**
 * The genesis of a new dev chain.
 * @param file text of a genesis file; undefined: the dev chain's own
 * @throws {NodeError} INVALID_WALLET, INVALID_GENESIS, INVALID_OPTION
 */
export async function newDevChain(
  options: DevChainOptions,
  ports: NewChainPorts,
  file?: string,
): Promise<DevChainGenesis> {
  const { random, clock } = ports
  const { wallet, accounts } = await newWallet(options, random)
  if (file === undefined) {
    // Rounded down: block 0 is never later than the host's clock, which the next block follows.
    const timestamp = options.timestamp ?? Math.floor(clock.now() / MS_PER_SECOND)
    const record: DevChainRecord = { wallet, ...(options.timestamp === undefined ? {} : { hasGivenTime: true }) }
    const settings = { ...(await settingsFrom(options, accounts)), timestamp }
    return opened(devGenesis(await withSupplied(settings, options, ports)), record, accounts, options)
  }
  const source = parseGenesisJson(file) as GenesisJson
  // Reports the faults of the file itself.
  parseGenesis(source)
  const json = devGenesisFrom(source, { accounts, hasUnlimitedGas: options['allow-unlimited-gas'] })
  const chain = opened(json, { wallet, file: fingerprint(source) }, accounts, options)
  return { ...chain, unusedSections: engineSections(chain) }
}

/**
 * The wallet of a new dev chain, and its accounts.
 * @throws {NodeError} INVALID_WALLET, INVALID_OPTION
 */
export async function newWallet(options: DevChainOptions, random: Random): Promise<OpenedWallet> {
  const words = options['mnemonic-random']
  const wallet = words === undefined ? walletOf(options) : await randomWallet(options, words, random)
  return { wallet, accounts: await accountsOf({ wallet }, options.balance) }
}

export interface OpenedWallet {
  readonly wallet: DevWallet
  readonly accounts: readonly DevAccount[]
}

const ENGINE_SECTIONS: ReadonlySet<string> = new Set(['ethash', 'clique', 'ibft', 'ibft2', 'qbft'])

function engineSections({ genesis }: Pick<DevChainGenesis, 'genesis'>): string[] {
  return Object.keys(genesis.config.options.source).filter((key) => ENGINE_SECTIONS.has(key.toLowerCase()))
}

/**
 * The dev chain of a store: its genesis and accounts remain those that it was created with.
 * @param file text of the genesis file that the options name
 * @throws {NodeError} GENESIS_MISMATCH when the options ask for another chain
 */
export async function storedDevChain(
  { json, record, directory, advice = COMMAND_LINE_ADVICE }: StoredDevChain,
  options: DevChainOptions,
  file?: string,
): Promise<DevChainGenesis> {
  const chain = opened(json, record, await accountsOf(record, undefined), options)
  const difference = differenceOf(chain, record, options, file)
  if (difference === undefined) return chain
  const message = `the dev chain in ${directory} was created ${difference}: ${advice}`
  throw new NodeError({ code: 'GENESIS_MISMATCH', directory }, message)
}

function walletOf({ mnemonic, accounts, ...options }: DevChainOptions): DevWallet {
  const derivationPath = options['derivation-path']
  return {
    mnemonic: mnemonic === undefined ? DEFAULT_WALLET.mnemonic : normalizedMnemonic(mnemonic),
    derivationPath: derivationPath === undefined ? DEFAULT_WALLET.derivationPath : checkedPath(derivationPath),
    accounts: accounts ?? DEFAULT_WALLET.accounts,
  }
}

async function randomWallet(options: DevChainOptions, words: number, random: Random): Promise<DevWallet> {
  return { ...walletOf({ ...options, mnemonic: await randomMnemonic(words, random) }), isRandom: true }
}

/** @param balance of the accounts of the mnemonic, wei */
async function accountsOf({ wallet }: DevChainRecord, balance = DEFAULT_BALANCE): Promise<readonly DevAccount[]> {
  const keys = await walletKeys(wallet ?? DEFAULT_WALLET)
  const derived = keys.map((key) => ({ ...key, balance: quantityHex(balance) }))
  const accounts = wallet === undefined ? [...derived, ...DEV_NETWORK_ACCOUNTS] : derived
  const total = accounts.reduce((sum, account) => sum + BigInt(account.balance), 0n)
  if (total <= MAX_UINT256) return accounts
  throw new NodeError(
    { code: 'INVALID_OPTION' },
    `the balances of ${accounts.length} accounts add up to 2^256 wei or more`,
  )
}

async function settingsFrom(options: DevChainOptions, accounts: readonly DevAccount[]): Promise<DevGenesisSettings> {
  const fork = options['dev-fork']
  if (fork !== undefined && options['base-fee'] !== undefined && !hasBaseFee(fork)) {
    throw new NodeError({ code: 'INVALID_OPTION' }, `--base-fee needs the fork LONDON or a later one, not ${fork}`)
  }
  return {
    accounts,
    fork,
    chainId: options['chain-id'],
    gasLimit: options['gas-limit'],
    baseFeePerGas: options['base-fee'],
    codeSizeLimit: options['code-size-limit'],
    hasUnlimitedGas: options['allow-unlimited-gas'],
    number: options.number,
    predeploys: await predeploysOf(options),
  }
}

async function predeploysOf({ predeploys, 'chain-id': chainId = DEV_CHAIN_ID }: DevChainOptions) {
  if (predeploys === undefined) return undefined
  return packagedContracts(predeploys, chainId)
}

/** Adds the contracts whose code the user supplies. */
async function withSupplied(
  settings: DevGenesisSettings,
  { predeploys = [] }: DevChainOptions,
  ports: NewChainPorts,
): Promise<DevGenesisSettings> {
  const supplied = suppliedAmong(predeploys)
  if (supplied.length === 0) return settings
  const { createdContracts } = await import('./createdContracts.ts')
  const created = await createdContracts(supplied, parseGenesis(devGenesis(settings)), ports)
  return { ...settings, predeploys: [...(settings.predeploys ?? []), ...created] }
}

function opened(
  json: GenesisJson,
  record: DevChainRecord,
  accounts: readonly DevAccount[],
  options: DevChainOptions,
): DevChainGenesis {
  const networkId = options['network-id']
  const genesis = parseGenesis(json, networkId === undefined ? {} : { networkId })
  const balances = new Map(Array.from(genesis.alloc, ({ address, balance }) => [bytesToHex(address), balance]))
  return {
    genesis,
    text: devChainText(json, record),
    accounts: accounts.map((account) => ({ ...account, balance: quantityHex(balances.get(account.address) ?? 0n) })),
    wallet: record.wallet ?? DEFAULT_WALLET,
    beginsNow: record.file === undefined && record.hasGivenTime !== true && options.timestamp === undefined,
  }
}

function fingerprint(file: GenesisJson): string {
  return bytesToHex(keccak256(new TextEncoder().encode(JSON.stringify(file))))
}

/** Returns the first property of a stored chain that the options contradict, as the end of a sentence. */
function differenceOf(
  chain: DevChainGenesis,
  record: DevChainRecord,
  options: DevChainOptions,
  file: string | undefined,
): string | undefined {
  if (file !== undefined && record.file === undefined) return 'without --genesis-file'
  if (file !== undefined && record.file !== fingerprint(parseGenesisJson(file) as GenesisJson)) {
    return 'from another genesis file'
  }
  const stored = storedOptions(chain)
  const asked = askedOptions(options)
  const name = OPTION_NAMES.find((option) => asked[option] !== undefined && asked[option] !== stored[option])
  if (name === undefined) return undefined
  if (name === 'mnemonic') return 'with another --mnemonic'
  if (name === 'mnemonic-random') return 'without --mnemonic-random'
  return stored[name] === undefined ? `without --${name}` : `with --${name}=${stored[name]}, not ${asked[name]}`
}

/** Options that determine the genesis of a new dev chain. */
const OPTION_NAMES = [
  'chain-id',
  'dev-fork',
  'gas-limit',
  'base-fee',
  'code-size-limit',
  'allow-unlimited-gas',
  'timestamp',
  'number',
  'predeploys',
  'mnemonic-random',
  'mnemonic',
  'derivation-path',
  'accounts',
  'balance',
] as const

/** The values as they are written on the command line. */
type OptionTexts = Readonly<Record<(typeof OPTION_NAMES)[number], string | undefined>>

function storedOptions({ genesis: { alloc, config, fields }, accounts, wallet }: DevChainGenesis): OptionTexts {
  const [first] = accounts
  return {
    'chain-id': String(config.chainId),
    'dev-fork': devForkOf(config.options.source),
    'gas-limit': String(fields.gasLimit),
    'base-fee': fields.baseFeePerGas === undefined ? undefined : String(fields.baseFeePerGas),
    'code-size-limit': textOf(config.options.contractSizeLimit),
    'allow-unlimited-gas': String(config.options.hasUnlimitedGas ?? false),
    timestamp: String(fields.timestamp),
    number: String(fields.number),
    predeploys: predeploysAmong(new Set(Array.from(alloc, ({ address }) => bytesToHex(address)))),
    'mnemonic-random': textOf(wallet.isRandom),
    mnemonic: wallet.mnemonic,
    'derivation-path': wallet.derivationPath,
    accounts: String(wallet.accounts),
    balance: first === undefined ? undefined : formatEther(BigInt(first.balance)),
  }
}

function askedOptions(options: DevChainOptions): OptionTexts {
  const wallet = walletOf(options)
  return {
    'chain-id': textOf(options['chain-id']),
    'dev-fork': options['dev-fork'],
    'gas-limit': textOf(options['gas-limit']),
    'base-fee': textOf(options['base-fee']),
    'code-size-limit': textOf(options['code-size-limit']),
    'allow-unlimited-gas': textOf(options['allow-unlimited-gas']),
    timestamp: textOf(options.timestamp),
    number: textOf(options.number),
    predeploys: options.predeploys && predeploysAsked(options.predeploys),
    'mnemonic-random': options['mnemonic-random'] === undefined ? undefined : 'true',
    mnemonic: options.mnemonic === undefined ? undefined : wallet.mnemonic,
    'derivation-path': options['derivation-path'] === undefined ? undefined : wallet.derivationPath,
    accounts: textOf(options.accounts),
    balance: options.balance === undefined ? undefined : formatEther(options.balance),
  }
}

function quantityHex(value: bigint): string {
  return `0x${value.toString(16)}`
}

function textOf(value: number | bigint | boolean | undefined): string | undefined {
  return value === undefined ? undefined : String(value)
}
