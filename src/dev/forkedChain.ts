/**
 * The dev chain that continues another chain: its rules, and the record of the block on which it begins.
 * @module
 */
import type { Random } from '../base/ports/random.ts'
import { bytesToHex, equalBytes, hexToBytes, isZeroBytes } from '../base/primitives/bytes.ts'
import { rlpDecode } from '../base/primitives/rlp.ts'
import type { ForkedBlock } from '../chain/forkedBlock.ts'
import type { DevAccount } from '../config/devAccounts.ts'
import {
  type DevFork,
  type DevWallet,
  devChainRecord,
  devChainText,
  devGenesis,
  type GenesisJson,
} from '../config/devGenesis.ts'
import { parseGenesisConfig } from '../config/genesisConfig.ts'
import { parseGenesis } from '../config/genesisFile.ts'
import { networkConfig } from '../config/networks.ts'
import { BFT_DIGEST } from '../consensus/bft/rules.ts'
import { checkExtraData as checkCliqueExtraData } from '../consensus/clique/extraData.ts'
import { checkExtraDataLength } from '../consensus/headerLimits.ts'
import type { Header } from '../types/block.ts'
import { decodeHeader, encodeHeader } from '../types/headerCodec.ts'
import { type DevChainGenesis, type DevChainOptions, newWallet, type OpenedWallet } from './devChainGenesis.ts'
import { withWallet } from './keptWallet.ts'

/** A block of another chain that a dev chain continues. */
export interface ForkStart extends ForkedBlock {
  /** Chain id of the remote. */
  readonly chainId: bigint
}

/** A dev chain that continues another chain. */
export interface ForkedDevChain extends DevChainGenesis {
  readonly forked: ForkedBlock
}

/** Member of the stored genesis of a forked chain. */
const FORK_MARK = 'isonodeFork'

/** Rules of a chain that its headers do not show. */
export interface RemoteRules {
  readonly fork?: DevFork
  /** Address in hex. */
  readonly depositContract?: string
}

/** Properties that a chain keeps when it is started again. */
export interface KeptFork {
  readonly wallet: DevWallet | undefined
  /** The `config` section of its genesis. */
  readonly config: GenesisJson
}

/** Where the properties of a forked chain come from. */
export interface ForkSources {
  readonly random: Random
  /** The rules that the remote says, for a chain that is not known. */
  rulesOf(): Promise<RemoteRules>
  /** The `config` section of the genesis file of the chain, if its user has it. */
  readonly config?: GenesisJson | undefined
}

/**
 * @throws {NodeError} INVALID_WALLET, INVALID_OPTION
 */
export async function forkedDevChain(
  start: ForkStart,
  options: DevChainOptions,
  sources: ForkSources,
  kept?: KeptFork,
): Promise<ForkedDevChain> {
  const { wallet, accounts } = await walletFor(options, sources.random, kept?.wallet)
  const { header } = start
  const config = continued(kept?.config ?? (await forkedConfig(start, options, sources)), header)
  const json = {
    config,
    number: quantity(header.number),
    timestamp: quantity(header.timestamp),
    difficulty: quantity(header.difficulty),
    gasLimit: quantity(header.gasLimit),
    ...(header.baseFeePerGas === undefined ? {} : { baseFeePerGas: quantity(header.baseFeePerGas) }),
    alloc: {},
  }
  const networkId = options['network-id']
  return {
    genesis: parseGenesis(json, networkId === undefined ? {} : { networkId }),
    text: devChainText({ ...json, [FORK_MARK]: encodeStart(start) }, { wallet }),
    accounts,
    wallet,
    beginsNow: false,
    forked: start,
  }
}

function walletFor(options: DevChainOptions, random: Random, stored: DevWallet | undefined): Promise<OpenedWallet> {
  return newWallet(stored === undefined ? options : withWallet(options, stored), random)
}

/** The accounts as they are at the block: funded, and without code. */
export function fundedAccounts(accounts: readonly DevAccount[]): ReadonlyMap<string, bigint> {
  return new Map(accounts.map(({ address, balance }) => [address, BigInt(balance)]))
}

/** The `config` section: that of the genesis file or of the public network, or one with the rules that remote and header show. */
async function forkedConfig(
  start: ForkStart,
  options: DevChainOptions,
  { rulesOf, config: given }: ForkSources,
): Promise<GenesisJson> {
  const chainId = options['chain-id'] ?? Number(start.chainId)
  const { 'code-size-limit': codeSizeLimit, 'allow-unlimited-gas': hasUnlimitedGas, 'dev-fork': fork } = options
  const known = given ?? (fork === undefined ? await publicNetwork(start) : undefined)
  if (known === undefined) {
    const rules = fork === undefined ? await rulesOf() : {}
    const settings = { chainId, fork: fork ?? rules.fork ?? forkOf(start.header), codeSizeLimit, hasUnlimitedGas }
    const config = devGenesis(settings)['config'] as GenesisJson
    const { depositContract } = rules
    return depositContract === undefined ? config : { ...config, depositContractAddress: depositContract }
  }
  // Only blocks of proof of stake can follow those of the network; the other engines would need its keys or its work.
  const isStaked = start.header.difficulty === 0n && !hasSigners(known)
  return {
    ...known,
    chainId,
    ...(isStaked ? {} : { instant: {} }),
    ...(codeSizeLimit === undefined ? {} : { contractSizeLimit: codeSizeLimit }),
    ...(hasUnlimitedGas === true ? { unlimitedTransactionGas: true } : {}),
  }
}

/**
 * With the engine of the blocks up to this one: those of proof of work have rewards, signers of Clique receive the fees, and the
 * genesis file of a BFT chain says who receives fees and rewards.
 */
function continued(config: GenesisJson, header: Header): GenesisJson {
  if (config['instant'] === undefined) return config
  const instant = { fromBlock: quantity(header.number + 1n) }
  if (equalBytes(header.mixHash, BFT_DIGEST)) return hasSection(config, BFT_SECTIONS) ? { ...config, instant } : config
  const engine = engineOf(header)
  const isOther = hasSigners(config) && (engine === undefined || config[engine] === undefined)
  return engine === undefined || isOther ? config : { [engine]: {}, ...config, instant }
}

/** undefined: the fees of the block go to its beneficiary, and nothing else does */
function engineOf({ difficulty, extraData, mixHash }: Header): 'ethash' | 'clique' | undefined {
  if (difficulty === 0n) return undefined
  if (checkExtraDataLength({ extraData }) === undefined) return 'ethash'
  const isClique = difficulty <= 2n && isZeroBytes(mixHash) && checkCliqueExtraData(extraData) === undefined
  return isClique ? 'clique' : undefined
}

const BFT_SECTIONS: readonly string[] = ['ibft', 'ibft2', 'qbft']

function hasSigners(config: GenesisJson): boolean {
  return hasSection(config, ['clique', ...BFT_SECTIONS])
}

function hasSection(config: GenesisJson, names: readonly string[]): boolean {
  return Object.keys(config).some((key) => names.includes(key.toLowerCase()))
}

/** The `config` section of the public network with the chain id, unless the header has other rules: private chains use its id too. */
async function publicNetwork({ chainId, header }: ForkStart): Promise<GenesisJson | undefined> {
  const config = await networkConfig(chainId)
  if (config === undefined) return undefined
  const { eips } = parseGenesisConfig(config, undefined).rulesAt(header)
  const isSame = HEADER_FIELDS.every(([eip, field]) => eips.has(eip) === (header[field] !== undefined))
  return isSame ? config : undefined
}

/** Fields that an EIP has added to headers. */
const HEADER_FIELDS: readonly (readonly [eip: number, field: keyof Header])[] = [
  [1559, 'baseFeePerGas'],
  [4895, 'withdrawalsRoot'],
  [4788, 'parentBeaconBlockRoot'],
  [7685, 'requestsHash'],
]

/** The newest fork that the fields of a header prove. */
function forkOf(header: Header): DevFork {
  if (header.requestsHash !== undefined) return 'PRAGUE'
  if (header.parentBeaconBlockRoot !== undefined) return 'CANCUN'
  if (header.withdrawalsRoot !== undefined) return 'SHANGHAI'
  if (header.baseFeePerGas === undefined) return 'BERLIN'
  return header.difficulty === 0n ? 'PARIS' : 'LONDON'
}

/** As JSON; the header is RLP. */
interface StoredStart {
  readonly chainId: string
  readonly header: string
  readonly hash: string
  readonly totalDifficulty: string
  readonly size: number
}

function encodeStart({ chainId, header, hash, totalDifficulty, size }: ForkStart): StoredStart {
  return {
    chainId: quantity(chainId),
    header: bytesToHex(encodeHeader(header)),
    hash: bytesToHex(hash),
    totalDifficulty: quantity(totalDifficulty),
    size,
  }
}

/** Reads the properties that a stored chain keeps. */
export function keptFork(json: GenesisJson): KeptFork {
  return { wallet: devChainRecord(json)?.wallet, config: json['config'] as GenesisJson }
}

/** The block on which a stored chain begins; undefined: it continues no other chain. */
export function storedForkStart(json: GenesisJson): ForkStart | undefined {
  const stored = json[FORK_MARK] as StoredStart | undefined
  if (stored === undefined) return undefined
  return {
    chainId: BigInt(stored.chainId),
    header: decodeHeader(rlpDecode(hexToBytes(stored.header))),
    hash: hexToBytes(stored.hash),
    totalDifficulty: BigInt(stored.totalDifficulty),
    size: stored.size,
  }
}

function quantity(value: bigint): string {
  return `0x${value.toString(16)}`
}
