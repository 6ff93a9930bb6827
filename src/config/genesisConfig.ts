/**
 * The `config` section of a genesis file: identity, fork schedule and consensus of a chain.
 * @see docs/reference/cli-and-config.md section 9; docs/reference/pow-ethash.md section 5; EIP-7840
 * @module
 */
import { hexToBytes } from '../base/primitives/bytes.ts'
import type { ScheduleEntry } from './blockSchedule.ts'
import { type Activation, ChainConfig, type ChainConfigOptions } from './chainConfig.ts'
import { type ConsensusConfig, engineOf, parseConsensusSchedule } from './consensusConfig.ts'
import { CLASSIC_BLOCK_KEYS, type ForkKey, MAINNET_BLOCK_KEYS, TIME_KEYS } from './forkKeys.ts'
import type { BlobParameters, ForkName } from './forks.ts'
import { GenesisObject, genesisError, invalid, toInteger } from './genesisJson.ts'

const EVM_STACK_SIZE = 1024
const DEFAULT_CHAIN_ID = 1n
const DEFAULT_CLIQUE_CHAIN_ID = 4n
/** ECIP-1017 */
const DEFAULT_ERA_ROUNDS = 5_000_000n
/** Block 1,920,000 of Ethereum Classic. */
const CLASSIC_FORK_HASH = '94365e3a8c0b35089c1d1195081fe7489b528a84b22199c916180db8b28ade7f'

/** Forks that inherit the blob parameters of the preceding fork unless the file overrides them. */
const BLOB_FORKS: readonly ForkName[] = ['cancun', 'prague', 'osaka', 'bpo1', 'bpo2', 'bpo3', 'bpo4', 'bpo5']
const INHERITING_BLOB_FORKS: ReadonlySet<ForkName> = new Set(BLOB_FORKS.slice(2))

/**
 * @param source the unchanged section of the file; undefined when it is missing
 * @param networkId undefined: the chain id
 * @param firstBlock number of the genesis block
 * @throws {NodeError} INVALID_GENESIS
 */
export function parseGenesisConfig(
  source: unknown,
  networkId: bigint | undefined,
  firstBlock: bigint = 0n,
): ChainConfig {
  const json = source ?? {}
  const section = new GenesisObject(json, 'config')
  refuseUnsupported(section)
  checkForkOrder(section)
  const isInstant = section.has('instant')
  const terminalTotalDifficulty = isInstant ? undefined : section.integer('terminaltotaldifficulty')
  const chainId = section.integer('chainid') ?? defaultChainId(section)
  const [first, ...consensusChanges] = parseConsensusSchedule(section).entries
  return new ChainConfig({
    chainId,
    networkId: networkId ?? chainId,
    ...(firstBlock === 0n ? {} : { firstBlock }),
    activations: parseActivations(section),
    consensus: (first as ScheduleEntry<ConsensusConfig>).value,
    terminalTotalDifficulty,
    source: json as Record<string, unknown>,
    ...(consensusChanges.length === 0 ? {} : { consensusChanges }),
    ...parseDao(section),
    ...parseLimits(section),
    ...parseBlobOptions(section),
  })
}

/** Refuses unsupported settings that would change execution. */
function refuseUnsupported(section: GenesisObject): void {
  const stackSize = section.smallInteger('evmstacksize')
  if (stackSize !== undefined && stackSize !== EVM_STACK_SIZE) {
    throw invalid(`evmStackSize ${stackSize} is not supported: it must be ${EVM_STACK_SIZE}`)
  }
  const curve = section.get('eccurve')
  if (curve !== undefined && curve !== 'secp256k1') {
    throw invalid(`ecCurve ${String(curve)} is not supported: it must be secp256k1`)
  }
  if (section.boolean('isquorum')) throw invalid('isQuorum is not supported')
}

function defaultChainId(section: GenesisObject): bigint {
  return engineOf(section) === 'clique' ? DEFAULT_CLIQUE_CHAIN_ID : DEFAULT_CHAIN_ID
}

function parseActivations(section: GenesisObject): Activation[] {
  const blocks = [...MAINNET_BLOCK_KEYS, ...CLASSIC_BLOCK_KEYS].flatMap(({ key, fork }) => {
    const block = forkNumber(section, key)
    return block === undefined ? [] : [{ fork, block }]
  })
  const times = TIME_KEYS.flatMap(({ key, fork }) => {
    const time = section.integer(key)
    return time === undefined ? [] : [{ fork, time }]
  })
  return [...blocks.sort((a, b) => compare(a.block, b.block)), ...times.sort((a, b) => compare(a.time, b.time))]
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Whether the file names the DAO fork but refuses it. */
function refusesDao(section: GenesisObject): boolean {
  return section.has('daoforksupport') && !section.boolean('daoforksupport')
}

function forkNumber(section: GenesisObject, key: string): bigint | undefined {
  if (key === 'daoforkblock' && refusesDao(section)) return undefined
  const value = section.integer(key)
  if (key !== 'petersburgblock') return value
  const fix = section.integer('constantinoplefixblock')
  if (value !== undefined && fix !== undefined && value !== fix) {
    throw genesisError('Genesis files cannot specify both petersburgBlock and constantinopleFixBlock.')
  }
  return value ?? fix
}

/** The main network's order applies to chains with the DAO fork, that of Ethereum Classic to all others. */
function checkForkOrder(section: GenesisObject): void {
  const isMainnetStyle = forkNumber(section, 'daoforkblock') !== undefined
  const [homestead] = MAINNET_BLOCK_KEYS
  const order: readonly (ForkKey | undefined)[] = isMainnetStyle
    ? [...MAINNET_BLOCK_KEYS, ...TIME_KEYS]
    : [homestead, ...CLASSIC_BLOCK_KEYS]
  let last = 0n
  for (const row of order) {
    const number = row?.title === undefined ? undefined : forkNumber(section, row.key)
    if (number === undefined) continue
    if (number < last) {
      const problem = `'${row?.title}' is scheduled for milestone ${number} but it must be on or after milestone ${last}.`
      throw genesisError(`Genesis Config Error: ${problem}`)
    }
    last = number
  }
}

function parseDao(
  section: GenesisObject,
): Pick<ChainConfigOptions, 'daoForkBlock' | 'refusedForkBlock' | 'requiredBlock'> {
  const daoForkBlock = forkNumber(section, 'daoforkblock')
  const refusedForkBlock = refusesDao(section) ? section.integer('daoforkblock') : undefined
  const classicForkBlock = section.integer('classicforkblock')
  return {
    ...(daoForkBlock === undefined ? {} : { daoForkBlock }),
    ...(refusedForkBlock === undefined ? {} : { refusedForkBlock }),
    ...(classicForkBlock === undefined
      ? {}
      : { requiredBlock: { number: classicForkBlock, hash: hexToBytes(CLASSIC_FORK_HASH) } }),
  }
}

function parseLimits(
  section: GenesisObject,
): Pick<ChainConfigOptions, 'contractSizeLimit' | 'hasUnlimitedGas' | 'zeroBaseFee' | 'eraRounds'> {
  const contractSizeLimit = section.smallInteger('contractsizelimit')
  const isClassic = CLASSIC_BLOCK_KEYS.some(({ key }) => section.has(key))
  const eraRounds = section.integer('ecip1017erarounds') ?? (isClassic ? DEFAULT_ERA_ROUNDS : undefined)
  if (eraRounds === 0n) throw invalid('ecip1017eraRounds must be greater than 0')
  return {
    ...(contractSizeLimit === undefined ? {} : { contractSizeLimit }),
    ...(section.boolean('unlimitedtransactiongas') ? { hasUnlimitedGas: true } : {}),
    ...(section.boolean('zerobasefee') ? { zeroBaseFee: true } : {}),
    ...(eraRounds === undefined ? {} : { eraRounds }),
  }
}

function parseBlobOptions(section: GenesisObject): Pick<ChainConfigOptions, 'blobSchedule' | 'depositContractAddress'> {
  const depositContractAddress = section.fixed('depositcontractaddress', 20)
  const schedule = section.object('blobschedule')
  return {
    ...(depositContractAddress === undefined ? {} : { depositContractAddress }),
    ...(schedule === undefined ? {} : { blobSchedule: parseBlobSchedule(schedule) }),
  }
}

function parseBlobSchedule(schedule: GenesisObject): ReadonlyMap<ForkName, BlobParameters> {
  const parameters = new Map<ForkName, BlobParameters>()
  let last: BlobParameters | undefined
  for (const fork of BLOB_FORKS) {
    const entry = schedule.object(fork)
    if (entry !== undefined) last = parseBlobParameters(entry, fork)
    if (last !== undefined && (entry !== undefined || INHERITING_BLOB_FORKS.has(fork))) parameters.set(fork, last)
  }
  return parameters
}

function parseBlobParameters(entry: GenesisObject, fork: string): BlobParameters {
  const read = (key: string): bigint => {
    const value = entry.get(key)
    if (value === undefined) throw invalid(`blobschedule.${fork}.${key} is missing`)
    return toInteger(`blobschedule.${fork}.${key}`, value)
  }
  return { target: read('target'), max: read('max'), baseFeeUpdateFraction: read('basefeeupdatefraction') }
}
