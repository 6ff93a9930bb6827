/** Four miners whose contract decides about nodes; one of them obeys no contract. */

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Hex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, it } from 'vitest'
import { bytesToHex, bytesToHexUnprefixed } from '../../src/base/primitives/bytes.ts'
import { publicKeyOf } from '../../src/base/primitives/secp256k1.ts'
import { cliqueGenesis } from '../support/nodes/cliqueNode.ts'
import { type RunningNode, startNode, temporaryDirectory } from '../support/nodes/program.ts'
import { expectOneBlock, height, soon, waitForHeight } from './realPeers.ts'

const CHAIN_ID = 2130
/** An attempt to connect that fails is repeated a minute later. */
const PEERS_LIMIT_MS = 150_000
const NODE_KEYS = [1, 2, 3, 4].map((n) => new Uint8Array(32).fill(n))
const [ALICE, CAROL, STRANGER] = ['a1', 'c1', '51'].map((byte) => privateKeyToAccount(`0x${byte.repeat(32)}`)) as [
  PrivateKeyAccount,
  PrivateKeyAccount,
  PrivateKeyAccount,
]
const NODES = `0x${'0'.repeat(36)}bbbb`
const ACCOUNTS = `0x${'0'.repeat(36)}aaaa`

const word = (hex: string): Hex => `0x${hex.padStart(64, '0')}`

/**
 * Contract that stores words as calls say (a key and a value, one word each), unless they have the selector of the
 * question.
 * @param answer code that leaves the answer on the stack
 */
function register(selector: string, answer: string): Hex {
  return `0x60003560e01c63${selector}1460175760203560003555005b${answer}60005260206000f3`
}

/** The interfaces of node contracts: the code, where a node stands in the register, and the words of verdicts. */
const VERSIONS = [
  {
    version: 1,
    // The words of both ends, of which each has the first half of its public key.
    code: register('3620b1df', '600435546084355416'),
    keyOf: (id: Uint8Array) => bytesToHex(id.subarray(0, 32)) as Hex,
    allowed: `0x${'f'.repeat(64)}` as Hex,
    refused: `0x7${'f'.repeat(63)}` as Hex,
  },
  {
    version: 2,
    // The word of one end, by the first 32 letters of its public key.
    code: register('45a59e5b', '60843554'),
    keyOf: (id: Uint8Array) => bytesToHex(new TextEncoder().encode(bytesToHexUnprefixed(id).slice(0, 32))) as Hex,
    allowed: word('1'),
    refused: word('0'),
  },
]

const nodes: RunningNode[] = []

afterEach(async () => {
  for (const node of nodes.splice(0)) await node.kill()
})

function genesisOf({ code, keyOf, allowed }: (typeof VERSIONS)[number]): string {
  const storage = Object.fromEntries(NODE_KEYS.map((key) => [keyOf(publicKeyOf(key)), allowed]))
  const permitted = [ALICE, CAROL].map(({ address }) => [word(address.slice(2).toLowerCase()), word('1')])
  return JSON.stringify({
    ...JSON.parse(cliqueGenesis([])),
    config: { chainId: CHAIN_ID, londonBlock: 0, zeroBaseFee: true, ethash: { fixeddifficulty: 1000 } },
    extraData: '0x',
    alloc: {
      ...Object.fromEntries([ALICE, CAROL, STRANGER].map(({ address }) => [address, { balance: '0xde0b6b3a7640000' }])),
      [NODES]: { balance: '0x0', code, storage },
      [ACCOUNTS]: {
        balance: '0x0',
        code: register('936421d5', '60043554'),
        storage: Object.fromEntries(permitted),
      },
    },
  })
}

async function startMember(index: number, genesis: string, args: readonly string[]): Promise<RunningNode> {
  const folder = temporaryDirectory()
  const file = (name: string, content: string): string => {
    writeFileSync(path.join(folder, name), content)
    return path.join(folder, name)
  }
  const node = await startNode([
    `--genesis-file=${file('genesis.json', genesis)}`,
    `--data-path=${folder}/data`,
    `--node-private-key-file=${file('node-key', bytesToHexUnprefixed(NODE_KEYS[index] as Uint8Array))}`,
    ...['--p2p-interface=127.0.0.1', '--p2p-port=0', '--discovery-enabled=false'],
    ...['--ethash-test-mode', `--miner-coinbase=0x${'11'.repeat(20)}`, '--min-gas-price=0'],
    '--rpc-http-api=ETH,NET,ADMIN,MINER,TXPOOL,DEBUG',
    ...args,
  ])
  nodes.push(node)
  return node
}

const enodeOf = (node: RunningNode): Promise<string> => node.rpc<string>('net_enode')

const expectPeers = (...counts: readonly number[]): Promise<void> =>
  soon(async () => {
    const found = await Promise.all(nodes.map(async (node) => Number(await node.rpc('net_peerCount'))))
    expect(found).toEqual(counts)
  }, PEERS_LIMIT_MS)

/** Dials the other nodes. */
async function dial(from: RunningNode): Promise<void> {
  for (const other of nodes) if (other !== from) await from.rpc('admin_addPeer', [await enodeOf(other)])
}

/** Dials again at once, not a minute after the last attempt. */
async function dialAgain(from: RunningNode): Promise<void> {
  for (const other of nodes) if (other !== from) await from.rpc('admin_removePeer', [await enodeOf(other)])
  await dial(from)
}

/** Mines until the node has at least this height. @returns its height, which a block that was found at the end may exceed */
async function mineTo(node: RunningNode, number: number): Promise<number> {
  await node.rpc('miner_start')
  await waitForHeight(node, number)
  await node.rpc('miner_stop')
  return height(node)
}

interface Call {
  readonly nonce: number
  readonly to?: string
  readonly data?: Hex
}

async function send(node: RunningNode, account: PrivateKeyAccount, { nonce, to = ALICE.address, data = '0x' }: Call) {
  const fields = { chainId: CHAIN_ID, gas: 100_000n, gasPrice: 1n, nonce, to: to as Hex, data }
  return node.rpc<string>('eth_sendRawTransaction', [await account.signTransaction({ type: 'legacy', ...fields })])
}

const isKnown = async (node: RunningNode, hash: string): Promise<boolean> =>
  (await node.rpc('eth_getTransactionByHash', [hash])) !== null

describe.each(VERSIONS)('a contract for nodes, version $version', (contract) => {
  it('takes a node off and puts it on again', { timeout: 600_000 }, async () => {
    const genesis = genesisOf(contract)
    const rules = [
      ...['--permissions-accounts-contract-enabled', `--permissions-accounts-contract-address=${ACCOUNTS}`],
      ...['--permissions-nodes-contract-enabled', `--permissions-nodes-contract-address=${NODES}`],
      `--permissions-nodes-contract-version=${contract.version}`,
    ]
    const first = await startMember(0, genesis, rules)
    const boot = [...rules, `--bootnodes=${await enodeOf(first)}`]
    const second = await startMember(1, genesis, boot)
    const third = await startMember(2, genesis, boot)
    const members = [first, second, third]
    // It asks no contract, and tries to connect whatever the contract of the others says.
    const fourth = await startMember(3, genesis, [])
    for (const node of nodes) await dial(node)
    await expectPeers(3, 3, 3, 3)
    await expectOneBlock(nodes, await mineTo(first, 2))

    const key = contract.keyOf(publicKeyOf(NODE_KEYS[3] as Uint8Array))
    const decide = (nonce: number, verdict: Hex) =>
      send(first, ALICE, { nonce, to: NODES, data: `${key}${verdict.slice(2)}` as Hex })
    await decide(0, contract.refused)
    const head = await mineTo(first, (await height(first)) + 2)
    await expectPeers(2, 2, 2, 0)
    await expectOneBlock(members, head)

    // Its branch is the heavier one.
    const lost = await send(fourth, CAROL, { nonce: 0 })
    const branch = await mineTo(fourth, head + 3)
    const waiting = await send(fourth, CAROL, { nonce: 1 })
    for (let i = 0; i < 3; i++) {
      await dialAgain(fourth)
      await new Promise((resolve) => setTimeout(resolve, 700))
    }
    await expectPeers(2, 2, 2, 0)
    for (const node of members) {
      expect(await height(node)).toBeLessThan(branch)
      expect([await isKnown(node, lost), await isKnown(node, waiting)]).toEqual([false, false])
    }

    await decide(1, contract.allowed)
    const grown = await mineTo(first, branch + 3)
    // A member that still has the old verdict would refuse it, and be dialled again a minute later.
    await expectOneBlock(members, grown)
    await dialAgain(fourth)
    await expectPeers(3, 3, 3, 3)
    await expectOneBlock(nodes, grown)
    // The transactions of its replaced branch are back, and reach the others.
    for (const hash of [lost, waiting]) await soon(async () => expect(await isKnown(first, hash)).toBe(true))
    const last = await mineTo(first, grown + 2)
    for (const hash of [lost, waiting]) {
      await soon(async () => {
        expect(await third.rpc('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
      })
    }
    await expectOneBlock(nodes, last)

    // An account that the contract refuses, in a block of the one that obeys no contract.
    await expect(send(first, STRANGER, { nonce: 0 })).rejects.toMatchObject({ code: -32007 })
    const refused = await send(fourth, STRANGER, { nonce: 0 })
    await mineTo(fourth, last + 2)
    const receipt = await fourth.rpc<{ status: string; blockHash: string }>('eth_getTransactionReceipt', [refused])
    expect(receipt.status).toBe('0x1')
    await soon(async () => {
      const blocks = await first.rpc<{ hash: string }[]>('debug_getBadBlocks')
      expect(blocks.map(({ hash }) => hash)).toContain(receipt.blockHash)
    })
    await expectOneBlock(members, await mineTo(first, last + 2))
    for (const node of members) expect(await isKnown(node, refused)).toBe(false)
    for (const node of nodes) expect(node.output()).not.toMatch(/\bERROR\b/)
  })
})
