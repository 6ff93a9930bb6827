/**
 * The conformance tests of go-ethereum's `devp2p` tool for chains of proof of stake, against the built node: eth, and snap. Needs
 * the tools and their chains in `$PEERS_CACHE` (default: .cache/peers).
 * @module
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { needsTool } from '../support/host/needs.ts'
import { type RunningNode, runCommand, startNode, temporaryDirectory } from '../support/nodes/program.ts'
import { runTool } from './devp2pTool.ts'
import { enodeOf, isInstalled, PEERS_CACHE } from './realPeers.ts'

const SECRET = `0x${'a5'.repeat(32)}`
/** The tool sends 2,000 transactions of one account. */
const POOL = ['--min-gas-price=0', '--tx-pool-limit-by-account-percentage=1']

const folderOf = (version: string): string => path.join(PEERS_CACHE, `geth-${version}`)

let node: RunningNode | undefined
let engine: Server | undefined

afterEach(async () => {
  engine?.close()
  await node?.stop()
})

/** The chain is imported before, so the tool's calls of the Engine API only have to succeed. @returns its URL */
function startEngine(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      response.setHeader('content-type', 'application/json')
      response.end('{"jsonrpc":"2.0","id":1,"result":{"payloadStatus":{"status":"VALID"}}}')
    })
  })
  engine = server
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  })
}

async function startWithChain(chain: string): Promise<string> {
  const fileOf = (name: string): string => path.join(folderOf(chain), 'testdata', name)
  const options = [`--genesis-file=${fileOf('genesis.json')}`, `--data-path=${temporaryDirectory()}`]
  const args = ['blocks', 'import', `--from=${fileOf('chain.rlp')}`, '--skip-pow-validation-enabled']
  const { code, stderr } = await runCommand([...options, ...args])
  expect([code, stderr]).toEqual([0, ''])
  node = await startNode([...options, ...POOL, '--rpc-http-api=ETH,NET,ADMIN'])
  return enodeOf(node)
}

/** Messages of eth/70 and later, which the tool takes for granted. */
const LATER_ETH = [
  'GetBlockAccessLists',
  'Transaction',
  'InvalidTxs',
  'NewPooledTxs',
  'BlobViolations',
  'TestBlobTxWithoutSidecar',
  'TestBlobTxWithMismatchedSidecar',
]
/** The chain of 1.17.6 reaches Amsterdam, so its tool gets the chain of 1.16.9. Its snap suite knows only its own states. */
const SUITES = [
  { version: '1.13.15', chain: '1.13.15', suite: 'eth-test', tests: 13, not: [] },
  { version: '1.13.15', chain: '1.13.15', suite: 'snap-test', tests: 5, not: [] },
  { version: '1.16.9', chain: '1.16.9', suite: 'eth-test', tests: 19, not: [] },
  { version: '1.16.9', chain: '1.16.9', suite: 'snap-test', tests: 5, not: [] },
  { version: '1.17.6', chain: '1.16.9', suite: 'eth-test', tests: 17, not: LATER_ETH },
]

describe.each(SUITES)('devp2p $version, chain of $chain', ({ version, chain, suite, tests, not }) => {
  const isReady = isInstalled(`geth-${version}`, `geth-${chain}`)
  it(`${suite} passes ${tests} tests`, { timeout: 300_000, ...needsTool(`geth ${version}`, isReady) }, async () => {
    const enode = await startWithChain(chain)
    const url = await startEngine()
    const tool = path.join(folderOf(version), 'bin/devp2p')
    const from = ['--chain', path.join(folderOf(chain), 'testdata'), '--node', enode.replace('?discport=0', '')]
    const output = await runTool(tool, ['rlpx', suite, '--tap', ...from, '--engineapi', url, '--jwtsecret', SECRET])
    const lines = output.split('\n')
    const failed = lines.filter((line) => line.startsWith('not ok')).map((line) => line.split(' ')[3])
    expect(failed, output).toEqual(not)
    expect(lines.filter((line) => line.startsWith('ok')).length, output).toBe(tests)
  })
})
