import { createWalletClient, custom, http } from 'viem'
import { foundry } from 'viem/chains'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type StartedNode, startNode } from '../../../mod.ts'

const TOKEN = '0x1234567890123456789012345678901234567890'
const ASSET = { type: 'ERC20', options: { address: TOKEN, symbol: 'TOK', decimals: 18 } }

let node: StartedNode<true>
beforeEach(async () => {
  node = await startNode({ port: 0 })
})
afterEach(() => node.close())

const post = async (
  body: object,
): Promise<{ readonly result?: unknown; readonly error?: { readonly code: number } }> => {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(node.url, { method: 'POST', headers, body: JSON.stringify(body) })).json() as never
}
const watch = (options: object, type: unknown = 'ERC20'): Promise<unknown> =>
  node.request({ method: 'wallet_watchAsset', params: { type, options } })

describe('wallet_watchAsset', () => {
  it.each(['of the provider', 'over HTTP'])('accepts the request of viem %s', async (way) => {
    const transport = way === 'over HTTP' ? http(node.url) : custom(node)
    const client = createWalletClient({ chain: foundry, transport })
    const image = 'https://example.org/token.png'
    expect(
      await client.watchAsset({ type: 'ERC20', options: { address: TOKEN, symbol: 'TOK', decimals: 18, image } }),
    ).toBe(true)
  })

  it('takes an object or an array with it, alone and in a batch', async () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'wallet_watchAsset' }
    expect(await post({ ...call, params: ASSET })).toMatchObject({ result: true })
    expect(await post({ ...call, params: [ASSET] })).toMatchObject({ result: true })
    expect(await post([{ ...call, params: ASSET }])).toMatchObject([{ result: true }])
    expect(await post({ ...call, params: {} })).toMatchObject({ error: { code: -32602 } })
    expect(await post({ ...call })).toMatchObject({ error: { code: -32602 } })
  })

  it('leaves an object an error of the methods that do not declare it', async () => {
    const answer = await post({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: ASSET })
    expect(answer).toMatchObject({ error: { code: -32602 } })
    await expect(node.request('wallet_addEthereumChain', { chainId: '0x7a69' })).rejects.toMatchObject({ code: -32602 })
  })

  it.each([
    [{ address: '0x12' }, 'options.address'],
    [{ symbol: 'TOK' }, 'options.address'],
    [{ address: TOKEN, symbol: 'TWELVELETTER' }, 'options.symbol'],
    [{ address: TOKEN, symbol: '' }, 'options.symbol'],
    [{ address: TOKEN, decimals: 37 }, 'options.decimals'],
    [{ address: TOKEN, decimals: '1.5' }, 'options.decimals'],
    [{ address: TOKEN, image: 'token.png' }, 'options.image'],
    [{ address: TOKEN, image: 'javascript:alert(1)' }, 'options.image'],
  ])('refuses %j and names %s', async (options, path) => {
    await expect(watch(options)).rejects.toMatchObject({ code: -32602, parameter: `asset.${path}` })
  })

  it('accepts decimals as text, and tokens of other kinds', async () => {
    expect(await watch({ address: TOKEN, decimals: '36' })).toBe(true)
    expect(await watch({ address: TOKEN, tokenId: '1' }, 'ERC721')).toBe(true)
    await expect(watch({ address: TOKEN }, 'ERC777')).rejects.toMatchObject({ code: -32602, parameter: 'asset.type' })
  })
})
