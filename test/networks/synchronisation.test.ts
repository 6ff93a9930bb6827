/** Nodes as processes that synchronise with another one on loopback. */
import { describe, expect, it } from 'vitest'
import { eventually } from '../support/host/eventually.ts'
import { needsData } from '../support/host/needsData.ts'
import { RUNTIMES, type RunningNode, runCommand, startNode, temporaryDirectory } from '../support/nodes/program.ts'
import { recordedPath } from '../support/recorded/conformance.ts'
import { WebSocketClient } from '../support/rpc/webSocketClient.ts'

const API = '--rpc-http-api=ETH,NET,ADMIN'

interface Recorded {
  readonly folder: string
  readonly blocks: number
  readonly head: string
}

const LONG: Recorded = {
  folder: 'besu/ibft-legacy',
  blocks: 958,
  head: '0xe3977f34ed64b875950883df5dd52cd576d7b927834608e3c08623008d6aa1bb',
}
const CLIQUE: Recorded = {
  folder: 'besu/clique-live',
  blocks: 32,
  head: '0xcb36fddba585be07efec9bfdc78fd87bd2b60d2b14c92a2d463cd77d886927c8',
}
const QBFT: Recorded = {
  folder: 'besu/qbft-transitions',
  blocks: 34,
  head: '0x2e8b7938b32dfdb9500e8343c116f32f7e87f58ff84b972112bdc419f77a41c2',
}

const genesisOf = ({ folder }: Recorded): string => `--genesis-file=${recordedPath(folder, 'genesis.json')}`

/** A node with the whole chain. */
async function servingNode(recorded: Recorded, folder: string): Promise<RunningNode> {
  const directory = `--data-path=${folder}/serving`
  const file = `--from=${recordedPath(recorded.folder, 'blocks.bin')}`
  const { code, stderr } = await runCommand([genesisOf(recorded), directory, 'blocks', 'import', file])
  expect(code, stderr).toBe(0)
  return startNode([genesisOf(recorded), directory, API])
}

async function follow(node: RunningNode, peer: RunningNode): Promise<void> {
  const { enode } = await peer.rpc<{ enode: string }>('admin_nodeInfo')
  expect(await node.rpc('admin_addPeer', [enode])).toBe(true)
}

async function expectHead(node: RunningNode, { blocks, head }: Recorded): Promise<void> {
  await eventually(async () => expect(Number(await node.rpc('eth_blockNumber'))).toBe(blocks))
  expect(await node.rpc('eth_getBlockByNumber', ['latest', false])).toMatchObject({ hash: head })
  await eventually(async () => expect(await node.rpc('eth_syncing')).toBe(false))
}

async function stopAll(nodes: readonly RunningNode[]): Promise<void> {
  for (const node of nodes) {
    const { code } = await node.stop()
    expect(code).toBe(0)
    expect(node.output()).not.toMatch(/ERROR|WARN +\[sync\]/)
  }
}

describe('synchronisation on loopback', () => {
  for (const runtime of RUNTIMES) {
    for (const recorded of [CLIQUE, QBFT]) {
      it(`${recorded.folder} on ${runtime}`, { timeout: 120_000 }, async () => {
        const folder = temporaryDirectory()
        const peer = await servingNode(recorded, folder)
        const node = await startNode([genesisOf(recorded), `--data-path=${folder}/new`, API], { runtime })
        await follow(node, peer)
        await expectHead(node, recorded)
        await eventually(() =>
          expect(node.output()).toContain(`in sync block=${recorded.blocks} imported=${recorded.blocks}`),
        )
        await stopAll([node, peer])
      })
    }
  }

  it('is reported to subscribers and by readiness', {
    timeout: 120_000,
    ...needsData(`${LONG.folder}/blocks.bin`),
  }, async () => {
    const folder = temporaryDirectory()
    const peer = await servingNode(LONG, folder)
    const webSocket = ['--rpc-ws-enabled', '--rpc-ws-port=0']
    const node = await startNode([genesisOf(LONG), `--data-path=${folder}/new`, API, ...webSocket])
    const readiness = async (): Promise<number> => (await fetch(`${node.url}/readiness`)).status
    expect(await readiness()).toBe(503)
    const port = Number(/ws:\/\/[^:]+:(\d+)/.exec(node.output())?.[1])
    const client = new WebSocketClient(port)
    await client.opened
    client.socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['syncing'] }))
    await eventually(() => expect(client.messages.length).toBe(1))
    await follow(node, peer)
    await expectHead(node, LONG)
    await eventually(() => expect(client.messages.length).toBe(3))
    const results = client.messages.slice(1).map((message) => JSON.parse(message).params.result)
    expect(results[0]).toMatchObject({ startingBlock: '0x0', currentBlock: '0x0', highestBlock: '0x3be' })
    expect(results[1]).toBe(false)
    await eventually(async () => expect(await readiness()).toBe(200))
    client.socket.close()
    await stopAll([node, peer])
  })
})
