import { describe, expect, test } from 'vitest'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { methodNotFound, NodeRemote, Refusal } from '../../support/fork/nodeRemote.ts'
import { errorOf, openTestFork, type TestFork } from '../../support/fork/openTestFork.ts'
import { ALICE } from '../../support/nodes/devChain.ts'
import { closedAfterEach } from '../../support/nodes/devNodeInMemory.ts'

const NOBODY = hexToBytes('0x00000000000000000000000000000000deadbeef')
const ZERO_WORD = new Uint8Array(32)
const open = closedAfterEach()

/** A node with the errors of Besu, which refuses to prove that an account does not exist. */
async function openRemote(): Promise<NodeRemote> {
  const { rpc } = await open({ 'rpc-profile': 'besu' })
  return new NodeRemote(rpc)
}

const accountOf = ({ state, read }: TestFork, address: Uint8Array) =>
  read(() => state.account(state.forkBlock, address))

describe('an account that a node with the errors of Besu does not have', () => {
  test.each(['proofs', 'auto'] as const)('is proven absent by the witness of a call, mode %s', async (mode) => {
    const remote = await openRemote()
    if (mode === 'auto') remote.learn('callWitness', true)
    const fork = await openTestFork(remote, { mode })
    remote.batches.length = 0
    expect(await accountOf(fork, NOBODY)).toBeUndefined()
    expect(remote.batches).toEqual([['eth_getProof', 'eth_getCode'], ['isonode_callWitness']])
    const slot = await fork.read(() => fork.state.storage(fork.state.forkBlock, NOBODY, ZERO_WORD))
    expect(slot).toEqual(ZERO_WORD)
    expect(remote.batches.length).toBe(2)
    expect(fork.unverified).toEqual([])
  })

  test('is not proven without witnesses', async () => {
    const remote = await openRemote()
    remote.lie = ({ method }, result) => (method === 'isonode_callWitness' ? methodNotFound(method) : result)
    const fork = await openTestFork(remote, { mode: 'proofs' })
    expect(await errorOf(accountOf(fork, NOBODY))).toEqual({
      code: 'FORK_UNPROVEN',
      message: expect.stringMatching(/^the absence of 0x0*deadbeef in block 0 cannot be proven: the remote refuses/),
    })
    const asked = remote.methods.length
    expect(await errorOf(accountOf(fork, NOBODY))).toMatchObject({ code: 'FORK_UNPROVEN' })
    expect(remote.methods.slice(asked)).toEqual(['eth_getProof', 'eth_getCode'])
  })

  test('exists when the witness says so', async () => {
    const remote = await openRemote()
    remote.lie = ({ method }, result) => (method === 'eth_getProof' ? new Refusal(-32000, 'Account not found') : result)
    const fork = await openTestFork(remote, { mode: 'proofs' })
    expect(await errorOf(accountOf(fork, hexToBytes(ALICE.address)))).toEqual({
      code: 'PROOF_INVALID',
      message: expect.stringContaining('the account exists'),
    })
  })

  test('is not believed absent without the nodes that prove it', async () => {
    const remote = await openRemote()
    remote.lie = ({ method }, result) =>
      method === 'isonode_callWitness' ? { ...(result as object), state: [] } : result
    const fork = await openTestFork(remote, { mode: 'proofs' })
    expect(await errorOf(accountOf(fork, NOBODY))).toMatchObject({ code: 'PROOF_INVALID' })
  })
})
