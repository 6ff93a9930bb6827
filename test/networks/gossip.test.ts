/** Nodes as processes that exchange blocks, transactions and votes on loopback. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { KeySigner } from '../../src/base/ports/keySigner.ts'
import { bytesToHex, bytesToHexUnprefixed } from '../../src/base/primitives/bytes.ts'
import { eventually } from '../support/host/eventually.ts'
import { cliqueGenesis } from '../support/nodes/cliqueNode.ts'
import { ALICE, signed } from '../support/nodes/devChain.ts'
import { type RunningNode, runCommand, startNode, temporaryDirectory } from '../support/nodes/program.ts'

const API = '--rpc-http-api=ETH,NET,ADMIN,TXPOOL,QBFT,MINER'
const KEY = new Uint8Array(32).fill(0x5a)
const SIGNER = new KeySigner(KEY)

const FIXED_DIFFICULTY = JSON.stringify({
  config: { chainId: 1337, londonBlock: 0, ethash: { fixeddifficulty: 100 } },
  difficulty: '0x1',
  gasLimit: '0x1c9c380',
  baseFeePerGas: '0x7',
  alloc: { [ALICE.address]: { balance: '0x3635c9adc5dea00000' } },
})

function written(folder: string, name: string, text: string): string {
  const file = path.join(folder, name)
  writeFileSync(file, text)
  return file
}

const height = async (node: RunningNode): Promise<number> => Number(await node.rpc('eth_blockNumber'))
const enode = async (node: RunningNode): Promise<string> => (await node.rpc<{ enode: string }>('admin_nodeInfo')).enode

async function connect(node: RunningNode, peer: RunningNode): Promise<void> {
  expect(await node.rpc('admin_addPeer', [await enode(peer)])).toBe(true)
}

async function expectPeers(node: RunningNode, count: number): Promise<void> {
  await eventually(async () => expect(Number(await node.rpc('net_peerCount'))).toBe(count))
}

/** Both have one block at the height of the lower one. */
async function expectOneChain(nodes: readonly RunningNode[], least: number): Promise<void> {
  for (const node of nodes) {
    await eventually(async () => expect(await height(node)).toBeGreaterThanOrEqual(least))
  }
  const hashes = new Set<string>()
  for (const node of nodes) {
    const block = await node.rpc<{ hash: string }>('eth_getBlockByNumber', [`0x${least.toString(16)}`, false])
    hashes.add(block.hash)
  }
  expect(hashes.size).toBe(1)
}

async function stopAll(nodes: readonly RunningNode[]): Promise<void> {
  for (const node of nodes) {
    const { code } = await node.stop()
    expect(code).toBe(0)
    expect(node.output()).not.toContain('ERROR')
  }
}

describe('nodes on loopback', () => {
  it('exchange transactions and mined blocks of proof of work', { timeout: 120_000 }, async () => {
    const folder = temporaryDirectory()
    const genesis = `--genesis-file=${written(folder, 'genesis.json', FIXED_DIFFICULTY)}`
    const [a, b] = [
      await startNode([
        genesis,
        API,
        `--data-path=${folder}/a`,
        '--miner-coinbase=0x1111111111111111111111111111111111111111',
      ]),
      await startNode([genesis, API, `--data-path=${folder}/b`]),
    ]
    await connect(a, b)
    await expectPeers(b, 1)
    const raw = bytesToHex(await signed(ALICE, { nonce: 0, chainId: 1337 } as never))
    const hash = await a.rpc<string>('eth_sendRawTransaction', [raw])
    await eventually(async () => {
      const pool =
        await b.rpc<readonly { hash: string; isReceivedFromLocalSource: boolean }[]>('txpool_besuTransactions')
      expect(pool).toMatchObject([{ hash, isReceivedFromLocalSource: false }])
    })
    await a.rpc('miner_start')
    await expectOneChain([a, b], 3)
    await a.rpc('miner_stop')
    expect(await b.rpc('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
    await eventually(async () => expect(await b.rpc('txpool_besuTransactions')).toEqual([]))
    await stopAll([a, b])
  })

  it('follow a signer of Clique', { timeout: 120_000 }, async () => {
    const folder = temporaryDirectory()
    const genesis = `--genesis-file=${written(folder, 'genesis.json', cliqueGenesis([SIGNER], { blockperiodseconds: 1 }))}`
    const key = `--node-private-key-file=${written(folder, 'key', bytesToHexUnprefixed(KEY))}`
    const [a, b] = [
      await startNode([genesis, key, API, `--data-path=${folder}/a`]),
      await startNode([genesis, API, `--data-path=${folder}/b`]),
    ]
    await connect(b, a)
    const reached = (await height(a)) + 3
    await expectOneChain([a, b], reached)
    const raw = bytesToHex(await signed(ALICE, { nonce: 0, chainId: 2128 } as never))
    const hash = await b.rpc<string>('eth_sendRawTransaction', [raw])
    await eventually(async () => {
      expect(await a.rpc('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
    })
    await stopAll([a, b])
  })

  it('agree on blocks as four validators of QBFT', { timeout: 180_000 }, async () => {
    const folder = temporaryDirectory()
    const configuration = {
      genesis: {
        config: {
          chainId: 1337,
          londonBlock: 0,
          qbft: { blockperiodseconds: 1, epochlength: 30_000, requesttimeoutseconds: 4 },
        },
        nonce: '0x0',
        gasLimit: '0x1fffffffffffff',
        difficulty: '0x1',
        mixHash: '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365',
        coinbase: '0x0000000000000000000000000000000000000000',
        alloc: { [ALICE.address]: { balance: '0x3635c9adc5dea00000' } },
      },
      blockchain: { nodes: { generate: true, count: 4 } },
    }
    const file = written(folder, 'config.json', JSON.stringify(configuration))
    const to = path.join(folder, 'network')
    const { code, stderr } = await runCommand([
      'operator',
      'generate-blockchain-config',
      `--config-file=${file}`,
      `--to=${to}`,
    ])
    expect(code, stderr).toBe(0)
    const keys = readdirSync(path.join(to, 'keys')).map((name) => path.join(to, 'keys', name, 'key.priv'))
    expect(readFileSync(keys[0] as string, 'utf8').length).toBeGreaterThan(60)
    const nodes: RunningNode[] = []
    for (const [i, key] of keys.entries()) {
      const args = [
        `--genesis-file=${to}/genesis.json`,
        `--node-private-key-file=${key}`,
        `--data-path=${folder}/${i}`,
        API,
      ]
      nodes.push(await startNode(args))
    }
    for (const [i, node] of nodes.entries()) {
      for (const peer of nodes.slice(0, i)) await connect(node, peer)
    }
    for (const node of nodes) await expectPeers(node, 3)
    await expectOneChain(nodes, 5)
    const raw = bytesToHex(await signed(ALICE, { nonce: 0, chainId: 1337 } as never))
    const [first, , last] = nodes as [RunningNode, RunningNode, RunningNode, RunningNode]
    const hash = await first.rpc<string>('eth_sendRawTransaction', [raw])
    await eventually(async () => {
      expect(await last.rpc('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
    })
    await stopAll(nodes)
  })
})
