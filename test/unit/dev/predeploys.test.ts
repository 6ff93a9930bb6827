/** Contracts in the genesis of a dev chain. */
import {
  createPublicClient,
  createWalletClient,
  custom,
  getAddress,
  getCreate2Address,
  hashTypedData,
  keccak256,
  parseAbi,
} from 'viem'
import { foundry } from 'viem/chains'
import { describe, expect, it } from 'vitest'
import { systemClock, systemRandom } from '../../../adapters/shared/systemPorts.ts'
import { devChainRecord } from '../../../src/config/devGenesis.ts'
import { defaultOptions, type NodeOptions } from '../../../src/config/options.ts'
import { PREDEPLOYS } from '../../../src/config/predeploys.ts'
import { newDevChain, storedDevChain } from '../../../src/dev/devChainGenesis.ts'
import { compileContract } from '../../support/evm/solidity.ts'
import { needsTool } from '../../support/host/needs.ts'
import { installedTools } from '../../support/host/tools.ts'
import { openDevNode } from '../../support/nodes/devNodeInMemory.ts'
import { devAccount } from '../../support/rpc/viemClient.ts'

const PORTS = { random: systemRandom, clock: systemClock }
/** Published hash of the code of Multicall3. */
const MULTICALL3_HASH = '0xd5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891'
const SAFE_SINGLETON_HASH = '0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989'
const BEACON_ROOTS = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02'

/** The part of `@wagmi/core` that the test uses. */
interface WagmiCore {
  createConfig(options: object): object
  readContracts(config: object, options: object): Promise<readonly { readonly result: unknown }[]>
}

interface Request {
  readonly method: string
  readonly params?: readonly unknown[]
}

const WAGMI = installedTools('bundlers4337/node_modules/@wagmi/core/dist/esm/exports/index.js')

const addressOf = (name: string) => getAddress(PREDEPLOYS.find((each) => each.name === name)?.address ?? '')
const optionsOf = (given: Partial<NodeOptions>): NodeOptions => ({ ...defaultOptions(true), ...given })

const chainWithMulticall = { ...foundry, contracts: { multicall3: { address: addressOf('multicall3') } } }
const balanceOf = (account: number) =>
  ({
    address: addressOf('multicall3'),
    abi: parseAbi(['function getEthBalance(address) view returns (uint256)']),
    functionName: 'getEthBalance',
    args: [devAccount(account).address],
  }) as const

async function open(given: Partial<NodeOptions> = {}) {
  const options = optionsOf(given)
  const { text, accounts } = await newDevChain(options, PORTS)
  const node = await openDevNode(options, undefined, {}, JSON.parse(text), { accounts, beginsNow: false })
  const transport = custom({ request: ({ method, params }) => node.rpc(method, ...(params ?? [])) })
  return {
    ...node,
    reader: createPublicClient({ chain: foundry, transport }),
    writer: createWalletClient({ chain: foundry, transport, account: devAccount(0) }),
    deployed: async () => {
      const codes = PREDEPLOYS.map(async ({ name, address }) => [
        name,
        await node.rpc<string>('eth_getCode', address, 'latest'),
      ])
      return (await Promise.all(codes)).filter(([, code]) => code !== '0x').map(([name]) => name)
    },
  }
}

async function reopened(first: Partial<NodeOptions>, then: Partial<NodeOptions>) {
  const json = JSON.parse((await newDevChain(optionsOf(first), PORTS)).text)
  const record = devChainRecord(json)
  if (record === undefined) throw new Error('not a dev chain')
  return storedDevChain({ json, record, directory: '/data' }, optionsOf(then))
}

describe('predeployed contracts', () => {
  it('are the CREATE2 deployer and Multicall3 by default', async () => {
    const { deployed, rpc } = await open()
    expect(await deployed()).toEqual(['create2', 'multicall3'])
    expect(keccak256(await rpc('eth_getCode', addressOf('multicall3'), 'latest'))).toBe(MULTICALL3_HASH)
  })

  it.each([
    ['weth', 'WrappedEther', { runs: 1_000_000, evmVersion: 'london' }],
    ['batch-executor', 'BatchExecutor', { runs: 200, evmVersion: 'prague' }],
  ])('have the code of their source: %s', async (name, contract, settings) => {
    const { rpc } = await open({ predeploys: [name] })
    const { deployedBytecode } = compileContract(contract, `${contract}.sol`, settings)
    expect(await rpc('eth_getCode', addressOf(name), 'latest')).toBe(deployedBytecode)
  })

  it('have the address of CREATE2: batch-executor', () => {
    const { bytecode } = compileContract('BatchExecutor', 'BatchExecutor.sol', { runs: 200, evmVersion: 'prague' })
    const salt = `0x${'00'.repeat(32)}` as const
    expect(addressOf('batch-executor')).toBe(getCreate2Address({ from: addressOf('create2'), salt, bytecode }))
  })

  it('are those of the option, with the CREATE2 deployer', async () => {
    const { deployed, rpc } = await open({ predeploys: ['weth', 'safe-singleton'] })
    expect(await deployed()).toEqual(['create2', 'safe-singleton', 'weth'])
    expect(keccak256(await rpc('eth_getCode', addressOf('safe-singleton'), 'latest'))).toBe(SAFE_SINGLETON_HASH)
  })

  it('are absent with none, beside the contracts of the protocol', async () => {
    const { deployed, rpc } = await open({ predeploys: ['none'] })
    expect(await deployed()).toEqual([])
    expect(await rpc('eth_getCode', BEACON_ROOTS, 'latest')).not.toBe('0x')
  })

  it.each(['anvil_reset', 'hardhat_reset'])('remain after %s', async (method) => {
    const { deployed, rpc } = await open({ predeploys: ['permit2'] })
    await rpc('anvil_setCode', addressOf('permit2'), '0x')
    await rpc(method)
    expect(await deployed()).toEqual(['create2', 'permit2'])
  })

  it('are kept by a stored chain, which refuses other ones', async () => {
    expect((await reopened({ predeploys: ['weth'] }, {})).genesis.alloc.length).toBeGreaterThan(10)
    await expect(reopened({ predeploys: ['weth'] }, { predeploys: ['create2', 'weth'] })).resolves.toBeDefined()
    await expect(reopened({}, { predeploys: ['none'] })).rejects.toThrow('--predeploys=create2,multicall3, not none')
  })

  it("answer viem's multicall on a new chain", async () => {
    const { reader } = await open()
    const abi = parseAbi([
      'function getBlockNumber() view returns (uint256)',
      'function getChainId() view returns (uint256)',
    ])
    const address = addressOf('multicall3')
    const contracts = [
      { address, abi, functionName: 'getBlockNumber' },
      { address, abi, functionName: 'getChainId' },
    ] as const
    const answers = await reader.multicall({ contracts, allowFailure: false, multicallAddress: address })
    expect(answers).toEqual([0n, 31337n])
  })

  it("answer viem's multicall and its batches when the chain names the contract", async () => {
    const { rpc } = await open()
    const methods: string[] = []
    const request = ({ method, params }: Request) => {
      methods.push(method)
      return rpc(method, ...(params ?? []))
    }
    const transport = custom({ request })
    const reader = createPublicClient({ chain: chainWithMulticall, transport, batch: { multicall: true } })
    const contracts = [balanceOf(0), balanceOf(1)]
    const answers = await reader.multicall({ contracts, allowFailure: false })
    expect(answers).toEqual([10_000n * 10n ** 18n, 10_000n * 10n ** 18n])
    expect(await Promise.all(contracts.map((contract) => reader.readContract(contract)))).toEqual(answers)
    expect(methods).toEqual(['eth_call', 'eth_call'])
  })

  it("answer readContracts of wagmi's core", needsTool('@wagmi/core', WAGMI), async () => {
    const { rpc } = await open()
    const { createConfig, readContracts } = (await import(WAGMI as string)) as WagmiCore
    const methods: string[] = []
    const request = ({ method, params }: Request) => {
      methods.push(method)
      return rpc(method, ...(params ?? []))
    }
    const transports = { [foundry.id]: custom({ request }) }
    const config = createConfig({ chains: [chainWithMulticall], transports })
    const answers = await readContracts(config, { contracts: [balanceOf(0), balanceOf(1)] })
    expect(answers.map(({ result }) => result)).toEqual([10n ** 22n, 10n ** 22n])
    expect(methods).toEqual(['eth_call'])
  })

  it('move tokens by signature with Permit2, on any chain id', async () => {
    const { rpc, reader, writer } = await open({ predeploys: ['permit2', 'weth'] })
    const permit2 = addressOf('permit2')
    const weth = addressOf('weth')
    const wethAbi = compileContract('WrappedEther').abi
    const { address: owner } = devAccount(0)
    const { address: spender } = devAccount(1)
    const separator = async () =>
      reader.readContract({
        address: permit2,
        abi: parseAbi(['function DOMAIN_SEPARATOR() view returns (bytes32)']),
        functionName: 'DOMAIN_SEPARATOR',
      })
    const first = await separator()
    await writer.writeContract({ address: weth, abi: wethAbi, functionName: 'deposit', value: 5n })
    await writer.writeContract({ address: weth, abi: wethAbi, functionName: 'approve', args: [permit2, 5n] })
    const permit = { permitted: { token: weth, amount: 3n }, nonce: 0n, deadline: 2n ** 64n }
    const typed = {
      domain: { name: 'Permit2', chainId: 31337, verifyingContract: permit2 },
      types: {
        PermitTransferFrom: [
          { name: 'permitted', type: 'TokenPermissions' },
          { name: 'spender', type: 'address' },
          { name: 'nonce', type: 'uint256' },
          { name: 'deadline', type: 'uint256' },
        ],
        TokenPermissions: [
          { name: 'token', type: 'address' },
          { name: 'amount', type: 'uint256' },
        ],
      },
      primaryType: 'PermitTransferFrom',
      message: { ...permit, spender },
    } as const
    expect(hashTypedData(typed)).toHaveLength(66)
    const signature = await devAccount(0).signTypedData(typed)
    const abi = parseAbi([
      'function permitTransferFrom(((address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount) transferDetails, address owner, bytes signature)',
    ])
    const args = [permit, { to: spender, requestedAmount: 3n }, owner, signature] as const
    await writer.writeContract({
      account: devAccount(1),
      address: permit2,
      abi,
      functionName: 'permitTransferFrom',
      args,
    })
    expect(await reader.readContract({ address: weth, abi: wethAbi, functionName: 'balanceOf', args: [spender] })).toBe(
      3n,
    )
    await rpc('anvil_setChainId', 5)
    expect(await separator()).not.toBe(first)
  })

  it('wrap ether and pay it out', async () => {
    const { reader, writer } = await open({ predeploys: ['weth'] })
    const { abi } = compileContract('WrappedEther')
    const address = addressOf('weth')
    const { address: owner } = devAccount(0)
    const read = (functionName: string, ...args: readonly string[]) =>
      reader.readContract({ address, abi, functionName, args: [...args] })
    expect([await read('name'), await read('symbol'), await read('decimals')]).toEqual(['Wrapped Ether', 'WETH', 18])
    await writer.sendTransaction({ to: address, value: 7n })
    await writer.writeContract({ address, abi, functionName: 'withdraw', args: [2n] })
    expect([await read('balanceOf', owner), await read('totalSupply')]).toEqual([5n, 5n])
    await expect(
      reader.simulateContract({ address, abi, functionName: 'withdraw', args: [6n], account: owner }),
    ).rejects.toThrow('arithmetic underflow or overflow')
  })
})
