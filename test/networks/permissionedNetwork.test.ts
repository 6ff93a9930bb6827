/** Networks whose members are named in files or by contracts, as processes. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it, vi } from 'vitest'
import { KeySigner } from '../../src/base/ports/keySigner.ts'
import { bytesToHex, bytesToHexUnprefixed, EMPTY_BYTES } from '../../src/base/primitives/bytes.ts'
import { sortAddresses } from '../../src/consensus/bft/addresses.ts'
import { encodeExtraData, initialExtraData } from '../../src/consensus/bft/extraData.ts'
import { QBFT } from '../../src/consensus/bft/flavour.ts'
import { cliqueGenesis } from '../support/nodes/cliqueNode.ts'
import { type RunningNode, startNode, temporaryDirectory } from '../support/nodes/program.ts'
import { recordedPath } from '../support/recorded/conformance.ts'

const KEYS = [1, 2, 3, 4].map((n) => new Uint8Array(32).fill(n))
const EMPTY_LIST = 'nodes-allowlist=[]\n'
const PEERS = ['--p2p-interface=127.0.0.1', '--p2p-port=0', '--discovery-enabled=false']

function qbftGenesis(): string {
  const validators = sortAddresses(KEYS.map((key) => new KeySigner(key).address))
  const qbft = { blockperiodseconds: 1, epochlength: 30_000, requesttimeoutseconds: 2 }
  return JSON.stringify({
    ...JSON.parse(cliqueGenesis([])),
    config: { chainId: 2128, londonBlock: 0, qbft },
    extraData: bytesToHex(encodeExtraData(initialExtraData(validators, EMPTY_BYTES), QBFT)),
  })
}

async function startMember(folder: string, key: Uint8Array, args: readonly string[]): Promise<RunningNode> {
  const keyFile = path.join(folder, 'node-key')
  writeFileSync(keyFile, bytesToHexUnprefixed(key))
  return startNode([
    `--data-path=${folder}/data`,
    `--node-private-key-file=${keyFile}`,
    '--rpc-http-api=ETH,NET,ADMIN,PERM,QBFT',
    ...PEERS,
    ...args,
  ])
}

const peerCount = async (node: RunningNode): Promise<number> => Number(await node.rpc('net_peerCount'))
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 90_000, interval: 100 })
const height = async (node: RunningNode): Promise<number> => Number(await node.rpc('eth_blockNumber'))

describe('allowlists in files', () => {
  it('decide about connections between four validators', { timeout: 300_000 }, async () => {
    const nodes: RunningNode[] = []
    for (const key of KEYS) {
      const folder = temporaryDirectory()
      const genesis = path.join(folder, 'genesis.json')
      const list = path.join(folder, 'nodes.toml')
      writeFileSync(genesis, qbftGenesis())
      writeFileSync(list, EMPTY_LIST)
      const options = ['--permissions-nodes-config-file-enabled', `--permissions-nodes-config-file=${list}`]
      nodes.push(await startMember(folder, key, [`--genesis-file=${genesis}`, ...options]))
    }
    const enodes = await Promise.all(nodes.map((node) => node.rpc<string>('net_enode')))
    const [first, second, third, fourth] = nodes as [RunningNode, RunningNode, RunningNode, RunningNode]
    const members = [first, second, third]

    // Stored, but not connected: no list has a node.
    for (const node of nodes) {
      for (const enode of enodes) await node.rpc('admin_addPeer', [enode])
    }
    await new Promise((resolve) => setTimeout(resolve, 2000))
    expect(await Promise.all(nodes.map(peerCount))).toEqual([0, 0, 0, 0])

    for (const [i, node] of nodes.entries()) {
      await node.rpc('perm_addNodesToAllowlist', [enodes.filter((_, j) => j !== i)])
    }
    await eventually(async () => expect(await Promise.all(nodes.map(peerCount))).toEqual([3, 3, 3, 3]))
    await eventually(async () => expect(await height(fourth)).toBeGreaterThan(1))

    for (const node of members) await node.rpc('perm_removeNodesFromAllowlist', [[enodes[3]]])
    await eventually(async () => expect(await Promise.all(nodes.map(peerCount))).toEqual([2, 2, 2, 0]))
    const left = await height(fourth)
    await eventually(async () => expect(await height(first)).toBeGreaterThan(left + 2))
    expect(await height(fourth)).toBeLessThanOrEqual(left + 1)

    for (const node of members) await node.rpc('perm_addNodesToAllowlist', [[enodes[3]]])
    await eventually(async () => expect(await Promise.all(nodes.map(peerCount))).toEqual([3, 3, 3, 3]))
    // It fetches the blocks that it has missed.
    await eventually(async () => expect(await height(fourth)).toBeGreaterThan(left + 2))
    for (const node of nodes) expect((await node.stop()).code).toBe(0)
  })
})

const folder = recordedPath('besu/perm-live')

interface Step {
  readonly n: number
  readonly request?: { readonly method: string; readonly params: readonly unknown[] }
}

describe.each([
  ['1', '0x000000000000000000000000000000000000cccc', 'ff'.repeat(32)],
  ['2', '0x000000000000000000000000000000000000bbbb', '1'.padStart(64, '0')],
] as const)('contracts, version %s', (version, address, allowing) => {
  it('decide about a connection', { timeout: 120_000 }, async () => {
    const read = (name: string) => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'))
    const { signer, second, account1 } = read('keys.json') as Record<string, { privateKey: Hex }>
    const { steps } = read(`transcript-contracts-v${version}.json`) as { steps: readonly Step[] }
    const options = [
      `--genesis-file=${folder}/genesis.json`,
      '--min-gas-price=0',
      '--permissions-accounts-contract-enabled',
      '--permissions-accounts-contract-address=0x000000000000000000000000000000000000aaaa',
      '--permissions-nodes-contract-enabled',
      `--permissions-nodes-contract-address=${address}`,
      `--permissions-nodes-contract-version=${version}`,
    ]
    const keyOf = (text = '') => Uint8Array.from(Buffer.from(text.slice(2), 'hex'))
    const p = await startMember(temporaryDirectory(), keyOf(signer?.privateKey), options)
    const bootnode = await p.rpc<string>('net_enode')
    const q = await startMember(temporaryDirectory(), keyOf(second?.privateKey), [
      ...options,
      `--bootnodes=${bootnode}`,
    ])
    await q.rpc('admin_addPeer', [bootnode])
    await eventually(async () => expect([await peerCount(p), await peerCount(q)]).toEqual([1, 1]))

    const send = async (n: number): Promise<void> => {
      const { method, params } = steps.find((step) => step.n === n)?.request ?? { method: '', params: [] }
      await p.rpc(method, params)
    }
    await send(15)
    await send(20)
    await eventually(async () => expect([await peerCount(p), await peerCount(q)]).toEqual([0, 0]))
    const before = await height(p)
    await eventually(async () => expect(await height(p)).toBeGreaterThan(before + 1))
    expect([await peerCount(p), await p.rpc('admin_addPeer', [await q.rpc('net_enode')])]).toEqual([0, true])

    // Stores the word that permits in slot 0 of the contract.
    const reopening = await privateKeyToAccount(account1?.privateKey as Hex).signTransaction({
      type: 'legacy',
      chainId: Number(await p.rpc('eth_chainId')),
      nonce: 2,
      to: address,
      gas: 100_000n,
      gasPrice: 1000n,
      data: `0x${'0'.repeat(64)}${allowing}`,
    })
    await p.rpc('eth_sendRawTransaction', [reopening])
    await eventually(async () => expect([await peerCount(p), await peerCount(q)]).toEqual([1, 1]))
    const reopened = await height(p)
    await eventually(async () => expect(await height(q)).toBeGreaterThanOrEqual(reopened))
    for (const node of [p, q]) expect((await node.stop()).code).toBe(0)
  })
})
