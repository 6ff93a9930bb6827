// slow: opens a fork for each changed answer
import process from 'node:process'
import { describe, expect, test } from 'vitest'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { isNodeError, NodeError } from '../../../src/base/primitives/errors.ts'
import { retryMisses } from '../../../src/storage/retryMisses.ts'
import type { NodeRemote } from '../../support/fork/nodeRemote.ts'
import { openTestFork, type TestFork } from '../../support/fork/openTestFork.ts'
import { plain } from '../../support/fork/plain.ts'
import { openRecordedRemote } from '../../support/fork/recordedRemote.ts'
import { Random } from '../../support/host/random.ts'
import { changedAnswers } from '../../support/remote/changedAnswers.ts'

const NUMBER = 2
const SENDER = hexToBytes('0x627306090abab3a6e1400e9345bc60c78a8bef57')
const REFUSALS = ['PROOF_INVALID', 'FORK_UNAVAILABLE', 'FORK_BLOCK_CHANGED', 'FORK_UNPROVEN', 'FORK_UNSUPPORTED']

const MS_PER_CHANGE = 500

const headerOf = (fork: TestFork) => fork.read(() => fork.chain.headerByNumber(NUMBER)?.header)

/** A read of a part of a block. */
function ofBlock<T>(read: (fork: TestFork, hash: Uint8Array) => T): (fork: TestFork) => Promise<T> {
  return async (fork) => {
    const hash = (await fork.read(() => fork.chain.canonicalHash(NUMBER))) as Uint8Array
    await fork.read(() => fork.chain.headerByHash(hash))
    return fork.read(() => read(fork, hash))
  }
}

const contractOf = (fork: TestFork): Promise<Uint8Array> =>
  ofBlock(({ chain }, hash) => chain.receipts(hash)?.find(({ contractAddress }) => contractAddress)?.contractAddress)(
    fork,
  ).then((address) => address ?? SENDER)

const SLOT = new Uint8Array(32)

const storageOf = (fork: TestFork, address: Uint8Array): Uint8Array =>
  fork.state.storage(fork.state.forkBlock, address, SLOT)

/** Reads that the answers of a method decide. */
const READS: readonly (readonly [what: string, method: string, read: (fork: TestFork) => Promise<unknown>])[] = [
  ['the header', 'eth_getBlockByNumber', headerOf],
  ['the body', 'eth_getBlockByHash', ofBlock(({ chain }, hash) => chain.body(hash))],
  ['the senders', 'eth_getBlockByHash', ofBlock(({ chain }, hash) => chain.senders(hash))],
  ['the size', 'eth_getBlockByHash', ofBlock(({ chain }, hash) => [chain.body(hash), chain.blockSize(hash)])],
  ['the receipts', 'eth_getBlockReceipts', ofBlock(({ chain }, hash) => chain.receipts(hash))],
  ['an account', 'eth_getProof', (fork) => fork.read(() => fork.state.account(fork.state.forkBlock, SENDER))],
  [
    'code',
    'eth_getCode',
    async (fork) => {
      const address = await contractOf(fork)
      const block = fork.state.forkBlock
      const account = await fork.read(() => fork.state.account(block, address))
      return fork.read(() => fork.state.code(block, address, account?.codeHash ?? new Uint8Array(32)))
    },
  ],
  [
    'a slot',
    'eth_getProof',
    async (fork) => {
      const address = await contractOf(fork)
      return fork.read(() => storageOf(fork, address))
    },
  ],
  [
    'what a call reads',
    'eth_createAccessList',
    async (fork) => {
      const to = await contractOf(fork)
      const cause = { sender: SENDER, to, value: 0n, data: new Uint8Array(0), beneficiary: new Uint8Array(20) }
      return retryMisses(
        () => [storageOf(fork, to), fork.state.account(fork.state.forkBlock, SENDER)],
        fork.store,
        20,
        cause,
      )
    },
  ],
  [
    'where a transaction is',
    'eth_getTransactionByHash',
    ofBlock(({ chain }, hash) => {
      const [first] = chain.transactionHashes(hash) ?? []
      return first && chain.transactionLocation(first)
    }),
  ],
]

/** Part of the changes that is refused at least. A hint is followed or not; of a transaction, its place is read. */
const LEAST_REFUSED: Readonly<Record<string, number>> = { eth_createAccessList: -1, eth_getTransactionByHash: 1 / 30 }

/** Of each read. */
const CHANGES = Math.ceil(Number(process.env['ISONODE_LONG_COUNT'] ?? 420) / READS.length)

async function outcomeOf(remote: NodeRemote, read: (fork: TestFork) => Promise<unknown>): Promise<unknown> {
  try {
    return plain(await read(await openTestFork(remote, { mode: 'proofs' })))
  } catch (error) {
    if (error instanceof NodeError) return error
    throw error
  }
}

describe('a remote that lies, where only proofs count', () => {
  test.each(READS)(
    'about %s in %s is refused, or changes nothing',
    async (_, method, read) => {
      const { remote } = await openRecordedRemote('besu/osaka')
      let honest: unknown
      remote.lie = (request, result) => {
        if (request.method === method && request.params[0] !== 'latest') honest = result
        return result
      }
      const truth = await outcomeOf(remote, read)
      // That a transaction does not exist, nothing proves.
      const isUnprovable = method === 'eth_getTransactionByHash'
      let refused = 0
      for (const { path, answer } of changedAnswers(honest, new Random(1), CHANGES)) {
        remote.lie = (request, result) =>
          request.method === method && JSON.stringify(result) === JSON.stringify(honest) ? answer : result
        const outcome = await outcomeOf(remote, read)
        const isRefused = isNodeError(outcome)
        if (isRefused) {
          expect(REFUSALS, `${path}: ${outcome.message}`).toContain(outcome.code)
          refused++
        } else if (outcome !== undefined || !isUnprovable) expect(outcome, path).toEqual(truth)
      }
      expect(refused / CHANGES).toBeGreaterThan(LEAST_REFUSED[method] ?? 1 / 6)
    },
    CHANGES * MS_PER_CHANGE,
  )
})
