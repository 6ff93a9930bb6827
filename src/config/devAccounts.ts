/**
 * The default accounts of the dev chain. Their keys are public knowledge.
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

/** The mnemonic that most dev chains use. */
export const DEV_MNEMONIC = 'test test test test test test test test test test test junk'
/** Derivation path of a mnemonic's accounts; the account's index is appended. */
export const DEV_DERIVATION_PATH = "m/44'/60'/0'/0"

const TEN_THOUSAND_ETHER = '0x21e19e0c9bab2400000'

/** The accounts of the dev chain, in the order in which the node lists them: the first ten of the mnemonic. */
export const DEV_ACCOUNTS: readonly DevAccount[] = [
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

/** The accounts of `--network=dev`: 200, 90,000 and 90,000 ETH. Dev chains of older builds have them as well. */
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
