/** A node takes blocks and transactions only from peers that its rules allow, over simulated TCP. */
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../../src/base/primitives/keccak.ts'
import type { Chain } from '../../../../src/chain/chain.ts'
import type { ChainHeader } from '../../../../src/chain/contract.ts'
import { compileNativeModule } from '../../../../src/evm/native/compileModule.ts'
import type { EthGossip } from '../../../../src/net/eth/contract.ts'
import type { IsoNode } from '../../../../src/node/node.ts'
import { decodeBlock, splitBlock } from '../../../../src/types/blockCodec.ts'
import { SIGNERS } from '../../../support/chains/cliqueHeaders.ts'
import { TEST_CLOCK } from '../../../support/chains/testChain.ts'
import { loadTestNativeEvm } from '../../../support/evm/testEvm.ts'
import { cliqueGenesis, openCliqueNode, sealOnHead } from '../../../support/nodes/cliqueNode.ts'
import { ALICE, plannedOf, signed } from '../../../support/nodes/devChain.ts'
import { MemoryPermissionFiles } from '../../../support/private/permissionFiles.ts'
import { type NetworkNode, NetworkWorld } from '../network/networkNodes.ts'
import { RawPeer } from '../network/rawPeer.ts'

const [SIGNER] = SIGNERS as [(typeof SIGNERS)[0]]
const CONTRACT = `0x${'cc'.repeat(20)}`
/** Stores the first word of call data from accounts; returns the stored word to calls from the zero address. */
const SWITCH = '0x33600f5760005460005260206000f35b60003560005500'
const CHAIN_ID = 2128
const PEER_HOST = '10.0.0.200'

const word = (value: number): `0x${string}` => `0x${value.toString(16).padStart(64, '0')}`
const GENESIS = cliqueGenesis(
  [SIGNER],
  {},
  {},
  {
    [CONTRACT]: { balance: '0x0', code: SWITCH, storage: { [word(0)]: word(1) } },
  },
)

let evmModule: WebAssembly.Module
let world: NetworkWorld
/** The chain from which the peer takes its blocks. */
let source: IsoNode
let peer: RawPeer

// Loaded in real time, for which virtual time would not wait.
beforeAll(async () => {
  evmModule = await compileNativeModule()
  await loadTestNativeEvm(TEST_CLOCK)
  await import('../../../../src/node/permissions/assemblePermissions.ts')
})

beforeEach(async () => {
  world = new NetworkWorld(GENESIS)
  source = (await openCliqueNode(GENESIS)).node
  peer = new RawPeer(world, PEER_HOST)
})

afterEach(async () => {
  await source.close()
  await world.close()
})

function blockMessage(chain: Chain, { hash, totalDifficulty, header }: ChainHeader): EthGossip {
  const block = chain.blockRlp(hash) as Uint8Array
  return { kind: 'newBlock', block, header: { header, encoding: splitBlock(block).header }, totalDifficulty }
}

/** The next block, sealed by the signer of the chain. */
async function nextBlock(...transactions: readonly Uint8Array[]): Promise<EthGossip> {
  const head = await sealOnHead(source.chain, SIGNER, undefined, transactions.map(plannedOf))
  return blockMessage(source.chain, head)
}

async function transaction(nonce: number, fields: object = {}): Promise<Uint8Array> {
  return await signed(ALICE, { nonce, chainId: CHAIN_ID, ...fields })
}

function poolMessage(...encodings: readonly Uint8Array[]): EthGossip {
  const transactions = encodings.map((encoding) => ({ encoding, hash: keccak256(encoding) }))
  return { kind: 'transactions', transactions }
}

const heightOf = ({ node }: NetworkNode): number => Number(node.chain.head.header.number)

async function poolSize(node: NetworkNode): Promise<number> {
  return (await node.rpc<readonly unknown[]>('txpool_nodeTransactions')).length
}

describe('a list', () => {
  async function start(nodes: readonly string[]): Promise<NetworkNode> {
    const list = `nodes-allowlist=[${nodes.map((node) => `"${node}"`)}]`
    const options = { 'permissions-nodes-config-file-enabled': true }
    return world.start(options, { permissionFiles: new MemoryPermissionFiles(list), evmModule })
  }

  it('lets a peer deliver blocks and transactions', async () => {
    const node = await start([peer.enode])
    const messages = [await nextBlock(), poolMessage(await transaction(0))]
    const connection = await peer.dial(node, messages)
    expect([heightOf(node), await poolSize(node), connection.end]).toEqual([1, 1, undefined])
  })

  it('keeps out the messages of a peer that it lacks, in one flight with its Status', async () => {
    const node = await start([])
    const messages = [await nextBlock(), poolMessage(await transaction(0))]
    const connection = await peer.dial(node, messages)
    expect([heightOf(node), await poolSize(node), connection.end]).toEqual([0, 0, 'unknown by remote'])
  })

  it('keeps out the messages of a peer that was removed, even those under way, and of its next connection', async () => {
    const node = await start([peer.enode])
    const connection = await peer.dial(node, [await nextBlock()])
    expect(heightOf(node)).toBe(1)
    const late = [await nextBlock(), poolMessage(await transaction(0))]
    for (const message of late) connection.send(message)
    await node.rpc('perm_removeNodesFromAllowlist', [peer.enode])
    await world.world.pass(5000)
    expect([heightOf(node), await poolSize(node), connection.end]).toEqual([1, 0, 'requested by remote'])

    const second = await peer.dial(node, late)
    expect([heightOf(node), await poolSize(node), second.end]).toEqual([1, 0, 'unknown by remote'])

    await node.rpc('perm_addNodesToAllowlist', [peer.enode])
    const third = await peer.dial(node, late)
    expect([heightOf(node), await poolSize(node), third.end]).toEqual([2, 1, undefined])
  })
})

describe('a contract', () => {
  const switchTo = (value: number, nonce: number): Promise<Uint8Array> =>
    transaction(nonce, { to: CONTRACT, data: word(value) })

  it('takes a peer off with a block, and admits it again with another', async () => {
    const options = {
      'permissions-nodes-contract-enabled': true,
      'permissions-nodes-contract-address': CONTRACT,
      'permissions-nodes-contract-version': 2,
    }
    const node = await world.start(options, { evmModule })
    const first = await peer.dial(node, [await nextBlock()])
    expect([heightOf(node), first.end]).toEqual([1, undefined])

    // The peer delivers the block that bars it, and more in the same flight.
    const barring = await nextBlock(await switchTo(0, 0))
    first.send(barring)
    await world.world.pass(1000)
    expect([heightOf(node), first.end]).toEqual([2, 'requested by remote'])
    const next = [await nextBlock(), poolMessage(await transaction(1))]
    const second = await peer.dial(node, next)
    expect([heightOf(node), await poolSize(node), second.end]).toEqual([2, 0, 'unknown by remote'])

    await nextBlock(await switchTo(1, 1))
    for (const number of [3, 4]) {
      const hash = source.chain.canonicalHash(number) as Uint8Array
      const block = decodeBlock(source.chain.blockRlp(hash) as Uint8Array)
      await world.complete(node.node.chain.import(block))
    }
    const third = await peer.dial(node, [await nextBlock(), poolMessage(await transaction(2))])
    expect([heightOf(node), await poolSize(node), third.end]).toEqual([5, 1, undefined])
    expect(bytesToHex(node.node.chain.head.hash)).toBe(bytesToHex(source.chain.head.hash))
  })
})
