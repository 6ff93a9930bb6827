/** A miner with its own ethash gets work from this node over JSON-RPC and over both dialects of Stratum. */

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needsTool } from '../support/host/needs.ts'
import { type RunningNode, startNode, temporaryDirectory } from '../support/nodes/program.ts'
import { freePorts, height, isInstalled, PEERS, PEERS_CACHE, runToEnd, waitForHeight } from './realPeers.ts'

const COINBASE = '0x1111111111111111111111111111111111111111'
const PYTHON = path.join(PEERS_CACHE, 'ethash-py/bin/python')
const BLOCKS = 3
const GENESIS = JSON.stringify({
  config: { chainId: 1337, londonBlock: 0, ethash: { fixeddifficulty: 200 } },
  difficulty: '0xc8',
  gasLimit: '0x1c9c380',
  baseFeePerGas: '0x7',
  alloc: {},
})

describe('a miner outside the node', needsTool('ethash-py', isInstalled('ethash-py')), () => {
  const port = freePorts()
  let node: RunningNode

  beforeAll(async () => {
    const directory = temporaryDirectory()
    const genesis = path.join(directory, 'genesis.json')
    writeFileSync(genesis, GENESIS)
    node = await startNode([
      `--genesis-file=${genesis}`,
      `--data-path=${directory}/data`,
      '--rpc-http-api=ETH,NET,MINER',
      '--miner-enabled',
      `--miner-coinbase=${COINBASE}`,
      '--miner-stratum-enabled',
      '--miner-stratum-host=127.0.0.1',
      `--miner-stratum-port=${port}`,
    ])
  }, 60_000)

  afterAll(async () => {
    expect((await node.stop()).code).toBe(0)
    expect(node.output()).not.toContain('ERROR')
  })

  it.each(['getwork', 'stratum1', 'ethproxy'])('seals blocks with %s', async (protocol) => {
    const before = await height(node)
    const where = protocol === 'getwork' ? node.url : `127.0.0.1:${port}`
    const output = await runToEnd(PYTHON, [path.join(PEERS, 'miner.py'), protocol, where, `${BLOCKS}`])
    console.log(protocol, output.trim().split('\n').at(-1))
    expect(output.match(/^accepted/gm)).toHaveLength(BLOCKS)
    // A block is stored some time after its solution was accepted.
    await waitForHeight(node, before + BLOCKS)
    expect(await node.rpc('eth_getBlockByNumber', ['latest', false])).toMatchObject({ miner: COINBASE })
  })
})
