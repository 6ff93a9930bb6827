/** This node and geth 1.10.26 on one chain of proof of work, in ethash's test mode. */
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/base/primitives/bytes.ts'
import { needsTool } from '../support/host/needs.ts'
import { BOB, signed } from '../support/nodes/devChain.ts'
import { type ProgramRuntime, type RunningNode, startNode, temporaryDirectory } from '../support/nodes/program.ts'
import {
  type Answering,
  enodeOf,
  expectOneBlock,
  FIRST_KEY,
  genesisFile,
  hashAt,
  height,
  isInstalled,
  type RealPeer,
  SECOND_KEY,
  soon,
  startPeer,
  waitForHeight,
} from './realPeers.ts'

const COINBASE = '0x1111111111111111111111111111111111111111'
const FIRST = privateKeyToAccount(FIRST_KEY)
const SECOND = privateKeyToAccount(SECOND_KEY)

const sent = async (node: Answering, account: typeof FIRST, nonce: number): Promise<string> => {
  const raw = bytesToHex(await signed(account, { nonce, chainId: 1337, to: BOB.address, value: 1n } as never))
  return node.rpc<string>('eth_sendRawTransaction', [raw])
}

async function waitForReceipt(node: Answering, hash: string): Promise<void> {
  await soon(async () => expect(await node.rpc('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' }))
}

describe.each<ProgramRuntime>(['node', 'deno'])(
  'geth 1.10.26, a miner, and this node on %s',
  needsTool('geth 1.10.26', isInstalled('geth-1.10.26')),
  (runtime) => {
    let geth: RealPeer
    let node: RunningNode

    beforeAll(async () => {
      geth = await startPeer('pow')
      node = await startNode(
        [
          `--genesis-file=${genesisFile('pow.json')}`,
          `--data-path=${temporaryDirectory()}`,
          '--ethash-test-mode',
          '--rpc-http-api=ETH,NET,ADMIN,TXPOOL,MINER',
          `--miner-coinbase=${COINBASE}`,
        ],
        { runtime },
      )
    }, 120_000)

    afterAll(async () => {
      const ended = await node?.stop()
      await geth?.stop()
      expect(ended?.code).toBe(0)
      expect(node.output()).not.toContain('ERROR')
    })

    const connect = async (): Promise<void> => {
      await node.rpc('admin_addPeer', [geth.enode])
      await soon(async () => expect(Number(await node.rpc('net_peerCount'))).toBe(1))
    }

    const mine = async (number: number): Promise<void> => {
      await node.rpc('miner_start')
      await waitForHeight(node, number)
      await node.rpc('miner_stop')
    }

    const mineWithGeth = async (number: number): Promise<void> => {
      await geth.rpc('miner_start', [1])
      await waitForHeight(geth, number)
      await geth.rpc('miner_stop')
    }

    it('follows geth while it mines', async () => {
      await waitForHeight(geth, 3)
      await connect()
      await expectOneBlock([geth, node], 8)
      const [peer] = await node.rpc<{ name: string }[]>('admin_peers')
      expect(peer?.name).toMatch(/^Geth\/v1\.10\.26/)
      expect(await geth.rpc('admin_peers')).toMatchObject([{ protocols: { eth: { version: 67 } } }])
    })

    it('sends transactions to geth and receives its transactions', async () => {
      await waitForReceipt(node, await sent(node, FIRST, 0))
      await waitForReceipt(node, await sent(geth, FIRST, 1))
      await geth.rpc('miner_stop')
      const hash = await sent(geth, FIRST, 2)
      await soon(async () => {
        expect(await node.rpc('txpool_besuTransactions')).toMatchObject([{ hash, isReceivedFromLocalSource: false }])
      })
    })

    it('mines blocks that geth follows', async () => {
      const before = await height(geth)
      const hash = await sent(geth, SECOND, 0)
      await mine(before + 5)
      await expectOneBlock([geth, node], before + 5)
      await waitForReceipt(geth, hash)
      const block = await geth.rpc('eth_getBlockByNumber', [`0x${(before + 5).toString(16)}`, false])
      expect(block).toMatchObject({ miner: COINBASE })
    })

    it('replaces its branch with the heavier one of geth once they are connected again', async () => {
      const { fork, own } = await part(2, 5)
      await connect()
      await soon(async () => expect(await hashAt(node, fork + 1)).toBe(await hashAt(geth, fork + 1)))
      expect(await hashAt(node, fork + 1)).not.toBe(own)
      await expectOneBlock([geth, node], await height(geth))
    })

    it('makes geth replace its branch with the heavier one of this node', async () => {
      const { fork, own } = await part(5, 2)
      await connect()
      await soon(async () => expect(await hashAt(geth, fork + 1)).toBe(own))
      await expectOneBlock([geth, node], await height(node))
    })

    /** Cuts the link and mines a branch on each side. */
    async function part(ownBlocks: number, gethBlocks: number): Promise<{ fork: number; own: string | undefined }> {
      await node.rpc('admin_removePeer', [geth.enode])
      await geth.rpc('admin_removePeer', [await enodeOf(node)])
      await soon(async () => expect(Number(await geth.rpc('net_peerCount'))).toBe(0))
      const fork = Math.max(await height(node), await height(geth))
      expect(await hashAt(geth, fork)).toBe(await hashAt(node, fork))
      await Promise.all([mine(fork + ownBlocks), mineWithGeth(fork + gethBlocks)])
      return { fork, own: await hashAt(node, fork + 1) }
    }
  },
)
