/**
 * This node serves chains of proof of stake to three versions of geth: blocks over eth/68 and eth/69, the state over snap/1. It also
 * fetches such chains from them.
 * `../shared/peers/engine.mjs` tells them their heads, as a consensus client would.
 */
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { needsTool } from '../support/host/needs.ts'
import { type RunningNode, runCommand, startNode, temporaryDirectory } from '../support/nodes/program.ts'
import {
  enodeOf,
  expectOneBlock,
  hashAt,
  height,
  isInstalled,
  PEERS,
  PEERS_CACHE,
  type RealPeer,
  runToEnd,
  soon,
  startGeth,
  startPeer,
} from './realPeers.ts'

/** The network id that `start.sh` gives to geth. */
const NETWORK = '--network-id=1337'
/** Version of geth, of the test chain that it knows, and of eth that both choose. */
const PEERS_OF_STAKE = [
  ['1.13.15', '1.13.15', 68],
  ['1.16.9', '1.16.9', 69],
  ['1.17.6', '1.16.9', 69],
] as const

const testdata = (version: string, name: string): string => path.join(PEERS_CACHE, `geth-${version}/testdata`, name)

/** A node with the test chain of a version of geth. */
async function startWithChain(version: string): Promise<RunningNode> {
  const chain = [`--genesis-file=${testdata(version, 'genesis.json')}`, `--data-path=${temporaryDirectory()}`, NETWORK]
  const from = `--from=${testdata(version, 'chain.rlp')}`
  // The seals of its first blocks are not valid.
  const imported = await runCommand([...chain, 'blocks', 'import', from, '--skip-pow-validation-enabled'])
  expect(imported.code, imported.stderr).toBe(0)
  return startNode([...chain, '--rpc-http-api=ETH,NET,ADMIN'])
}

/** Tells geth its head and waits until it has all blocks. */
async function follow(geth: RealPeer, hash: string): Promise<void> {
  const url = `http://127.0.0.1:${geth.port + 2}`
  const secret = path.join(geth.directory, 'jwt')
  await runToEnd(process.execPath, [path.join(PEERS, 'engine.mjs'), 'follow', url, secret, hash])
}

/** Older versions of geth fetch a chain only after the payload of its head. */
async function sendHeadPayload(geth: RealPeer, chain: string): Promise<void> {
  const key = Buffer.from(readFileSync(path.join(geth.directory, 'jwt'), 'utf8'), 'hex')
  const base64 = (text: string): string => Buffer.from(text).toString('base64url')
  const claims = `${base64('{"alg":"HS256","typ":"JWT"}')}.${base64(`{"iat":${Math.floor(Date.now() / 1000)}}`)}`
  const token = `${claims}.${createHmac('sha256', key).update(claims).digest('base64url')}`
  const payloads = JSON.parse(readFileSync(testdata(chain, 'newpayload.json'), 'utf8')) as unknown[]
  const response = await fetch(`http://127.0.0.1:${geth.port + 2}`, {
    method: 'POST',
    body: JSON.stringify(payloads.at(-1)),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
  })
  expect(await response.json()).toMatchObject({ result: { status: 'SYNCING' } })
}

describe.each(PEERS_OF_STAKE)('geth %s, with the chain of %s', (version, chain, eth) => {
  const isReady = isInstalled(`geth-${version}`, `geth-${chain}`)
  const genesis = testdata(chain, 'genesis.json')

  async function expectFollower(start: () => Promise<RealPeer>): Promise<RealPeer> {
    const [node, geth] = [await startWithChain(chain), await start()]
    await geth.rpc('admin_addPeer', [await enodeOf(node)])
    await soon(async () => {
      expect(await geth.rpc('admin_peers')).toMatchObject([
        { protocols: { eth: { version: eth }, snap: { version: 1 } } },
      ])
    })
    const head = await height(node)
    const began = Date.now()
    if (version === '1.13.15') await sendHeadPayload(geth, chain)
    await follow(geth, (await hashAt(node, head)) as string)
    await expectOneBlock([node, geth], head)
    console.log(`geth ${version}: ${head} blocks over eth/${eth} in ${Date.now() - began} ms`)
    expect((await node.stop()).code).toBe(0)
    expect(node.output()).not.toContain('ERROR')
    return geth
  }

  it(`fetches all blocks over eth/${eth}`, needsTool('geth', isReady), async () => {
    const geth = await expectFollower(() => startPeer('pos', { version, genesis }))
    await geth.stop()
  })

  it('fetches the state over snap/1', needsTool('geth', isReady), async () => {
    const geth = await expectFollower(() => startGeth(version, genesis))
    expect(geth.output()).toMatch(/state download in progress +synced=100/i)
    await geth.stop()
  })

  // The seals of the first blocks of the other chain are not valid.
  it('serves all blocks to this node', needsTool('geth with eth/69', isReady && eth === 69), async () => {
    const geth = await startGeth(version, genesis, testdata(chain, 'chain.rlp'))
    const node = await startNode([
      `--genesis-file=${genesis}`,
      `--data-path=${temporaryDirectory()}`,
      NETWORK,
      '--rpc-http-api=ETH,NET,ADMIN',
    ])
    const began = Date.now()
    await node.rpc('admin_addPeer', [geth.enode])
    const head = await height(geth)
    await expectOneBlock([geth, node], head, 120_000)
    console.log(`this node: ${head} blocks over eth/${eth} in ${Date.now() - began} ms`)
    await geth.stop()
    expect((await node.stop()).code).toBe(0)
    expect(node.output()).not.toContain('ERROR')
  })
})
