import { afterEach, expect, it } from 'vitest'
import type { KeySigner } from '../../../src/base/ports/keySigner.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { NO_BFT_NETWORK } from '../../../src/consensus/bft/messages/packets.ts'
import type { IsoNode } from '../../../src/node/node.ts'
import { addressOf, SIGNERS } from '../../support/chains/bftHeaders.ts'
import { FakeTime } from '../../support/host/fakeTime.ts'
import { bftGenesis, importOnHead } from '../../support/nodes/bftNode.ts'
import { GENESIS_SECONDS, openGenesisNode } from '../../support/nodes/genesisNode.ts'

const opened: IsoNode[] = []
afterEach(async () => {
  for (const node of opened.splice(0)) await node.close()
})

/** @param index of the node's key in SIGNERS */
async function openNode(index: number, lines: string[]): Promise<IsoNode> {
  const time = new FakeTime((GENESIS_SECONDS + 1000) * 1000)
  const info = (message: string, { address = '', fromBlock = '', number = '' }: Record<string, unknown> = {}): void =>
    void lines.push([message, address, fromBlock, number].filter((part) => part !== '').join(' '))
  const logger = { ...silentLogger, info, child: () => logger }
  const signer = SIGNERS[index] as KeySigner
  const host = { clock: time, timers: time, bftNetwork: NO_BFT_NETWORK, logger, signer }
  const options = { 'p2p-enabled': false, 'rpc-http-api': ['QBFT'] }
  const node = await openGenesisNode(bftGenesis({ qbft: { epochlength: 100 } }, 4), options, host)
  opened.push(node)
  await node.goOnline()
  return node
}

async function request(node: IsoNode, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await node.endpoints.get('http').exchange.handle({ body })
  return (JSON.parse(answer.body) as { result: unknown }).result
}

const newcomer = bytesToHex(addressOf(4))

/** Each validator votes in a block of its own. */
async function voteInBlocks({ chain }: IsoNode, voters: readonly number[], isAdd: boolean): Promise<void> {
  const vote = { recipient: addressOf(4), isAdd }
  for (const voter of voters) await importOnHead(chain, voter, [0, 1, 2, 3], { vote })
}

it('every node logs validators that are added and removed, and its own part', async () => {
  const [others, own]: [string[], string[]] = [[], []]
  for (const [index, lines] of [
    [6, others],
    [4, own],
  ] as const) {
    const node = await openNode(index, lines)
    await voteInBlocks(node, [0, 1, 2], true)
    await voteInBlocks(node, [0, 1, 2], false)
  }
  const changes = (lines: readonly string[]): string[] => lines.filter((line) => line.includes(newcomer))
  const added = `validator added ${newcomer} 4`
  const removed = `validator removed ${newcomer} 7`
  expect(changes(others)).toEqual([added, removed])
  const [begins, ends] = [
    `this node is now a validator ${newcomer} 4`,
    `this node is no longer a validator ${newcomer} 7`,
  ]
  expect(changes(own)).toEqual([added, begins, removed, ends])
})

it('a node that makes no blocks logs each head', async () => {
  const lines: string[] = []
  await voteInBlocks(await openNode(6, lines), [0, 1], true)
  expect(lines.filter((line) => line.startsWith('imported'))).toEqual(['imported a block 1', 'imported a block 2'])
})

it('a proposal that is fulfilled does not vote again', async () => {
  const lines: string[] = []
  const node = await openNode(0, lines)
  await request(node, 'qbft_proposeValidatorVote', newcomer, true)
  await voteInBlocks(node, [1, 2], true)
  await voteInBlocks(node, [3], true)
  expect(lines).toContain(`the proposal to add a validator is fulfilled ${newcomer}`)
})
