/** Balances and allowances of ERC-20 tokens, in contracts compiled with solc. */
import { decodeFunctionResult, encodeDeployData, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEV_ACCOUNTS } from '../../../src/config/devGenesis.ts'
import { compileContract, TOKEN_ABI } from '../../support/evm/solidity.ts'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'

const [ALICE, BOB] = DEV_ACCOUNTS.map(({ address }) => address) as [Hex, Hex]
const abi = parseAbi(TOKEN_ABI)
const parts = parseAbi([
  'function vyper() view returns (address)',
  'function proxy() view returns (address)',
  'function scaled() view returns (address)',
])

let opened: OpenedNode
let token: Hex
let tokens: Hex

const rpc = <T = unknown>(method: string, ...params: unknown[]): Promise<T> => opened.rpc<T>(method, ...params)

async function deploy(data: Hex): Promise<Hex> {
  const hash = await rpc('eth_sendTransaction', { from: ALICE, data, gas: '0x989680' })
  const { contractAddress, status } = await rpc<{ contractAddress: Hex; status: Hex }>(
    'eth_getTransactionReceipt',
    hash,
  )
  expect(status).toBe('0x1')
  return contractAddress
}

beforeAll(async () => {
  opened = await openDevNode()
  const { bytecode } = compileContract('Token')
  token = await deploy(encodeDeployData({ abi, bytecode, args: [1000n] }))
  tokens = await deploy(compileContract('Tokens').bytecode)
})
afterAll(() => opened.node.close())

const part = async (functionName: 'vyper' | 'proxy' | 'scaled') => {
  const data = await rpc<Hex>(
    'eth_call',
    { to: tokens, data: encodeFunctionData({ abi: parts, functionName }) },
    'latest',
  )
  return decodeFunctionResult({ abi: parts, functionName, data }).toLowerCase()
}
const balanceOf = async (to: string, owner: Hex) =>
  BigInt(
    await rpc(
      'eth_call',
      { to, data: encodeFunctionData({ abi, functionName: 'balanceOf', args: [owner] }) },
      'latest',
    ),
  )
const allowance = async (to: string, owner: Hex, spender: Hex) =>
  BigInt(
    await rpc(
      'eth_call',
      { to, data: encodeFunctionData({ abi, functionName: 'allowance', args: [owner, spender] }) },
      'latest',
    ),
  )

describe('anvil_dealERC20', () => {
  it.each([0n, 1n, 12_345n, 2n ** 256n - 1n])('sets a balance of %s in any layout', async (amount) => {
    const targets = [token, tokens, await part('vyper'), await part('proxy')]
    for (const target of targets) {
      expect(await rpc('anvil_dealERC20', BOB, target, `0x${amount.toString(16)}`)).toBeNull()
      expect(await balanceOf(target, BOB)).toBe(amount)
    }
    expect(await balanceOf(token, ALICE)).toBe(1000n)
  })

  it('has the names of anvil and hardhat, and lets the owner spend', async () => {
    for (const [at, name] of ['anvil_dealErc20', 'hardhat_dealERC20', 'anvil_setERC20Balance'].entries()) {
      expect(await rpc(name, BOB, token, `0x${(at + 5).toString(16)}`)).toBeNull()
      expect(await balanceOf(token, BOB)).toBe(BigInt(at + 5))
    }
    const data = encodeFunctionData({ abi, functionName: 'transfer', args: [ALICE, 7n] })
    await rpc('eth_sendTransaction', { from: BOB, to: token, data })
    expect(await balanceOf(token, ALICE)).toBe(1007n)
  })

  it('refuses accounts that are not tokens, and balances that no slot holds', async () => {
    const message = 'Unable to set ERC20 balance, no slot found'
    for (const target of [BOB, await part('scaled')]) {
      await expect(rpc('anvil_dealERC20', BOB, target, '0x2')).rejects.toThrow(message)
    }
    expect(await balanceOf(await part('scaled'), BOB)).toBe(1n)
  })
})

it('anvil_setERC20Allowance sets an allowance', async () => {
  for (const target of [token, await part('vyper')]) {
    expect(await rpc('anvil_setERC20Allowance', ALICE, BOB, target, '0x2a')).toBeNull()
    expect(await allowance(target, ALICE, BOB)).toBe(42n)
    expect(await allowance(target, BOB, ALICE)).toBe(0n)
  }
  await expect(rpc('anvil_setERC20Allowance', ALICE, BOB, tokens, '0x2a')).rejects.toThrow(
    'Unable to set ERC20 allowance',
  )
})
