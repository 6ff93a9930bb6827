import { createPublicClient, createWalletClient, custom, encodeFunctionData, parseAbi } from 'viem'
import { foundry } from 'viem/chains'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type StartedNode, startNode } from '../../../mod.ts'

const TO = '0x1234567890123456789012345678901234567890'
const OTHER = '0x2234567890123456789012345678901234567890'
/** Multicall3, which reverts on a call of an unknown function. */
const MULTICALL = '0xcA11bde05977b3631167028862bE2a173976CA11'

let node: StartedNode<false>
beforeEach(async () => {
  node = await startNode({ listen: false })
})
afterEach(() => node.close())

const wallet = () => createWalletClient({ chain: foundry, transport: custom(node) })
const accountOf = async () => (await wallet().getAddresses())[0] as `0x${string}`

const batch = (fields: object) => ({
  version: '2.0.0',
  chainId: '0x7a69',
  atomicRequired: false,
  calls: [{ to: TO, value: '0x1' }],
  ...fields,
})
const codeOf = (method: string, ...params: unknown[]): Promise<unknown> =>
  node.request(method, params).then(
    (result) => result,
    ({ code }: { readonly code: number }) => code,
  )

describe('wallet calls of the dev chain', () => {
  it('send a batch for viem, and tell its status', async () => {
    const account = await accountOf()
    const client = wallet()
    const { id } = await client.sendCalls({
      account,
      calls: [
        { to: TO, value: 5n },
        { to: OTHER, value: 7n },
        {
          to: MULTICALL,
          abi: parseAbi(['function getBlockNumber() view returns (uint256)']),
          functionName: 'getBlockNumber',
        },
      ],
    })
    const status = await client.waitForCallsStatus({ id })
    expect(status).toMatchObject({ atomic: false, chainId: 31337, status: 'success', statusCode: 200, id })
    expect(status.receipts?.map(({ blockNumber, status: each }) => [blockNumber, each])).toEqual([
      [1n, 'success'],
      [2n, 'success'],
      [3n, 'success'],
    ])
    const reader = createPublicClient({ chain: foundry, transport: custom(node) })
    expect([await reader.getBalance({ address: TO }), await reader.getBalance({ address: OTHER })]).toEqual([5n, 7n])
    await client.showCallsStatus({ id })
    expect(await client.getCapabilities({ account, chainId: 31337 })).toEqual({ atomic: { status: 'unsupported' } })
  })

  it('are pending until they are mined, and tell what reverted', async () => {
    await node.request('evm_setAutomine', [false])
    const unknown = encodeFunctionData({ abi: parseAbi(['function nothing()']) })
    const reverting = { to: MULTICALL, data: unknown, gas: '0x186a0' }
    await node.request('wallet_sendCalls', [batch({ id: 'mine', calls: [{ to: TO, value: '0x1' }, { to: TO }] })])
    expect(await node.request('wallet_getCallsStatus', ['mine'])).toMatchObject({ status: 100, receipts: [] })
    expect(await codeOf('wallet_sendCalls', batch({ id: 'mine' }))).toBe(5720)
    await node.request('evm_mine')
    expect(await node.request('wallet_getCallsStatus', ['mine'])).toMatchObject({ status: 200, id: 'mine' })
    // The second call cannot be sent, because its gas cannot be estimated.
    await node.request('wallet_sendCalls', [batch({ id: 'part', calls: [{ to: TO }, reverting] })])
    await node.request('evm_mine')
    expect(await node.request('wallet_getCallsStatus', ['part'])).toMatchObject({
      status: 600,
      receipts: [{ status: '0x1' }],
    })
    expect(await codeOf('wallet_sendCalls', batch({ id: 'none', calls: [reverting] }))).toBe(3)
    expect(await codeOf('wallet_getCallsStatus', 'none')).toBe(5730)
  })

  it('refuse what the wallet cannot do', async () => {
    expect(await codeOf('wallet_sendCalls', batch({ atomicRequired: true }))).toBe(5760)
    expect(await codeOf('wallet_sendCalls', batch({ chainId: '0x1' }))).toBe(5710)
    expect(await codeOf('wallet_sendCalls', batch({ capabilities: { paymasterService: {} } }))).toBe(5700)
    const optional = { capabilities: { paymasterService: { optional: true } } }
    expect(await codeOf('wallet_sendCalls', batch(optional))).toMatchObject({ id: expect.stringMatching(/^0x/) })
    expect(await codeOf('wallet_sendCalls', batch({ calls: Array.from({ length: 101 }, () => ({ to: TO })) }))).toBe(
      5740,
    )
    for (const fields of [{ version: '1.0' }, { calls: [] }, { calls: [5] }, { id: '' }, { chainId: undefined }]) {
      expect(await codeOf('wallet_sendCalls', batch(fields))).toBe(-32602)
    }
    expect(await codeOf('wallet_showCallsStatus', 'x')).toBe(5730)
    expect(await codeOf('wallet_getCapabilities', TO)).toBe(-32000)
  })

  it('grant permissions, and know this chain only', async () => {
    const client = wallet()
    const [permission] = await client.requestPermissions({ eth_accounts: {} })
    const [caveat] = permission?.caveats ?? []
    expect(permission?.parentCapability).toBe('eth_accounts')
    expect(caveat?.value).toEqual((await client.getAddresses()).map((address) => address.toLowerCase()))
    expect(await client.getPermissions()).toEqual([permission])
    expect(await codeOf('wallet_requestPermissions', { snaps: {} })).toBe(-32602)
    expect(await codeOf('wallet_revokePermissions', { eth_accounts: {} })).toBeNull()
    await client.addChain({ chain: foundry })
    await expect(client.addChain({ chain: { ...foundry, id: 5 } })).rejects.toMatchObject({ code: 4902 })
  })
})
