import { beforeEach, describe, expect, test } from 'vitest'
import { bytesToHex, concatBytes, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { createAddress } from '../../../src/types/address.ts'
import { evmCode } from '../../support/evm/evmCode.ts'
import { NodeRemote } from '../../support/fork/nodeRemote.ts'
import { openTestFork } from '../../support/fork/openTestFork.ts'
import { plain } from '../../support/fork/plain.ts'
import { ALICE, openDevChain, plannedOf, sealBlocks, signed } from '../../support/nodes/devChain.ts'
import { closedAfterEach, type OpenedNode } from '../../support/nodes/devNodeInMemory.ts'

const ALICE_BYTES = hexToBytes(ALICE.address)
const BLOCKS = 300
const open = closedAfterEach()
let remote: OpenedNode

/** Stores the hash of the block whose number is the input. */
const HASH_STORE = evmCode('0 CALLDATALOAD BLOCKHASH 0 SSTORE')
/** Creates the contract whose code follows. */
const CREATION = evmCode(`${HASH_STORE.length} 12 0 CODECOPY ${HASH_STORE.length} 0 RETURN`)
const CONTRACT = createAddress(ALICE_BYTES, 0n)
const word = (n: number): Uint8Array =>
  Uint8Array.from({ length: 32 }, (_, i) => (i < 30 ? 0 : (n >> (8 * (31 - i))) & 0xff))

beforeEach(async () => {
  remote = await open()
  await remote.rpc('anvil_mine', `0x${BLOCKS.toString(16)}`)
})

async function forkedChain() {
  const fork = await openTestFork(new NodeRemote(remote.rpc))
  const states = new StateStore(fork.store, { base: fork.state })
  return { fork, chain: await openDevChain({ kv: fork.store, states, residency: fork.store }) }
}

describe('a chain over the store of a fork', () => {
  test('mines on the state of the remote, and reads hashes of its blocks', async () => {
    const { fork, chain } = await forkedChain()
    const code = bytesToHex(concatBytes(CREATION, HASH_STORE)) as `0x${string}`
    const asked = BLOCKS - 200
    const call = { nonce: 1, to: bytesToHex(CONTRACT) as `0x${string}`, data: bytesToHex(word(asked)) as `0x${string}` }
    const [, mined] = await sealBlocks(chain, [
      { transactions: [plannedOf(await signed(ALICE, { nonce: 0, to: null, data: code, gas: 500_000n }))] },
      { transactions: [plannedOf(await signed(ALICE, call))] },
    ])
    expect(mined?.header.number).toBe(BigInt(fork.point.block.number + 2))
    const stored = await fork.read(() => chain.stateAt(chain.head).getStorage(CONTRACT, word(0)))
    expect(plain(stored)).toBe(plain(remote.node.chain.canonicalHash(asked)))
  })

  test('a block or a transaction above the fork block does not exist', async () => {
    const { fork, chain } = await forkedChain()
    const { hash } = await remote.rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
    const above = await remote.rpc<string>('eth_sendTransaction', {
      from: ALICE.address,
      to: ALICE.address,
      value: '0x1',
    })
    const next = await remote.rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
    expect(plain((await fork.read(() => chain.headerByHash(hexToBytes(hash))))?.hash)).toBe(hash)
    expect(await fork.read(() => chain.headerByHash(hexToBytes(next.hash)))).toBeUndefined()
    expect(await fork.read(() => chain.transactionLocation(hexToBytes(above)))).toBeUndefined()
  })
})
