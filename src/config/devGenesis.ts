/**
 * Genesis of the dev chain: every fork from the first block on, funded accounts, the system contracts of the forks and
 * the deterministic deployer that contract tools expect. A data directory stores the genesis that it was created with.
 * @module
 */

/** An account that is funded in the genesis block. Its key is public. */
export interface DevAccount {
  /** 20 bytes in lower-case hex */
  readonly address: string
  /** 32 bytes in hex */
  readonly privateKey: string
  /** wei in hex */
  readonly balance: string
}

/** Marks the stored genesis of a dev chain: only such a directory is opened as a dev chain. */
const DEV_CHAIN_MARK = 'isonodeDevChain'

/** The genesis of a dev chain as it is stored in its directory. */
export function devChainText(json: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ ...json, [DEV_CHAIN_MARK]: true })
}

/** @param json the stored genesis of a directory; format 1 is recognized by chain id and accounts */
export function isDevChainGenesis(json: Readonly<Record<string, unknown>>): boolean {
  if (json[DEV_CHAIN_MARK] === true) return true
  const { config, alloc } = json as { config?: { chainId?: unknown }; alloc?: Readonly<Record<string, unknown>> }
  if (alloc === undefined || config?.chainId !== DEV_CHAIN_ID) return false
  return DEV_MNEMONIC_ACCOUNTS.every(({ address }) => address in alloc)
}

const TEN_THOUSAND_ETHER = '0x21e19e0c9bab2400000'

/** m/44'/60'/0'/0/0 to 9 of the mnemonic `test test test test test test test test test test test junk`. */
export const DEV_MNEMONIC_ACCOUNTS: readonly DevAccount[] = [
  {
    address: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
    privateKey: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
    balance: TEN_THOUSAND_ETHER,
  },
  {
    address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
    privateKey: '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
    balance: TEN_THOUSAND_ETHER,
  },
  {
    address: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
    privateKey: '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
    balance: TEN_THOUSAND_ETHER,
  },
  {
    address: '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
    privateKey: '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
    balance: TEN_THOUSAND_ETHER,
  },
  {
    address: '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65',
    privateKey: '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
    balance: TEN_THOUSAND_ETHER,
  },
  {
    address: '0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc',
    privateKey: '0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba',
    balance: TEN_THOUSAND_ETHER,
  },
  {
    address: '0x976ea74026e726554db657fa54763abd0c3a0aa9',
    privateKey: '0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e',
    balance: TEN_THOUSAND_ETHER,
  },
  {
    address: '0x14dc79964da2c08b23698b3d3cc7ca32193d9955',
    privateKey: '0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356',
    balance: TEN_THOUSAND_ETHER,
  },
  {
    address: '0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f',
    privateKey: '0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97',
    balance: TEN_THOUSAND_ETHER,
  },
  {
    address: '0xa0ee7a142d267c1f36714e4a8f75612f20a79720',
    privateKey: '0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6',
    balance: TEN_THOUSAND_ETHER,
  },
]

/** The accounts of `--network=dev`: 200, 90,000 and 90,000 ETH. */
export const DEV_NETWORK_ACCOUNTS: readonly DevAccount[] = [
  {
    address: '0xfe3b557e8fb62b89f4916b721be55ceb828dbd73',
    privateKey: '0x8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63',
    balance: '0xad78ebc5ac6200000',
  },
  {
    address: '0x627306090abab3a6e1400e9345bc60c78a8bef57',
    privateKey: '0xc87509a1c067bbde78beb793e6fa76530b6382a4c0241e5e4a9ec0a0f44dc0d3',
    balance: '0x130ee8e7179044400000',
  },
  {
    address: '0xf17f52151ebef6c7334fad080c5704d77216b732',
    privateKey: '0xae6ae8e5ccbfb04590405997ee2d52d2b330726137b875053c36d94e974d162f',
    balance: '0x130ee8e7179044400000',
  },
]

/** The accounts of the dev chain, in the order in which the node lists them. */
export const DEV_ACCOUNTS: readonly DevAccount[] = [...DEV_MNEMONIC_ACCOUNTS, ...DEV_NETWORK_ACCOUNTS]

/** Contracts that the protocol calls, with the nonce 1 of a deployed contract. */
const SYSTEM_CONTRACTS: Readonly<Record<string, string>> = {
  // EIP-4788
  '0x000f3df6d732807ef1319fb7b8bb8522d0beac02':
    '0x3373fffffffffffffffffffffffffffffffffffffffe14604d57602036146024575f5ffd5b5f35801560495762001fff810690815414603c575f5ffd5b62001fff01545f5260205ff35b5f5ffd5b62001fff42064281555f359062001fff015500',
  // EIP-2935
  '0x0000f90827f1c53a10cb7a02335b175320002935':
    '0x3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500',
  // EIP-7002
  '0x00000961ef480eb55e80d19ad83579a64c007002':
    '0x3373fffffffffffffffffffffffffffffffffffffffe1460cb5760115f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff146101f457600182026001905f5b5f82111560685781019083028483029004916001019190604d565b909390049250505036603814608857366101f457346101f4575f5260205ff35b34106101f457600154600101600155600354806003026004013381556001015f35815560010160203590553360601b5f5260385f601437604c5fa0600101600355005b6003546002548082038060101160df575060105b5f5b8181146101835782810160030260040181604c02815460601b8152601401816001015481526020019060020154807fffffffffffffffffffffffffffffffff00000000000000000000000000000000168252906010019060401c908160381c81600701538160301c81600601538160281c81600501538160201c81600401538160181c81600301538160101c81600201538160081c81600101535360010160e1565b910180921461019557906002556101a0565b90505f6002555f6003555b5f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff14156101cd57505f5b6001546002828201116101e25750505f6101e8565b01600290035b5f555f600155604c025ff35b5f5ffd',
  // EIP-7251
  '0x0000bbddc7ce488642fb579f8b00f3a590007251':
    '0x3373fffffffffffffffffffffffffffffffffffffffe1460d35760115f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff1461019a57600182026001905f5b5f82111560685781019083028483029004916001019190604d565b9093900492505050366060146088573661019a573461019a575f5260205ff35b341061019a57600154600101600155600354806004026004013381556001015f358155600101602035815560010160403590553360601b5f5260605f60143760745fa0600101600355005b6003546002548082038060021160e7575060025b5f5b8181146101295782810160040260040181607402815460601b815260140181600101548152602001816002015481526020019060030154905260010160e9565b910180921461013b5790600255610146565b90505f6002555f6003555b5f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff141561017357505f5b6001546001828201116101885750505f61018e565b01600190035b5f555f6001556074025ff35b5f5ffd',
  // Deterministic deployment proxy, at the address that Foundry and Hardhat expect
  '0x4e59b44847b379578588920ca78fbf26c0b4956c':
    '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3',
}

export const DEV_CHAIN_ID = 1337

/** Forks that a dev chain can activate from its first block on, oldest first. */
export type DevFork = 'PARIS' | 'SHANGHAI' | 'CANCUN' | 'PRAGUE' | 'OSAKA'
export const DEV_FORKS: readonly DevFork[] = ['PARIS', 'SHANGHAI', 'CANCUN', 'PRAGUE', 'OSAKA']

/** The genesis in the form of a genesis file. @param fork default: the newest */
export function devGenesis(fork: DevFork = 'OSAKA'): Record<string, unknown> {
  const forkTimes: Record<string, number> = {}
  for (const name of DEV_FORKS.slice(1, DEV_FORKS.indexOf(fork) + 1)) forkTimes[`${name.toLowerCase()}Time`] = 0
  const alloc: Record<string, unknown> = {}
  for (const { address, balance } of DEV_ACCOUNTS) alloc[address] = { balance }
  for (const [address, code] of Object.entries(SYSTEM_CONTRACTS))
    alloc[address] = { balance: '0x0', nonce: '0x1', code }
  return {
    config: {
      chainId: DEV_CHAIN_ID,
      londonBlock: 0,
      terminalTotalDifficulty: 0,
      ...forkTimes,
    },
    difficulty: '0x0',
    gasLimit: '0x1c9c380',
    baseFeePerGas: '0x3b9aca00',
    timestamp: '0x0',
    alloc,
  }
}
