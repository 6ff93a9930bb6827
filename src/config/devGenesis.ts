/**
 * Genesis of the dev chain: every fork from the first block on, funded accounts, the system contracts of the forks and
 * contracts that tools expect. A data directory stores the genesis that it was created with.
 * @module
 */
import { DEV_ACCOUNTS, type DevAccount } from './devAccounts.ts'
import { type GenesisContract, SYSTEM_CONTRACTS } from './devContracts.ts'
import { CREATE2_DEPLOYER, DEFAULT_PREDEPLOYS } from './predeploys.ts'

export { DEV_ACCOUNTS, DEV_NETWORK_ACCOUNTS, type DevAccount } from './devAccounts.ts'

/** A genesis file as parsed JSON. */
export type GenesisJson = Readonly<Record<string, unknown>>

/** Marks the stored genesis of a dev chain: only such a directory is opened as a dev chain. */
const DEV_CHAIN_MARK = 'isonodeDevChain'

/** Facts about a dev chain that its genesis does not contain. */
export interface DevChainRecord {
  /** undefined: the default accounts of older builds, with those of `--network=dev`. */
  readonly wallet?: DevWallet
  /** Whether the time of block 0 was given, so that a reset keeps it. */
  readonly hasGivenTime?: true
  /** Fingerprint of the genesis file that the chain was created from. */
  readonly file?: string
}

/** Accounts that are derived from a mnemonic: `derivationPath` followed by the indexes from 0 on. */
export interface DevWallet {
  readonly mnemonic: string
  readonly derivationPath: string
  readonly accounts: number
  /** Whether the mnemonic was chosen at random. */
  readonly isRandom?: true
}

/** The genesis of a dev chain as it is stored in its directory. */
export function devChainText(json: GenesisJson, record: DevChainRecord = {}): string {
  return JSON.stringify({ ...json, [DEV_CHAIN_MARK]: Object.keys(record).length === 0 ? true : record })
}

/** The chain id of every dev chain of format 1. */
const FORMAT_1_CHAIN_ID = 1337

/**
 * @param json the stored genesis of a directory; format 1 is recognized by chain id and accounts
 * @returns undefined when it is not that of a dev chain
 */
export function devChainRecord(json: GenesisJson): DevChainRecord | undefined {
  const mark = json[DEV_CHAIN_MARK]
  if (mark === true) return {}
  if (typeof mark === 'object' && mark !== null) return mark as DevChainRecord
  const { config, alloc } = json as { config?: { chainId?: unknown }; alloc?: GenesisJson }
  if (alloc === undefined || config?.chainId !== FORMAT_1_CHAIN_ID) return undefined
  return DEV_ACCOUNTS.every(({ address }) => address in alloc) ? {} : undefined
}

/** Chain id of a new dev chain; Hardhat and Foundry expect it of a local node. */
export const DEV_CHAIN_ID = 31337
const DEV_GAS_LIMIT = 30_000_000n
/** wei */
const DEV_BASE_FEE = 1_000_000_000n

/** Forks that a dev chain can activate from its first block on, oldest first. */
export type DevFork =
  | 'FRONTIER'
  | 'HOMESTEAD'
  | 'TANGERINE_WHISTLE'
  | 'SPURIOUS_DRAGON'
  | 'BYZANTIUM'
  | 'CONSTANTINOPLE'
  | 'PETERSBURG'
  | 'ISTANBUL'
  | 'BERLIN'
  | 'LONDON'
  | 'PARIS'
  | 'SHANGHAI'
  | 'CANCUN'
  | 'PRAGUE'
  | 'OSAKA'

const FORKS_BY_BLOCK: readonly (readonly [fork: DevFork, key: string | undefined])[] = [
  ['FRONTIER', undefined],
  ['HOMESTEAD', 'homesteadBlock'],
  ['TANGERINE_WHISTLE', 'eip150Block'],
  ['SPURIOUS_DRAGON', 'eip158Block'],
  ['BYZANTIUM', 'byzantiumBlock'],
  ['CONSTANTINOPLE', 'constantinopleBlock'],
  ['PETERSBURG', 'petersburgBlock'],
  ['ISTANBUL', 'istanbulBlock'],
  ['BERLIN', 'berlinBlock'],
  ['LONDON', 'londonBlock'],
]
const FORKS_BY_TIME: readonly DevFork[] = ['PARIS', 'SHANGHAI', 'CANCUN', 'PRAGUE', 'OSAKA']
export const DEV_FORKS: readonly DevFork[] = [...FORKS_BY_BLOCK.map(([fork]) => fork), ...FORKS_BY_TIME]

/** Properties of a new dev chain; the defaults are those of a start without options. */
export interface DevGenesisSettings {
  readonly chainId?: number | undefined
  /** Default: the newest. */
  readonly fork?: DevFork | undefined
  readonly gasLimit?: bigint | undefined
  /** Base fee of the genesis block, wei; ignored before London. */
  readonly baseFeePerGas?: bigint | undefined
  /** bytes; default: the fork's limit. */
  readonly codeSizeLimit?: number | undefined
  /** Whether transactions may use more gas than EIP-7825 allows. */
  readonly hasUnlimitedGas?: boolean | undefined
  /** Timestamp of the genesis block, in seconds since 1970; default: 0, which makes its hash predictable. */
  readonly timestamp?: number | undefined
  /** Number of the genesis block; default: 0. */
  readonly number?: number | undefined
  /** Funded accounts. */
  readonly accounts?: readonly Pick<DevAccount, 'address' | 'balance'>[] | undefined
  /** Contracts beside those of the protocol; default: the CREATE2 deployer and Multicall3. */
  readonly predeploys?: readonly GenesisContract[] | undefined
}

/**
 * The genesis of a dev chain in the form of a genesis file.
 * @example
 * const genesis = devGenesis({ chainId: 1337 })
 * const node = await startNode({ listen: false, genesis, dev: true })
 * await node.close()
 */
export function devGenesis(settings: DevGenesisSettings = {}): Record<string, unknown> {
  const { chainId = DEV_CHAIN_ID, fork = 'OSAKA', gasLimit = DEV_GAS_LIMIT, accounts = DEV_ACCOUNTS } = settings
  const { codeSizeLimit, hasUnlimitedGas, baseFeePerGas = DEV_BASE_FEE, timestamp = 0, number = 0 } = settings
  const { predeploys = DEFAULT_PREDEPLOYS } = settings
  const alloc: Record<string, unknown> = {}
  for (const { address, balance } of accounts) alloc[address] = { balance }
  for (const contract of [...SYSTEM_CONTRACTS, ...predeploys]) alloc[contract.address] = contractOf(contract)
  return {
    config: {
      chainId,
      ...forkConfig(fork),
      ...(codeSizeLimit === undefined ? {} : { contractSizeLimit: codeSizeLimit }),
      ...(hasUnlimitedGas === true ? { unlimitedTransactionGas: true } : {}),
    },
    difficulty: '0x0',
    gasLimit: `0x${gasLimit.toString(16)}`,
    ...(hasBaseFee(fork) ? { baseFeePerGas: `0x${baseFeePerGas.toString(16)}` } : {}),
    timestamp: `0x${timestamp.toString(16)}`,
    ...(number === 0 ? {} : { number: `0x${number.toString(16)}` }),
    alloc,
  }
}

export function hasBaseFee(fork: DevFork): boolean {
  return DEV_FORKS.indexOf(fork) >= DEV_FORKS.indexOf('LONDON')
}

function contractOf({ code, nonce = 1, storage }: GenesisContract): GenesisJson {
  return { balance: '0x0', nonce: `0x${nonce.toString(16)}`, code, ...(storage === undefined ? {} : { storage }) }
}

function forkConfig(fork: DevFork): GenesisJson {
  const byTime = FORKS_BY_TIME.indexOf(fork)
  if (byTime >= 0) {
    const times = FORKS_BY_TIME.slice(1, byTime + 1).map((name) => [timeKey(name), 0] as const)
    return { londonBlock: 0, terminalTotalDifficulty: 0, ...Object.fromEntries(times) }
  }
  const last = FORKS_BY_BLOCK.findIndex(([name]) => name === fork)
  const keys = FORKS_BY_BLOCK.slice(0, last + 1).flatMap(([, key]) => (key === undefined ? [] : [[key, 0] as const]))
  return { ...Object.fromEntries(keys), instant: {} }
}

function timeKey(fork: DevFork): string {
  return `${fork.toLowerCase()}Time`
}

/** The fork with which a dev chain begins, from the `config` section of its genesis. */
export function devForkOf(config: GenesisJson): DevFork {
  const byTime = FORKS_BY_TIME.slice(1).filter((fork) => config[timeKey(fork)] !== undefined)
  const byBlock = FORKS_BY_BLOCK.filter(([, key]) => key !== undefined && config[key] !== undefined)
  if (config['terminalTotalDifficulty'] !== undefined) return byTime.at(-1) ?? 'PARIS'
  return byTime.at(-1) ?? byBlock.at(-1)?.[0] ?? 'FRONTIER'
}

/**
 * A genesis file as the dev chain runs it: chain id, forks and accounts are the file's; blocks are sealed immediately,
 * whatever its consensus engine. Accounts and contracts that the file lacks are added: the given accounts, the system
 * contracts of its forks (without them, no block could be sealed) and the deterministic deployer. Without accounts, the
 * genesis block is exactly the file's.
 */
export function devGenesisFrom(
  file: GenesisJson,
  { accounts = DEV_ACCOUNTS, hasUnlimitedGas }: Pick<DevGenesisSettings, 'accounts' | 'hasUnlimitedGas'>,
): GenesisJson {
  const [configKey, config] = member(file, 'config')
  const [allocKey, alloc] = member(file, 'alloc')
  const isStaked = Number(member(config, 'terminaltotaldifficulty')[1]) === 0
  return {
    ...file,
    [configKey]: {
      ...config,
      ...(isStaked ? {} : { instant: {} }),
      ...(hasUnlimitedGas === true ? { unlimitedTransactionGas: true } : {}),
    },
    [allocKey]: accounts.length === 0 ? alloc : { ...added(config, alloc, accounts), ...alloc },
  }
}

function added(config: GenesisJson, alloc: GenesisJson, accounts: DevGenesisSettings['accounts']): GenesisJson {
  const present = new Set(Object.keys(alloc).map(addressOf))
  const forks = new Set(Object.keys(config).map((key) => key.toLowerCase()))
  const contracts = [...SYSTEM_CONTRACTS, CREATE2_DEPLOYER].filter(
    ({ since }) => since === undefined || forks.has(since),
  )
  const rows: (readonly [string, GenesisJson])[] = [
    ...(accounts ?? []).map(({ address, balance }) => [address, { balance }] as const),
    ...contracts.map((contract) => [contract.address, contractOf(contract)] as const),
  ]
  return Object.fromEntries(rows.filter(([address]) => !present.has(address)))
}

/** Finds a member by its key in lower case; keys of genesis files may have any case. */
function member(json: GenesisJson, name: string): readonly [key: string, value: GenesisJson] {
  const key = Object.keys(json).find((candidate) => candidate.toLowerCase() === name) ?? name
  return [key, (json[key] ?? {}) as GenesisJson]
}

/** @param key of `alloc`: with or without 0x, in any case */
function addressOf(key: string): string {
  return `0x${key.toLowerCase().replace(/^0x/, '').padStart(40, '0')}`
}
