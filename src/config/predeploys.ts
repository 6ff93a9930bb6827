/**
 * Contracts that a new dev chain has at the addresses of public networks. Code under a licence that does not fit this
 * package is not part of it: the user supplies it, and it is accepted only when its hash is that of the contract.
 * @module
 */
import { bytesToHex, hexToBytes } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { keccak256 } from '../base/primitives/keccak.ts'
import type { GenesisContract } from './devContracts.ts'
import { MULTICALL3_CODE } from './predeploys/multicall3.ts'
import type { Predeploy } from './predeploys/predeploy.ts'
import { SUPPLIED_CONTRACTS, type SuppliedContract } from './predeploys/suppliedContracts.ts'

/** Where the CREATE2 deployer creates the contract, with the salt zero. */
export const BATCH_EXECUTOR = '0x3e268561e4b83d054ca34592756302ba7e781ec7'

const PACKAGED: readonly Predeploy[] = [
  {
    name: 'batch-executor',
    address: BATCH_EXECUTOR,
    summary: 'makes batches of calls atomic for accounts that delegate to it, with the interface of ERC-7821',
    source: 'this project',
    licence: 'Apache-2.0',
  },
  {
    name: 'create2',
    address: '0x4e59b44847b379578588920ca78fbf26c0b4956c',
    summary: 'the deterministic deployer of Foundry and Hardhat; present unless the list is `none`',
    source: 'Arachnid/deterministic-deployment-proxy',
    licence: 'Apache-2.0',
  },
  {
    name: 'multicall3',
    address: '0xca11bde05977b3631167028862be2a173976ca11',
    summary: 'many calls in one',
    source: 'mds1/multicall3',
    licence: 'MIT',
  },
  {
    name: 'permit2',
    address: '0x000000000022d473030f116ddee9f6b43ac78ba3',
    summary: "allowances by signature; compiled with this project's transfer library in place of solmate's",
    source: 'Uniswap/permit2',
    licence: 'MIT',
  },
  {
    name: 'safe-singleton',
    address: '0x914d7fec6aac8cd542e72bca78b30650d45643d7',
    summary: 'the deployer of the Safe contracts',
    source: 'safe-global/safe-singleton-factory',
    licence: 'MIT',
  },
  {
    name: 'weth',
    address: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
    summary: "ether as a token, at the address of mainnet: this project's contract with the interface of WETH9",
    source: 'this project',
    licence: 'Apache-2.0',
  },
]

/** All contracts, with those whose code the user supplies. */
export const PREDEPLOYS: readonly Predeploy[] = [...PACKAGED, ...SUPPLIED_CONTRACTS]

/** The name of each version of EntryPoint: the code tells which one it is. */
const ANY_ENTRY_POINT = 'entrypoint'

/** Both deployers have the same code. */
const DEPLOYER_CODE =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3'

export const CREATE2_DEPLOYER: GenesisContract = { address: addressOf('create2'), code: DEPLOYER_CODE }

/** Contracts of a dev chain without options. */
export const DEFAULT_PREDEPLOYS: readonly GenesisContract[] = [
  CREATE2_DEPLOYER,
  { address: addressOf('multicall3'), code: MULTICALL3_CODE },
]

/** A contract with the code that the user supplied. */
export interface SuppliedCode {
  readonly contract: SuppliedContract
  readonly code: Uint8Array
  /** Whether the code is that of the deployed contract, not the code that creates it. */
  readonly isDeployed: boolean
}

/** Splits `NAME` or `NAME=SOURCE`. */
export function splitPredeploy(item: string): { readonly name: string; readonly source: string | undefined } {
  const at = item.indexOf('=')
  return at < 0 ? { name: item, source: undefined } : { name: item.slice(0, at), source: item.slice(at + 1) }
}

/** Contracts that a name stands for, oldest first; none when their code is part of this package. */
export function suppliedContracts(name: string): readonly SuppliedContract[] {
  return SUPPLIED_CONTRACTS.filter(
    (each) => each.name === name || (name === ANY_ENTRY_POINT && each.name.startsWith(`${name}-`)),
  )
}

/** @returns undefined when it is the code of no contract that has this name */
export function suppliedCode(name: string, code: Uint8Array): SuppliedCode | undefined {
  const hash = bytesToHex(keccak256(code))
  const contract = suppliedContracts(name).find((each) => each.creationHash === hash || each.deployedHash === hash)
  return contract && { contract, code, isDeployed: contract.deployedHash === hash }
}

/**
 * @param items of `--predeploys`; the source of a supplied contract is its code in hex
 * @throws {NodeError} INVALID_OPTION
 */
export function suppliedAmong(items: readonly string[]): SuppliedCode[] {
  return items.flatMap((item) => {
    const { name, source } = splitPredeploy(item)
    return suppliedContracts(name).length === 0 ? [] : [checkedCode(name, source)]
  })
}

function checkedCode(name: string, source: string | undefined): SuppliedCode {
  const invalid = (message: string): NodeError => new NodeError({ code: 'INVALID_OPTION' }, `--predeploys: ${message}`)
  if (source === undefined) throw invalid(`${name} needs its creation code: '${name}=0x…'`)
  if (!/^0x(?:[0-9a-f]{2})+$/i.test(source)) throw invalid(`${name}=… is not the code of a contract in hex`)
  const code = hexToBytes(source)
  const supplied = suppliedCode(name, code)
  if (supplied !== undefined) return supplied
  throw invalid(`this is not the code of ${name}: ${code.length} bytes with the hash ${bytesToHex(keccak256(code))}`)
}

/**
 * Contracts whose code is part of this package.
 * @param items of `--predeploys`, without duplicates; `none` only alone
 * @param chainId for contracts that contain it
 */
export async function packagedContracts(
  items: readonly string[],
  chainId: number,
): Promise<readonly GenesisContract[]> {
  if (items.includes('none')) return []
  const chosen = PACKAGED.filter(({ name }) => name === 'create2' || items.includes(name))
  return Promise.all(chosen.map(async ({ name, address }) => ({ address, code: await codeOf(name, address, chainId) })))
}

/** Names of the contracts among these addresses, as they are written in the option. */
export function predeploysAmong(addresses: ReadonlySet<string>): string {
  const names = PREDEPLOYS.filter(({ address }) => addresses.has(address)).map(({ name }) => name)
  return names.length === 0 ? 'none' : names.join(',')
}

/**
 * The same for the contracts that the option asks for.
 * @throws {NodeError} INVALID_OPTION
 */
export function predeploysAsked(items: readonly string[]): string {
  if (items.includes('none')) return 'none'
  const packaged = PACKAGED.filter(({ name }) => name === 'create2' || items.includes(name))
  const supplied = suppliedAmong(items).map(({ contract }) => contract)
  return predeploysAmong(new Set([...packaged, ...supplied].map(({ address }) => address)))
}

/** Code that most chains do not need is loaded on demand. */
async function codeOf(name: string, address: string, chainId: number): Promise<string> {
  if (name === 'multicall3') return MULTICALL3_CODE
  if (name === 'batch-executor') return (await import('./predeploys/batchExecutor.ts')).BATCH_EXECUTOR_CODE
  if (name === 'permit2') return (await import('./predeploys/permit2.ts')).permit2Code(chainId, address)
  if (name === 'weth') return (await import('./predeploys/weth.ts')).WETH_CODE
  return DEPLOYER_CODE
}

function addressOf(name: string): string {
  return (PACKAGED.find((each) => each.name === name) as Predeploy).address
}
