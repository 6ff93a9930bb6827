import { afterEach, describe, expect, it } from 'vitest'
import { devGenesis } from '../../../src/config/devGenesis.ts'
import type { VerifiedProvider } from '../../../src/verified/contract.ts'
import { closedAfterEach } from '../../support/nodes/devNodeInMemory.ts'
import { NodeTransport } from '../../support/remote/nodeTransport.ts'
import { openVerified } from '../../support/remote/verified.ts'

const open = closedAfterEach()
const providers: VerifiedProvider[] = []
afterEach(async () => {
  for (const provider of providers.splice(0)) await provider.close()
})

/** Three remotes of one chain of five blocks. */
async function setUp(agree: number) {
  const { rpc } = await open()
  await rpc('hardhat_mine', '0x5')
  const remotes = ['a', 'b', 'c'].map((name) => new NodeTransport(rpc, `http://${name}.test`))
  const heads = remotes.map(({ origin }) => origin)
  const main = new NodeTransport(rpc)
  const openTransport = (url: string): NodeTransport => remotes.find(({ origin }) => origin === url) ?? main
  const provider = await openVerified(openTransport, { genesis: devGenesis(), trust: { heads, agree } })
  providers.push(provider)
  const hashOf = async (number: number): Promise<string> =>
    (await rpc<{ hash: string }>('eth_getBlockByNumber', `0x${number.toString(16)}`, false)).hash
  return { rpc, provider, remotes: remotes as [NodeTransport, NodeTransport, NodeTransport], hashOf }
}

/** Answers about the head as if block `number` were the newest. */
const stoppedAt =
  (rpc: (method: string, ...params: readonly unknown[]) => Promise<unknown>, number: string): NodeTransport['lie'] =>
  (_, [block], result) =>
    block === 'latest' ? rpc('eth_getBlockByNumber', number, false) : result

describe('heads on which remotes agree', () => {
  it('are those of all', async () => {
    const { provider, hashOf } = await setUp(3)
    expect(await provider.head()).toEqual({ number: 5, hash: await hashOf(5) })
    expect(await provider.request('eth_blockNumber')).toBe('0x5')
  })

  it('are the newest that enough of them have', async () => {
    const { rpc, provider, remotes, hashOf } = await setUp(2)
    remotes[0].lie = stoppedAt(rpc, '0x3')
    remotes[1].lie = stoppedAt(rpc, '0x2')
    expect(await provider.head()).toEqual({ number: 3, hash: await hashOf(3) })
  })

  it('do without one that lies or does not answer', async () => {
    const { provider, remotes } = await setUp(2)
    remotes[0].lie = (_, __, result) => ({ ...(result as object), stateRoot: `0x${'1'.repeat(64)}` })
    expect(await provider.head()).toMatchObject({ number: 5 })
  })

  it('are refused when too few agree', async () => {
    const { rpc, provider, remotes } = await setUp(2)
    const other = await open()
    await other.rpc('hardhat_setCode', `0x${'5'.repeat(40)}`, '0x01')
    await other.rpc('hardhat_mine', '0x5')
    remotes[0].lie = (_, params) => other.rpc('eth_getBlockByNumber', ...params)
    remotes[1].lie = () => null
    expect(await rpc('eth_blockNumber')).toBe('0x5')
    await expect(provider.head()).rejects.toMatchObject({ code: 'HEAD_UNTRUSTED' })
  })
})
