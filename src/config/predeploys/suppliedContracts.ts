/**
 * Contracts whose licences do not fit this package: each user has the code from its authors. A hash identifies it. The
 * address of an EntryPoint follows from the hash of its creation code and its salt (EIP-1014); that of CreateX is the
 * first creation of an account whose only transaction was signed for all chains.
 * @module
 */
import type { Predeploy } from './predeploy.ts'

export interface SuppliedContract extends Predeploy {
  /** 20 bytes in lower-case hex: what creates it, the CREATE2 deployer or the sender of the transaction. */
  readonly creator: string
  /** 32 bytes in hex, for the CREATE2 deployer. */
  readonly salt?: string
  /** keccak256 of the creation code. */
  readonly creationHash: string
  /** keccak256 of the deployed code; undefined: it differs between chains. */
  readonly deployedHash?: string
  /** npm package that has the creation code. */
  readonly package?: { readonly name: string; readonly version: string; readonly file: string }
}

const CREATE2_DEPLOYER = '0x4e59b44847b379578588920ca78fbf26c0b4956c'

function entryPoint(
  version: string,
  rest: Pick<SuppliedContract, 'address' | 'salt' | 'creationHash'>,
): SuppliedContract {
  return {
    name: `entrypoint-${version}`,
    summary: `EntryPoint ${version} of ERC-4337, with its SenderCreator`,
    source: 'eth-infinitism/account-abstraction',
    licence: 'GPL-3.0',
    creator: CREATE2_DEPLOYER,
    package: { name: '@account-abstraction/contracts', version: `${version}.0`, file: 'artifacts/EntryPoint.json' },
    ...rest,
  }
}

export const SUPPLIED_CONTRACTS: readonly SuppliedContract[] = [
  entryPoint('0.6', {
    address: '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
    salt: '0x0000000000000000000000000000000000000000000000000000000000000000',
    creationHash: '0x7af81bb089cbbd117f52b96bebd684df6da9f4085c8d924358272f2506fe836b',
  }),
  entryPoint('0.7', {
    address: '0x0000000071727de22e5e9d8baf0edac6f37da032',
    salt: '0x90d8084deab30c2a37c45e8d47f49f2f7965183cb6990a98943ef94940681de3',
    creationHash: '0x30516d9cdbeabfaf62ea32d081a10ee3b95b92e5549cfc86353bbe85741c1404',
  }),
  entryPoint('0.8', {
    address: '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
    salt: '0x0a59dbff790c23c976a548690c27297883cc66b4c67024f9117b0238995e35e9',
    creationHash: '0x2a7c999e10f113d5f71f2abb9069a95091852afbd016309139559b9e47bb59dd',
  }),
  {
    name: 'createx',
    address: '0xba5ed099633d3b313e4d5f7bdc1305d3c28ba5ed',
    summary: 'deployer for CREATE, CREATE2 and CREATE3',
    source: 'pcaversaccio/createx',
    licence: 'AGPL-3.0',
    creator: '0xed456e05caab11d66c4c797dd6c1d6f9a7f352b5',
    creationHash: '0x12ec861579b63a3ab9db3b5a23c57d56402ad3061475b088f17054e2f2daf22f',
    deployedHash: '0xbd8a7ea8cfca7b4e5f5041d7d4b17bc317c5ce42cfbc42066a00cf26b43eb53f',
  },
]
