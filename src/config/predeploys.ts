/**
 * Contracts that a new dev chain has at the addresses of public networks. Code under a licence that does not fit this
 * package is not among them: EntryPoint (GPL), CreateX (AGPL) and WETH9 itself (GPL).
 * @module
 */
import type { GenesisContract } from './devContracts.ts'
import { MULTICALL3_CODE } from './predeploys/multicall3.ts'

/** Values of `--predeploys`. */
export type PredeployName = 'create2' | 'multicall3' | 'permit2' | 'safe-singleton' | 'weth' | 'none'

export interface Predeploy {
  readonly name: Exclude<PredeployName, 'none'>
  /** 20 bytes in lower-case hex */
  readonly address: string
  readonly summary: string
  readonly source: string
  readonly licence: string
}

export const PREDEPLOYS: readonly Predeploy[] = [
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

/** Both deployers have the same code. */
const DEPLOYER_CODE =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3'

export const CREATE2_DEPLOYER: GenesisContract = { address: addressOf('create2'), code: DEPLOYER_CODE }

/** Contracts of a dev chain without options. */
export const DEFAULT_PREDEPLOYS: readonly GenesisContract[] = [
  CREATE2_DEPLOYER,
  { address: addressOf('multicall3'), code: MULTICALL3_CODE },
]

/**
 * @param names without duplicates; `none` only alone
 * @param chainId for contracts that contain it
 */
export async function predeployedContracts(
  names: readonly PredeployName[],
  chainId: number,
): Promise<readonly GenesisContract[]> {
  if (names.includes('none')) return []
  const chosen = PREDEPLOYS.filter(({ name }) => name === 'create2' || names.includes(name))
  return Promise.all(chosen.map(async ({ name, address }) => ({ address, code: await codeOf(name, address, chainId) })))
}

/** Names of the contracts among these addresses, as they are written in the option. */
export function predeploysAmong(addresses: ReadonlySet<string>): string {
  const names = PREDEPLOYS.filter(({ address }) => addresses.has(address)).map(({ name }) => name)
  return names.length === 0 ? 'none' : names.join(',')
}

/** Code that most chains do not need is loaded on demand. */
async function codeOf(name: Predeploy['name'], address: string, chainId: number): Promise<string> {
  if (name === 'multicall3') return MULTICALL3_CODE
  if (name === 'permit2') return (await import('./predeploys/permit2.ts')).permit2Code(chainId, address)
  if (name === 'weth') return (await import('./predeploys/weth.ts')).WETH_CODE
  return DEPLOYER_CODE
}

function addressOf(name: Predeploy['name']): string {
  return (PREDEPLOYS.find((each) => each.name === name) as Predeploy).address
}
