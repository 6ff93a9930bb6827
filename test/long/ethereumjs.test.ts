/** The client of EthereumJS finds this node by discovery v4 and fetches its chain of Clique. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { privateKeyToAddress } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { needsTool } from '../support/host/needs.ts'
import { startNode, temporaryDirectory } from '../support/nodes/program.ts'
import {
  enodeOf,
  expectOneBlock,
  FIRST_KEY,
  freePorts,
  genesisFile,
  height,
  isInstalled,
  PEERS_CACHE,
  rpcAsJson,
  run,
  soon,
  waitForHeight,
} from './realPeers.ts'

const SIGNER = privateKeyToAddress(FIRST_KEY)
const COMMAND = path.join(PEERS_CACHE, 'ethereumjs/node_modules/.bin/ethereumjs')

/** The genesis with one signer. */
function ownGenesis(directory: string): string {
  const genesis = JSON.parse(readFileSync(genesisFile('clique.json'), 'utf8'))
  genesis.extraData = `0x${'00'.repeat(32)}${SIGNER.slice(2).toLowerCase()}${'00'.repeat(65)}`
  const file = path.join(directory, 'genesis.json')
  writeFileSync(file, JSON.stringify(genesis))
  return file
}

describe('the client of EthereumJS', needsTool('EthereumJS', isInstalled('ethereumjs')), () => {
  it('fetches the chain of a signer of Clique, also after a restart', { timeout: 400_000 }, async () => {
    const directory = temporaryDirectory()
    const genesis = ownGenesis(directory)
    const keyFile = path.join(directory, 'key')
    writeFileSync(keyFile, FIRST_KEY.slice(2))
    const port = freePorts()
    const node = await startNode([
      `--genesis-file=${genesis}`,
      `--data-path=${directory}/data`,
      `--node-private-key-file=${keyFile}`,
      '--rpc-http-api=ETH,NET,ADMIN',
      '--p2p-interface=127.0.0.1',
      `--p2p-port=${port}`,
    ])
    const client = {
      rpc: <T>(method: string, params?: readonly unknown[]) =>
        rpcAsJson<T>(`http://127.0.0.1:${port + 2}`, method, params),
    }
    await waitForHeight(node, 3)
    for (let life = 0; life < 2; life++) {
      const number = await height(node)
      const { child, output } = run(COMMAND, [
        `--gethGenesis=${genesis}`,
        `--dataDir=${directory}/ethereumjs`,
        `--bootnodes=${await enodeOf(node)}`,
        `--port=${port + 1}`,
        '--extIP=127.0.0.1',
        '--rpc',
        `--rpcPort=${port + 2}`,
        '--minPeers=1',
      ])
      // The client does not catch up when it misses an announced block, so only its first synchronisation is certain.
      await soon(async () => expect(await height(client), output()).toBeGreaterThanOrEqual(number))
      await expectOneBlock([node, client], number)
      const [peer] = await node.rpc<{ name: string }[]>('admin_peers')
      expect(peer?.name).toMatch(/^EthereumJS\//)
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
    }
    expect((await node.stop()).code).toBe(0)
    expect(node.output()).not.toContain('ERROR')
  })
})
