import { createPublicClient, createWalletClient, custom, encodeFunctionData, parseAbi, zeroAddress } from 'viem'
import { foundry } from 'viem/chains'
import { erc7821Actions, supportsExecutionMode } from 'viem/experimental/erc7821'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type StartedNode, startNode } from '../../../mod.ts'
import { BATCH_EXECUTOR } from '../../../src/config/predeploys.ts'
import { compileContract } from '../../support/evm/solidity.ts'

const TO = '0x1234567890123456789012345678901234567890'
const OTHER = '0x2234567890123456789012345678901234567890'
const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
const DELEGATION = `0xef0100${BATCH_EXECUTOR.slice(2)}`
const { abi: tokenAbi, bytecode } = compileContract('Token')

type Options = NonNullable<Parameters<typeof startNode>[0]>

async function open(options: Options = { predeploys: ['batch-executor', 'multicall3', 'permit2'] }) {
  const node = await startNode({ ...options, listen: false })
  onTestFinished(() => node.close())
  const transport = custom(node)
  const wallet = createWalletClient({ chain: foundry, transport })
  const [account, second] = (await wallet.getAddresses()) as [`0x${string}`, `0x${string}`]
  const reader = createPublicClient({ chain: foundry, transport })
  const deployed = async () => {
    const hash = await wallet.deployContract({ account, abi: tokenAbi, bytecode, args: [1000n] })
    return (await reader.getTransactionReceipt({ hash })).contractAddress as `0x${string}`
  }
  const atomicity = async (of: `0x${string}` = account) => {
    const { atomic } = await wallet.getCapabilities({ account: of, chainId: 31337 })
    return atomic?.status
  }
  return { node, wallet, reader, account, second, deployed, atomicity }
}

const codeOf = (node: StartedNode<false>, method: string, ...params: unknown[]): Promise<unknown> =>
  node.request(method, params).then(
    (result) => result,
    ({ code }: { readonly code: number }) => code,
  )

const batch = (fields: object) => ({
  version: '2.0.0',
  chainId: '0x7a69',
  atomicRequired: true,
  calls: [{ to: TO, value: '0x1' }],
  ...fields,
})

describe('an atomic batch', () => {
  it('delegates the account and is one transaction', async () => {
    const { wallet, reader, account, deployed, atomicity } = await open()
    const token = await deployed()
    expect(await atomicity()).toBe('ready')
    const transfer = (amount: bigint) =>
      ({ to: token, abi: tokenAbi, functionName: 'transfer', args: [OTHER, amount] }) as const
    const { id } = await wallet.sendCalls({
      account,
      forceAtomic: true,
      calls: [{ to: TO, value: 5n }, transfer(7n), transfer(8n)],
    })
    const status = await wallet.waitForCallsStatus({ id })
    expect(status).toMatchObject({ atomic: true, status: 'success', statusCode: 200 })
    expect(status.receipts?.map(({ blockNumber, logs }) => [blockNumber, logs.length])).toEqual([[2n, 2]])
    expect(await reader.getBalance({ address: TO })).toBe(5n)
    expect(await reader.readContract({ address: token, abi: tokenAbi, functionName: 'balanceOf', args: [OTHER] })).toBe(
      15n,
    )
    expect(await reader.getCode({ address: account })).toBe(DELEGATION)
    expect(await atomicity()).toBe('supported')
    const hash = status.receipts?.[0]?.transactionHash as `0x${string}`
    expect(await reader.getTransaction({ hash })).toMatchObject({
      type: 'eip7702',
      to: account.toLowerCase(),
      value: 0n,
    })
  })

  it('is how a delegated account sends every batch that its contract can express', async () => {
    const { wallet, account } = await open()
    const send = async (forceAtomic: boolean, ...calls: { to?: `0x${string}`; data?: `0x${string}` }[]) => {
      const { id } = await wallet.sendCalls({ account, forceAtomic, calls: calls as never })
      const { atomic, receipts, status } = await wallet.waitForCallsStatus({ id })
      return [status, atomic, receipts?.length]
    }
    expect(await send(false, { to: TO }, { to: OTHER })).toEqual(['success', false, 2])
    expect(await send(true, { to: TO }, { to: OTHER })).toEqual(['success', true, 1])
    expect(await send(false, { to: TO }, { to: OTHER })).toEqual(['success', true, 1])
    expect(await send(false, { to: TO }, { to: zeroAddress })).toEqual(['success', false, 2])
    expect(await send(false, { data: '0x00' }, { to: TO })).toEqual(['success', false, 2])
  })

  it('reverts as a whole', async () => {
    const { node, wallet, reader, account, deployed } = await open()
    const token = await deployed()
    const tooMuch = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [OTHER, 2000n] })
    const calls = [
      { to: TO, value: '0x5' },
      { to: token, data: tooMuch },
    ]
    // The gas cannot be estimated: the error has the data of the failing call.
    await expect(node.request('wallet_sendCalls', [batch({ calls })])).rejects.toMatchObject({
      code: 3,
      data: expect.stringContaining('0xdb42144d'),
    })
    expect(await reader.getCode({ address: account })).toBeUndefined()

    await node.request('evm_setAutomine', [false])
    const all = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [OTHER, 1000n] })
    const drain = {
      calls: [
        { to: TO, value: '0x5' },
        { to: token, data: all },
      ],
    }
    await node.request('wallet_sendCalls', [batch({ id: 'first', ...drain })])
    await node.request('wallet_sendCalls', [batch({ id: 'second', ...drain })])
    expect(await node.request('wallet_getCallsStatus', ['second'])).toMatchObject({ status: 100, atomic: true })
    // The delegation uses a nonce, too: the second transaction is in the next block.
    for (let blocks = 0; blocks < 2; blocks++) await node.request('evm_mine')
    expect(await wallet.getCallsStatus({ id: 'first' })).toMatchObject({ status: 'success', atomic: true })
    expect(await wallet.getCallsStatus({ id: 'second' })).toMatchObject({
      status: 'failure',
      statusCode: 500,
      atomic: true,
      receipts: [{ status: 'reverted', logs: [] }],
    })
    expect(await reader.getBalance({ address: TO })).toBe(5n)
  })

  it('needs the executor on the chain, or a delegation of the account', async () => {
    const { node, wallet, account, second, atomicity } = await open({})
    expect(await atomicity()).toBe('unsupported')
    await expect(node.request('wallet_sendCalls', [batch({})])).rejects.toMatchObject({
      code: 5760,
      message: expect.stringContaining('--predeploys=batch-executor'),
    })
    // Another contract with the interface, at any address.
    const { deployedBytecode } = compileContract('BatchExecutor')
    await node.request('anvil_setCode', [OTHER, deployedBytecode])
    expect(await atomicity()).toBe('unsupported')
    await node.request('anvil_setCode', [account, `0xef0100${OTHER.slice(2)}`])
    expect(await atomicity()).toBe('supported')
    expect(await atomicity(second)).toBe('unsupported')
    const { id } = await wallet.sendCalls({ account, forceAtomic: true, calls: [{ to: TO, value: 1n }, { to: TO }] })
    expect(await wallet.waitForCallsStatus({ id })).toMatchObject({ atomic: true, status: 'success' })
    // Delegated to a contract without the interface.
    await node.request('anvil_setCode', [second, `0xef0100${TO.slice(2)}`])
    expect(await atomicity(second)).toBe('unsupported')
    expect(await codeOf(node, 'wallet_sendCalls', batch({ from: second }))).toBe(5760)
  })

  it('is unsupported before Prague, and for an account without its key', async () => {
    const old = await open({ hardfork: 'cancun', predeploys: ['batch-executor'] } as Options)
    expect(await old.atomicity()).toBe('unsupported')
    const { node, atomicity } = await open()
    await node.request('anvil_impersonateAccount', [TO])
    expect(await atomicity(TO)).toBe('unsupported')
  })

  it('refuses calls that the executor cannot make', async () => {
    const { node } = await open()
    const problem = { code: -32602, parameter: 'batch.calls[1].to' }
    const zero = { calls: [{ to: TO }, { to: zeroAddress, value: '0x1' }] }
    await expect(node.request('wallet_sendCalls', [batch(zero)])).rejects.toMatchObject(problem)
    const creation = { calls: [{ to: TO }, { data: '0x00' }] }
    await expect(node.request('wallet_sendCalls', [batch(creation)])).rejects.toMatchObject(problem)
  })

  it('leaves transactions after it their nonces while it waits', async () => {
    const { node, reader, account } = await open()
    await node.request('evm_setAutomine', [false])
    for (const id of ['first', 'second']) await node.request('wallet_sendCalls', [batch({ id })])
    await node.request('eth_sendTransaction', [{ from: account, to: OTHER, value: '0x3' }])
    for (let blocks = 0; blocks < 3; blocks++) await node.request('evm_mine')
    expect(await reader.getBalance({ address: OTHER })).toBe(3n)
    for (const id of ['first', 'second']) {
      expect(await node.request('wallet_getCallsStatus', [id])).toMatchObject({ status: 200, atomic: true })
    }
    expect(await reader.getBalance({ address: TO })).toBe(2n)
  })
})

describe('the batch executor', () => {
  it('is at the address of the CREATE2 deployer, and answers the ERC-7821 actions of viem', async () => {
    const { node, wallet, account, reader } = await open()
    const client = wallet.extend(erc7821Actions())
    expect(await supportsExecutionMode(client, { address: BATCH_EXECUTOR })).toBe(true)
    for (const mode of ['opData', 'batchOfBatches'] as const) {
      expect(await supportsExecutionMode(client, { address: BATCH_EXECUTOR, mode })).toBe(false)
    }
    await node.request('wallet_sendCalls', [batch({})])
    const hash = await client.execute({ account, address: account, calls: [{ to: OTHER, value: 3n }, { to: OTHER }] })
    expect((await reader.getTransactionReceipt({ hash })).status).toBe('success')
    expect(await reader.getBalance({ address: OTHER })).toBe(3n)
  })

  it('obeys the account alone', async () => {
    const { node, wallet, account, second } = await open()
    await node.request('wallet_sendCalls', [batch({})])
    const client = wallet.extend(erc7821Actions())
    await expect(
      client.execute({ account: second, address: account, calls: [{ to: second, value: 1n }] }),
    ).rejects.toThrow()
    const { abi } = compileContract('BatchExecutor')
    const call = { address: BATCH_EXECUTOR, abi, functionName: 'execute' } as const
    const mode = `0x01${'00'.repeat(31)}`
    const reader = createPublicClient({ chain: foundry, transport: custom(node) })
    await expect(reader.simulateContract({ ...call, args: [mode, '0x'], account })).rejects.toThrow('Unauthorized')
    await expect(reader.simulateContract({ ...call, args: [`0x00${'00'.repeat(31)}`, '0x'], account })).rejects.toThrow(
      'UnsupportedExecutionMode',
    )
  })

  it('leaves the account its signatures, ether and tokens', async () => {
    const { node, wallet, reader, account, second } = await open()
    await node.request('wallet_sendCalls', [batch({})])
    const message = 'hello'
    const signature = await wallet.signMessage({ account, message })
    expect(await reader.verifyMessage({ address: account, message, signature })).toBe(true)
    const foreign = await wallet.signMessage({ account: second, message })
    expect(await reader.verifyMessage({ address: account, message, signature: foreign })).toBe(false)
    const before = await reader.getBalance({ address: account })
    await wallet.sendTransaction({ account: second, to: account, value: 9n, data: '0x12345678' })
    expect((await reader.getBalance({ address: account })) - before).toBe(9n)
    const receive = parseAbi(['function onERC721Received(address,address,uint256,bytes) view returns (bytes4)'])
    const args = [PERMIT2, PERMIT2, 1n, '0x'] as const
    expect(await reader.readContract({ address: account, abi: receive, functionName: 'onERC721Received', args })).toBe(
      '0x150b7a02',
    )
  })
})
