/** Predeployed contracts whose code the user supplies. */
import { createPublicClient, custom, getContractAddress, type Hex, keccak256, parseAbi } from 'viem'
import { foundry } from 'viem/chains'
import { describe, expect, it } from 'vitest'
import { withPredeployCode } from '../../../adapters/server/data/predeployCode.ts'
import { systemClock, systemRandom } from '../../../adapters/shared/systemPorts.ts'
import { defaultOptions, type NodeOptions } from '../../../src/config/options.ts'
import { SUPPLIED_CONTRACTS } from '../../../src/config/predeploys/suppliedContracts.ts'
import { newDevChain } from '../../../src/dev/devChainGenesis.ts'
import {
  accountAbstractionArtifact,
  createXCode,
  ENTRY_POINTS,
  SUPPLIED_FOLDER,
} from '../../support/evm/suppliedContracts.ts'
import { needsTool } from '../../support/host/needs.ts'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'
import { devAccount } from '../../support/rpc/viemClient.ts'

const PORTS = { random: systemRandom, clock: systemClock }
const NO_CODE_HASH = keccak256('0x')
const CREATEX = '0xba5ed099633d3b313e4d5f7bdc1305d3c28ba5ed'
const CREATE2_DEPLOYER = '0x4e59b44847b379578588920ca78fbf26c0b4956c'

async function open(given: Partial<NodeOptions>): Promise<OpenedNode> {
  const options = withPredeployCode({ ...defaultOptions(true), ...given }, SUPPLIED_FOLDER)
  const { text, accounts } = await newDevChain(options, PORTS)
  return openDevNode(options, undefined, {}, JSON.parse(text), { accounts, beginsNow: false })
}

const accountOf = async ({ rpc }: OpenedNode, address: string) => {
  const { nonce, codeHash, storageHash } = await rpc<Record<string, string>>('eth_getProof', address, [], 'latest')
  return { nonce, codeHash, storageHash }
}

/** A chain on which transactions create the contracts, as on public networks. */
async function deployedByTransactions(): Promise<OpenedNode> {
  const node = await openDevNode()
  for (const { address, salt, package: origin, name } of SUPPLIED_CONTRACTS) {
    if (origin === undefined) continue
    const { bytecode } = accountAbstractionArtifact(name.replace('entrypoint-', ''), 'EntryPoint')
    const input = `${salt}${bytecode.slice(2)}`
    await node.rpc('eth_sendTransaction', { from: devAccount(0).address, to: CREATE2_DEPLOYER, input })
    expect(await node.rpc('eth_getCode', address, 'latest')).not.toBe('0x')
  }
  return node
}

describe('contracts whose code is not part of the package', () => {
  it('have the addresses that follow from salt and creation code', () => {
    for (const { name, address, creator, salt, creationHash } of SUPPLIED_CONTRACTS) {
      const from = creator as Hex
      const derived =
        salt === undefined
          ? getContractAddress({ from, nonce: 0n })
          : getContractAddress({ opcode: 'CREATE2', from, salt: salt as Hex, bytecodeHash: creationHash as Hex })
      expect(derived.toLowerCase(), name).toBe(address)
    }
  })

  it.each([
    ['entrypoint-0.7', "entrypoint-0.7 needs its creation code: 'entrypoint-0.7=0x…'"],
    ['createx=0x6', 'createx=… is not the code of a contract in hex'],
    ['createx=0x6001', 'this is not the code of createx: 2 bytes with the hash 0x'],
  ])('are refused without their code: %s', async (item, message) => {
    const options = { ...defaultOptions(true), predeploys: [item] }
    await expect(newDevChain(options, PORTS)).rejects.toThrow(`--predeploys: ${message}`)
  })
})

describe('contracts with supplied code', needsTool('@account-abstraction/contracts', SUPPLIED_FOLDER), () => {
  it('are exactly those that transactions create: code, nonce, storage, and SenderCreator', async () => {
    const [genesis, deployed] = await Promise.all([open({ predeploys: [...ENTRY_POINTS] }), deployedByTransactions()])
    for (const name of ENTRY_POINTS) {
      const from = SUPPLIED_CONTRACTS.find((each) => each.name === name)?.address as Hex
      for (const address of [from, getContractAddress({ from, nonce: 1n })]) {
        const [created, expected] = await Promise.all([genesis, deployed].map((node) => accountOf(node, address)))
        expect(created, name).toEqual(expected)
        expect(created?.codeHash, name).not.toBe(NO_CODE_HASH)
      }
    }
  })

  it('run: EntryPoint 0.8 knows its domain and its SenderCreator', async () => {
    const { rpc } = await open({ predeploys: ['entrypoint-0.8'], 'chain-id': 4242 })
    const reader = createPublicClient({
      chain: foundry,
      transport: custom({ request: ({ method, params }) => rpc(method, ...(params ?? [])) }),
    })
    const address = '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108'
    const abi = parseAbi([
      'function senderCreator() view returns (address)',
      'function eip712Domain() view returns (bytes1, string, string, uint256, address, bytes32, uint256[])',
    ])
    const domain = await reader.readContract({ address, abi, functionName: 'eip712Domain' })
    expect(domain.slice(1, 5)).toEqual(['ERC4337', '1', 4242n, address])
    const creator = await reader.readContract({ address, abi, functionName: 'senderCreator' })
    expect(await reader.getCode({ address: creator })).toMatch(/^0x60/)
  })

  it.each(['anvil_reset', 'hardhat_reset'])('remain after %s', async (method) => {
    const { rpc } = await open({ predeploys: ['entrypoint-0.7'] })
    const address = '0x0000000071727de22e5e9d8baf0edac6f37da032'
    const code = await rpc<Hex>('eth_getCode', address, 'latest')
    await rpc('anvil_setCode', address, '0x')
    await rpc(method)
    expect(await rpc('eth_getCode', address, 'latest')).toBe(code)
  })

  it('are CreateX with its published code, from the creation code or from the deployed code', async () => {
    const { rpc } = await open({ predeploys: [`createx=${createXCode()}`] })
    const code = await rpc<Hex>('eth_getCode', CREATEX, 'latest')
    expect(keccak256(code)).toBe('0xbd8a7ea8cfca7b4e5f5041d7d4b17bc317c5ce42cfbc42066a00cf26b43eb53f')
    const again = await open({ predeploys: [`createx=${code}`] })
    expect(await again.rpc('eth_getCode', CREATEX, 'latest')).toBe(code)
  })

  it('are refused when their creation fails under the rules of the chain', async () => {
    await expect(open({ predeploys: ['entrypoint-0.8'], 'dev-fork': 'LONDON' })).rejects.toThrow(
      '--predeploys: entrypoint-0.8 is not possible: its creation fails under the rules of the chain',
    )
  })
})
