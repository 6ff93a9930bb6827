// slow: long requests
/** Long work for one request yields to others, and ends when the answer is no longer awaited. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { devGenesis } from '../../../src/config/devGenesis.ts'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'
import { replyText } from '../../support/rpc/replyText.ts'

const CONTRACT = '0x00000000000000000000000000000000000000e1'
/** Returns slot 5. */
const READ_SLOT_5 = '0x60055460005260206000f3'
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`
const slots = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [word(i), word(i + 1000)]))

const opened: OpenedNode[] = []

async function open(genesis?: Record<string, unknown>): Promise<OpenedNode> {
  const node = await openDevNode({ 'rpc-profile': 'geth', 'rpc-http-api': ['ETH', 'DEV'] }, undefined, {}, genesis)
  opened.push(node)
  return node
}

afterEach(async () => {
  for (const { node } of opened.splice(0)) await node.close()
})

describe('a request with long work', () => {
  it('writes many override slots in slices, decoding them incrementally', async () => {
    const { rpc } = await open()
    const overrides = { [CONTRACT]: { code: READ_SLOT_5, stateDiff: slots(3000) } }
    expect(await rpc('eth_call', { to: CONTRACT }, 'latest', overrides)).toBe(word(1005))
    const gas = await rpc<string>('eth_estimateGas', { to: CONTRACT }, 'latest', overrides)
    expect(Number(gas)).toBeGreaterThan(21_000)
    const spoiled = { [CONTRACT]: { code: READ_SLOT_5, state: { ...slots(3000), '0x1': word(1) } } }
    await expect(rpc('eth_call', { to: CONTRACT }, 'latest', spoiled)).rejects.toMatchObject({ code: -32602 })
  })

  it('answers proofs of many slots like those of few', async () => {
    const { rpc } = await open()
    // The proofs between two checks of the clock are longer than a chunk of the answer.
    for (let i = 0; i < 100; i++) await rpc('anvil_setStorageAt', CONTRACT, word(i), word(i + 1))
    const keys = Array.from({ length: 700 }, (_, i) => word(i))
    interface Proof {
      storageProof: unknown[]
    }
    const whole = await rpc<Proof>('eth_getProof', CONTRACT, keys, 'latest')
    const parts = await Promise.all(
      [0, 350].map((from) => rpc<Proof>('eth_getProof', CONTRACT, keys.slice(from, from + 350), 'latest')),
    )
    expect(whole).toEqual({ ...parts[0], storageProof: parts.flatMap(({ storageProof }) => storageProof) })
  })

  it('mines many blocks and returns them', async () => {
    const { rpc } = await open()
    const blocks = await rpc<{ number: string }[]>('anvil_mine_detailed', { blocks: 300 })
    expect(blocks.map(({ number }) => Number(number))).toEqual(Array.from({ length: 300 }, (_, i) => i + 1))
    expect(await rpc('anvil_mine_detailed', { blocks: 0 })).toEqual([])
  })

  it.each(['hardhat_mine', 'evm_mine', 'anvil_mine_detailed'])(
    '%s ends when its client disconnects',
    async (method) => {
      // Before the merge, each empty block is executed.
      const { node, rpc } = await open({
        ...devGenesis(),
        config: { chainId: 1337, berlinBlock: 0, ethash: { fixeddifficulty: 1 } },
      })
      const param = method === 'hardhat_mine' ? '0x4e20' : { blocks: 20_000 }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [param] })
      let leave = (): void => {}
      const answer = node.endpoints.get('http').exchange.handle({
        body,
        onPending: (request) => {
          leave = () => request.abort(new DOMException('the client has left', 'AbortError'))
        },
      })
      while ((await rpc('eth_blockNumber')) === '0x0') await nextTurn()
      leave()
      expect(await replyText(await answer)).toContain('timed out')
      const head = Number(await rpc('eth_blockNumber'))
      expect(head).toBeGreaterThan(0)
      expect(head).toBeLessThan(20_000)
      await rpc('hardhat_mine', '0x1')
      expect(Number(await rpc('eth_blockNumber'))).toBe(head + 1)
    },
  )
})
