/** Two signers of geth 1.13.15 and one of this node seal one chain of Clique; another geth and another node follow. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { KeySigner } from '../../src/base/ports/keySigner.ts'
import { bytesToHex, bytesToHexUnprefixed } from '../../src/base/primitives/bytes.ts'
import { needsTool } from '../support/host/needs.ts'
import { startNode, temporaryDirectory } from '../support/nodes/program.ts'
import { longCount } from './count.ts'
import {
  type Answering,
  expectOneBlock,
  genesisFile,
  height,
  isInstalled,
  soon,
  startPeer,
  waitForHeight,
} from './realPeers.ts'

const KEY = new Uint8Array(32).fill(0x5a)
const OWN = bytesToHex(new KeySigner(KEY).address)
/** A share of the run has fewer blocks. */
const BLOCKS = Math.min(200, longCount)
/** Longer than all blocks take. */
const LIMIT_MS = 500_000

interface SealedBlocks {
  readonly address: string
  readonly proposedBlockCount: string
  readonly lastProposedBlockNumber: string
}

/** The genesis of all clients with a block period of one second. */
function fastGenesis(): string {
  const file = path.join(temporaryDirectory(), 'genesis.json')
  const genesis = JSON.parse(readFileSync(genesisFile('clique.json'), 'utf8'))
  Object.assign(genesis.config.clique, { period: 1, blockperiodseconds: 1 })
  writeFileSync(file, JSON.stringify(genesis))
  return file
}

async function vote(voters: readonly Answering[], isSigner: boolean): Promise<void> {
  for (const voter of voters) await voter.rpc('clique_propose', [OWN, isSigner])
}

async function waitForSigners(nodes: readonly Answering[], count: number): Promise<void> {
  for (const node of nodes) {
    await soon(async () => expect(await node.rpc('clique_getSigners')).toHaveLength(count))
  }
}

describe(
  'geth 1.13.15 and this node on a chain of Clique',
  needsTool('geth 1.13.15', isInstalled('geth-1.13.15')),
  () => {
    it(`seal ${BLOCKS} blocks together, with votes that add and remove this node`, {
      timeout: LIMIT_MS + 100_000,
    }, async () => {
      const genesis = fastGenesis()
      const keyFile = path.join(temporaryDirectory(), 'key')
      writeFileSync(keyFile, bytesToHexUnprefixed(KEY))
      const options = [`--genesis-file=${genesis}`, '--rpc-http-api=ETH,NET,ADMIN,CLIQUE']
      const first = await startPeer('clique1', { genesis })
      const second = await startPeer('clique2', { genesis })
      const gethFollower = await startPeer('clique-follow', { genesis })
      const signer = await startNode([
        ...options,
        `--data-path=${temporaryDirectory()}`,
        `--node-private-key-file=${keyFile}`,
      ])
      const follower = await startNode([...options, `--data-path=${temporaryDirectory()}`], { runtime: 'deno' })
      const all = [first, second, signer, gethFollower, follower]

      await first.rpc('admin_addPeer', [second.enode])
      for (const peer of [first, second]) await signer.rpc('admin_addPeer', [peer.enode])
      // These two see the chain through this node only.
      await signer.rpc('admin_addPeer', [gethFollower.enode])
      const { enode } = await signer.rpc<{ enode: string }>('admin_nodeInfo')
      await follower.rpc('admin_addPeer', [enode])
      await soon(async () => expect(Number(await signer.rpc('net_peerCount'))).toBe(4))
      await expectOneBlock(all, 5)

      await vote([first, second], true)
      await waitForSigners(all, 3)
      const added = await height(first)
      await waitForHeight(first, Math.floor(added + (BLOCKS - added) / 2), LIMIT_MS)

      await vote([first, second], false)
      await waitForSigners(all, 2)
      const removed = await height(first)
      await waitForHeight(first, BLOCKS, LIMIT_MS)
      await expectOneBlock(all, BLOCKS)

      const metrics = await follower.rpc<readonly SealedBlocks[]>('clique_getSignerMetrics', [
        '0x1',
        `0x${BLOCKS.toString(16)}`,
      ])
      const own = metrics.find(({ address }) => address === OWN)
      console.log('added', added, 'removed', removed, JSON.stringify(metrics))
      expect(Number(own?.lastProposedBlockNumber)).toBeGreaterThan(added)
      expect(Number(own?.lastProposedBlockNumber)).toBeLessThanOrEqual(removed)
      // Each of three signers seals about a third.
      expect(Number(own?.proposedBlockCount)).toBeGreaterThan((removed - added) / 6)
      for (const node of [signer, follower]) {
        expect((await node.stop()).code).toBe(0)
        expect(node.output()).not.toContain('ERROR')
      }
      for (const peer of [first, second, gethFollower]) await peer.stop()
    })
  },
)
