/** State dumps are exchanged with anvil. */
import { type ChildProcess, spawn } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { needsTool } from '../../support/host/needs.ts'
import { foundryTool } from '../../support/host/tools.ts'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'

const ANVIL = foundryTool('anvil')

const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const STRANGER = '0x00000000000000000000000000000000000000aa'
/** Stores a word and emits a log. */
const CREATION = '0x602a600055600060006000a160016000f3'

type Rpc = <T = unknown>(method: string, ...params: readonly unknown[]) => Promise<T>

async function makeHistory(rpc: Rpc): Promise<string[]> {
  const hashes: string[] = []
  const send = async (transaction: object) => hashes.push(await rpc<string>('eth_sendTransaction', transaction))
  await send({ from: ALICE, to: STRANGER, value: '0x7' })
  await send({ from: ALICE, data: CREATION })
  await send({ from: ALICE, to: STRANGER, value: '0x1', gasPrice: '0x77359400' })
  await rpc('anvil_impersonateAccount', STRANGER)
  await rpc('anvil_setBalance', STRANGER, '0xde0b6b3a7640000')
  await send({ from: STRANGER, to: ALICE, value: '0x1' })
  return hashes
}

/** The answers that both nodes give in the same form. */
async function seen(rpc: Rpc, hashes: readonly string[]): Promise<unknown> {
  const transactions = []
  for (const hash of hashes) {
    const { from, to, value, nonce, blockHash, type } = await rpc<Record<string, unknown>>(
      'eth_getTransactionByHash',
      hash,
    )
    const receipt = await rpc<Record<string, unknown>>('eth_getTransactionReceipt', hash)
    const { status, gasUsed, contractAddress, logs } = receipt
    transactions.push({
      from,
      to,
      value,
      nonce,
      blockHash,
      type,
      status,
      gasUsed,
      contractAddress,
      logs: (logs as []).length,
    })
  }
  const head = await rpc<Record<string, unknown>>('eth_getBlockByNumber', 'latest', false)
  const logs = await rpc<unknown[]>('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' })
  const balance = await rpc('eth_getBalance', STRANGER, 'latest')
  return { transactions, number: head['number'], hash: head['hash'], balance, logs: logs.length }
}

describe('a state dump', needsTool('anvil', ANVIL), () => {
  let anvil: ChildProcess
  let anvilRpc: Rpc
  let node: OpenedNode

  beforeAll(async () => {
    anvil = spawn(ANVIL as string, ['--port', '0'], { stdio: ['ignore', 'pipe', 'ignore'] })
    let printed = ''
    anvil.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
    })
    const url = await vi.waitFor(
      () => {
        const match = /Listening on (\S+)/.exec(printed)
        if (match === null) throw new Error(printed)
        return `http://${match[1]}`
      },
      { timeout: 20_000, interval: 20 },
    )
    anvilRpc = async <T>(method: string, ...params: readonly unknown[]) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
      const { result, error } = (await response.json()) as { result: T; error?: { message: string } }
      if (error !== undefined) throw new Error(error.message)
      return result
    }
    node = await openDevNode()
  })
  afterAll(async () => {
    anvil.kill()
    await node.node.close()
  })

  it('goes from this node to anvil, and from anvil to this node', async () => {
    const [ours, theirs] = [await makeHistory(node.rpc), await makeHistory(anvilRpc)]
    const [ourDump, theirDump] = [await node.rpc('anvil_dumpState'), await anvilRpc('anvil_dumpState')]
    const [ourSight, theirSight] = [await seen(node.rpc, ours), await seen(anvilRpc, theirs)]
    expect(await anvilRpc('anvil_loadState', ourDump)).toBe(true)
    expect(await seen(anvilRpc, ours)).toEqual(ourSight)
    expect(await node.rpc('anvil_loadState', theirDump)).toBe(true)
    expect(await seen(node.rpc, theirs)).toEqual(theirSight)

    // The chain continues, and its dump has the states from the loaded one on.
    await node.rpc('eth_sendTransaction', { from: ALICE, to: STRANGER, value: '0x1' })
    await expect(node.rpc('anvil_rollback', 2)).rejects.toThrow('the state after block 3 is not available')
    const grown = await seen(node.rpc, theirs)
    const again = await openDevNode()
    await again.rpc('anvil_loadState', await node.rpc('anvil_dumpState'))
    expect(await seen(again.rpc, theirs)).toEqual(grown)
    await again.rpc('anvil_rollback', 1)
    expect(await seen(again.rpc, theirs)).toEqual(theirSight)
    await again.node.close()
    await node.rpc('anvil_reset')
    expect(await node.rpc('eth_blockNumber')).toBe('0x0')
    await node.rpc('eth_sendTransaction', { from: ALICE, to: STRANGER, value: '0x1' })
    expect(await node.rpc('eth_getBalance', STRANGER, 'latest')).toBe('0x1')
  })
})
