/** User operations of ERC-4337 and the accounts that send them. */
import {
  type Address,
  type Chain,
  type Client,
  encodeFunctionData,
  type Hex,
  type LocalAccount,
  type PrivateKeyAccount,
  parseAbi,
  type Transport,
} from 'viem'
import {
  type EntryPointVersion,
  entryPoint06Abi,
  entryPoint07Abi,
  entryPoint08Abi,
  getUserOperationHash,
  type SmartAccount,
  toSmartAccount,
  type UserOperation,
} from 'viem/account-abstraction'
import { getChainId, readContract } from 'viem/actions'

export const ENTRY_POINT_ADDRESSES = {
  '0.6': '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789',
  '0.7': '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
  '0.8': '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108',
} as const

export type TestedVersion = keyof typeof ENTRY_POINT_ADDRESSES

const ABIS = { '0.6': entryPoint06Abi, '0.7': entryPoint07Abi, '0.8': entryPoint08Abi } as const
const FACTORY = parseAbi([
  'function createAccount(address owner, uint256 salt) returns (address)',
  'function getAddress(address owner, uint256 salt) view returns (address)',
])
const ACCOUNT = parseAbi(['function execute(address dest, uint256 value, bytes func)'])
const NONCES = parseAbi(['function getNonce(address sender, uint192 key) view returns (uint256)'])
const SOME_HASH: Hex = `0x${'11'.repeat(32)}`

interface AccountParts {
  readonly client: Client<Transport, Chain, PrivateKeyAccount>
  readonly version: TestedVersion
  readonly owner: LocalAccount
}

/** An account of the reference implementation, which its factory creates with its first operation. */
export async function simpleAccount({ client, version, owner }: AccountParts, factory: Address): Promise<SmartAccount> {
  const args = [owner.address, 0n] as const
  const address = await readContract(client, { address: factory, abi: FACTORY, functionName: 'getAddress', args })
  const factoryData = encodeFunctionData({ abi: FACTORY, functionName: 'createAccount', args })
  const sign = async (hash: Hex): Promise<Hex> =>
    version === '0.8' && owner.sign !== undefined ? owner.sign({ hash }) : owner.signMessage({ message: { raw: hash } })
  return accountAt({ client, version, address, factoryArgs: { factory, factoryData }, sign })
}

/** An account whose code is on the chain already and accepts every signature. */
export function carelessAccount(parts: Omit<AccountParts, 'owner'>, address: Address): Promise<SmartAccount> {
  return accountAt({ ...parts, address, factoryArgs: {}, sign: async () => '0x' })
}

interface AccountAt extends Omit<AccountParts, 'owner'> {
  readonly address: Address
  readonly factoryArgs: { readonly factory?: Address; readonly factoryData?: Hex }
  readonly sign: (hash: Hex) => Promise<Hex>
}

function accountAt({ client, version, address, factoryArgs, sign }: AccountAt): Promise<SmartAccount> {
  const entryPointAddress = ENTRY_POINT_ADDRESSES[version]
  const unsupported = async (): Promise<Hex> => {
    throw new Error('this account signs only user operations')
  }
  return toSmartAccount({
    client,
    entryPoint: { abi: ABIS[version], address: entryPointAddress, version: version as EntryPointVersion },
    getAddress: async () => address,
    getFactoryArgs: async () => factoryArgs as { readonly factory: Address; readonly factoryData: Hex },
    getNonce: () =>
      readContract(client, {
        address: entryPointAddress,
        abi: NONCES,
        functionName: 'getNonce',
        args: [address, 0n],
      }),
    // Estimates need a signature that recovers to some address.
    getStubSignature: async () => sign(SOME_HASH),
    encodeCalls: async ([call]) =>
      encodeFunctionData({
        abi: ACCOUNT,
        functionName: 'execute',
        args: [call?.to ?? address, call?.value ?? 0n, call?.data ?? '0x'],
      }),
    signMessage: unsupported,
    signTypedData: unsupported,
    signUserOperation: async (operation) => {
      const userOperation = { ...operation, sender: address, signature: '0x' } as UserOperation
      const chainId = await getChainId(client)
      return sign(getUserOperationHash({ userOperation, entryPointAddress, entryPointVersion: version, chainId }))
    },
  }) as unknown as Promise<SmartAccount>
}
