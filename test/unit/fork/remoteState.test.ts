// slow: compares whole states of a remote in several modes
import { describe, expect, test } from 'vitest'
import type { RemoteBlock } from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { VerifyMode } from '../../../src/fork/contract.ts'
import type { AccountEntry, StateReader } from '../../../src/state/contract.ts'
import { MapSource } from '../../support/fork/mapSource.ts'
import { methodNotFound, type NodeRemote, Refusal } from '../../support/fork/nodeRemote.ts'
import { errorOf, openTestFork, type TestFork } from '../../support/fork/openTestFork.ts'
import { openRecordedRemote, type RecordedRemote } from '../../support/fork/recordedRemote.ts'

const SENDER = hexToBytes('0x627306090abab3a6e1400e9345bc60c78a8bef57')
const NOBODY = hexToBytes('0x00000000000000000000000000000000deadbeef')

function stateOf({ chain, backend }: RecordedRemote, number: number): StateReader {
  const header = chain.headerByNumber(number)
  if (header === undefined) throw new Error(`no block ${number}`)
  const state = backend.states.at(header)
  if (state === undefined) throw new Error(`block ${number} has no state`)
  return state
}

function blockOf({ chain }: RecordedRemote, number: number): RemoteBlock {
  const header = chain.headerByNumber(number)
  if (header === undefined) throw new Error(`no block ${number}`)
  return { number, hash: header.hash, stateRoot: header.header.stateRoot }
}

const START = new Uint8Array(32)
const known = (state: StateReader): AccountEntry[] => state.accounts(START, 1000).filter(({ address }) => address)

/** Compares each account, code and slot whose address and slot are known. @returns how many */
async function compare(fork: TestFork, block: RemoteBlock, expected: StateReader): Promise<number> {
  let count = 0
  for (const { address, account } of known(expected)) {
    if (address === undefined) continue
    const found = await fork.read(() => fork.state.account(block, address))
    expect([found?.nonce, found?.balance, found?.codeHash]).toEqual([account.nonce, account.balance, account.codeHash])
    if (found?.storageRoot !== undefined) expect(found.storageRoot).toEqual(account.storageRoot)
    const code = await fork.read(() => fork.state.code(block, address, account.codeHash))
    expect(Buffer.compare(code, expected.getCode(address))).toBe(0)
    count++
    for (const { slot, value } of expected.storage(address, START, 1000)) {
      if (slot === undefined) continue
      expect(Buffer.compare(await fork.read(() => fork.state.storage(block, address, slot)), value)).toBe(0)
      count++
    }
  }
  return count
}

const withoutProofs = (remote: NodeRemote): void => {
  remote.lie = ({ method }, result) => (method === 'eth_getProof' ? methodNotFound(method) : result)
}
const withoutHashes = (remote: NodeRemote): void => {
  remote.lie = ({ params }, result) =>
    params.some((param) => typeof param === 'object' && param !== null && 'blockHash' in param)
      ? new Refusal(-32602, 'invalid argument 1: json: cannot unmarshal object into Go value of type string')
      : result
}

describe('state of a remote', () => {
  const honest = (): void => {}
  test.each<readonly [string, VerifyMode, (remote: NodeRemote) => void]>([
    ['proven', 'proofs', honest],
    ['proven where the remote has proofs', 'auto', honest],
    ['as plain values', 'none', honest],
    ['of a remote without proofs', 'auto', withoutProofs],
    ['proven, of a remote that knows blocks by number only', 'proofs', withoutHashes],
    ['plain, of a remote that knows blocks by number only', 'none', withoutHashes],
  ])('%s: accounts, codes and slots at the fork block and below it are those of the remote', async (_, mode, limit) => {
    const recorded = await openRecordedRemote('besu/osaka')
    limit(recorded.remote)
    const fork = await openTestFork(recorded.remote, { mode })
    const head = Number(recorded.chain.head.header.number)
    expect(await compare(fork, fork.state.forkBlock, stateOf(recorded, head))).toBeGreaterThan(20)
    expect(await compare(fork, blockOf(recorded, head - 3), stateOf(recorded, head - 3))).toBeGreaterThan(20)
    expect(fork.unverified.length).toBe(limit === withoutProofs ? 1 : 0)
    const nobody = fork.read(() => fork.state.account(fork.state.forkBlock, NOBODY))
    // Besu, whose errors and methods this remote has, proves no account that does not exist.
    if (mode === 'proofs') expect(await errorOf(nobody)).toMatchObject({ code: 'FORK_UNPROVEN' })
    else expect(await nobody).toBeUndefined()
  })

  test('a second fork of the same block asks nothing', async () => {
    const recorded = await openRecordedRemote('besu/osaka')
    const source = new MapSource()
    const first = await openTestFork(recorded.remote, { source })
    await compare(first, first.state.forkBlock, stateOf(recorded, first.point.block.number))
    const reference = { kind: 'number', number: first.point.block.number } as const
    const asked = recorded.remote.batches.length
    const second = await openTestFork(recorded.remote, { source, reference })
    await compare(second, second.state.forkBlock, stateOf(recorded, second.point.block.number))
    expect(recorded.remote.batches.length).toBe(asked)
  })

  test('offline, what was fetched is there, and what is missing is named', async () => {
    const { remote, chain } = await openRecordedRemote('besu/osaka')
    const first = await openTestFork(remote)
    const block = first.state.forkBlock
    const account = await first.read(() => first.state.account(block, SENDER))
    const reference = { kind: 'hash', hash: chain.head.hash } as const
    const offline = await openTestFork(undefined, { source: first.source, reference })
    expect(await offline.read(() => offline.state.account(block, SENDER))).toEqual(account)
    expect(await errorOf(offline.read(() => offline.state.account(block, NOBODY)))).toEqual({
      code: 'FORK_OFFLINE',
      message: expect.stringContaining(bytesToHex(NOBODY)),
    })
    expect(await errorOf(openTestFork(undefined, { source: first.source }))).toMatchObject({ code: 'FORK_OFFLINE' })
  })

  test('a remote that deleted the state', async () => {
    const { remote } = await openRecordedRemote('besu/osaka')
    const fork = await openTestFork(remote, { reference: { kind: 'number', number: 10 } })
    remote.lie = ({ method }, result) =>
      method === 'eth_getBlockByNumber' || method === 'eth_blockNumber'
        ? result
        : new Refusal(-32000, 'missing trie node 0xabc (path )')
    expect(await errorOf(fork.read(() => fork.state.account(fork.state.forkBlock, SENDER)))).toEqual({
      code: 'FORK_STATE_PRUNED',
      message: expect.stringMatching(/state of block 10, 24 blocks below its head: an archive node is needed/),
    })
  })

  test('a remote whose chain was reorganised', async () => {
    const { remote, chain } = await openRecordedRemote('besu/osaka')
    const fork = await openTestFork(remote, { reference: { kind: 'number', number: 10 } })
    const other = bytesToHex(chain.head.hash)
    remote.lie = ({ method }, result) =>
      method === 'eth_getBlockByNumber'
        ? { ...(result as object), hash: other }
        : new Refusal(-32000, 'header not found')
    expect(await errorOf(fork.read(() => fork.state.account(fork.state.forkBlock, SENDER)))).toEqual({
      code: 'FORK_BLOCK_CHANGED',
      message: `block 10 of the remote changed from ${bytesToHex(fork.point.block.hash)} to ${other}`,
    })
  })
})
