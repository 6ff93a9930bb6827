/**
 * Replays the recorded requests to validators and signers while our nodes, with the recorded keys, make the chain
 * themselves: each request is sent when the asked node has the recorded head, and the votes must have the same effects in
 * the same order.
 */
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../src/base/primitives/bytes.ts'
import { decodeBlock } from '../../src/types/blockCodec.ts'
import { readBlocks } from '../../src/types/blockSplitter.ts'
import { encodeTransaction } from '../../src/types/transactionCodec.ts'
import { BFT_CHAINS } from '../support/chains/bftChains.ts'
import { blockFile, RECORDED_CHAINS, type RecordedChain } from '../support/recorded/recordedChains.ts'
import { actualReply, expectedReply, type TranscriptStep, transcriptOf } from '../support/recorded/transcripts.ts'
import { LiveNetwork, type LiveNode } from './liveNetwork.ts'

/** Virtual time until the recorded head is reached, or a vote has its effect. */
const MAX_WAIT_MS = 120_000
const POLL_MS = 250
const GROUPS = ['ETH', 'NET', 'MINER', 'CLIQUE', 'IBFT', 'QBFT'] as const
/** Their parameters or results are of the recorded chain only. */
const OTHER_CHAIN = new Set(['clique_getSignersAtHash', 'net_peerCount', 'eth_blockNumber'])

/** Transactions of the recorded blocks, by number. */
async function recordedTransactions(name: string): Promise<ReadonlyMap<number, readonly string[]>> {
  const recorded = [...RECORDED_CHAINS, ...BFT_CHAINS].find(({ folder }) => folder === `besu/${name}`) as RecordedChain
  const found = new Map<number, readonly string[]>()
  for await (const rlp of readBlocks([blockFile(recorded)])) {
    const { header, transactions } = decodeBlock(rlp)
    found.set(
      Number(header.number),
      transactions.map((transaction) => bytesToHex(encodeTransaction(transaction))),
    )
  }
  return found
}

const request = (method: string, ...params: readonly unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params })

/** Counts of proposed blocks differ, the listed signers do not. */
function comparable(reply: ReturnType<typeof actualReply>, method: string): unknown {
  if (!method.endsWith('_getSignerMetrics') || !('result' in reply) || !Array.isArray(reply.result)) return reply
  return { ...reply, result: reply.result.map((metric: { address: string }) => [metric.address, Object.keys(metric)]) }
}

class Replay {
  readonly #name: string
  readonly #live: LiveNetwork
  answered = 0

  constructor(name: string, live: LiveNetwork) {
    this.#name = name
    this.#live = live
  }

  async step(step: TranscriptStep): Promise<void> {
    const { node: asked = '', block = 0, request: recorded, event } = step
    if (event !== undefined) return this.#stop(event)
    if (recorded === undefined || OTHER_CHAIN.has(recorded.method)) return
    const node = this.#live.nodes.get(asked) as LiveNode
    // The recorded client withdrew these votes before the next block was built.
    const isImmediate = step.note === 'at the start' && this.answered > 0
    const where = `step ${step.n}: ${recorded.method} ${step.note ?? ''}`
    expect(
      await this.#live.until(() => isImmediate || node.height >= block, MAX_WAIT_MS),
      `${where}: block ${block}`,
    ).toBe(true)
    const { method } = recorded
    const expected = comparable(expectedReply(step, !this.#name.startsWith('clique')), method)
    const deadline = this.#live.world.now + MAX_WAIT_MS
    for (;;) {
      const { status, body } = await node.ask(recorded)
      const reply = comparable(actualReply(status, method, body), method)
      if (isDeepStrictEqual(reply, expected)) break
      // A set of validators changes when enough of them have proposed a block with their vote.
      if (!/_get(Validators|Signer)/.test(method) || this.#live.world.now > deadline)
        expect(reply, where).toEqual(expected)
      await this.#live.world.pass(POLL_MS)
    }
    this.answered++
  }

  /** A stopped member that the others cannot replace stops the chain. */
  async #stop(event: string): Promise<void> {
    const [name = ''] = event.split(' ')
    this.#live.nodes.get(name)?.stop()
    const [first] = this.#live.nodes.values()
    const before = first?.height ?? 0
    await this.#live.world.pass(60_000)
    const grown = (first?.height ?? 0) - before
    if (/no quorum|one of two/.test(event)) expect(grown, event).toBeLessThan(2)
    else expect(grown, event).toBeGreaterThan(2)
  }
}

describe('recorded requests of operators, on chains that our nodes make', () => {
  const names = ['clique-live', 'ibft2-rounds', 'ibft2-transitions', 'ibft2-to-qbft', 'qbft-rounds']
  it.each([...names, 'qbft-contract', 'qbft-transitions'])('%s', { timeout: 60_000 }, async (name) => {
    const transcript = transcriptOf(name)
    const transactions = await recordedTransactions(name)
    const live = new LiveNetwork({
      genesis: transcript.genesis,
      signers: transcript.signers,
      options: { 'rpc-http-api': GROUPS, 'min-gas-price': 0n },
      onHead: (node, number) => {
        for (const raw of transactions.get(number + 1) ?? []) void node.ask(request('eth_sendRawTransaction', raw))
      },
    })
    await live.start()
    const replay = new Replay(name, live)
    for (const step of transcript.steps) await replay.step(step)
    expect(replay.answered).toBeGreaterThan(5)
    if (name === 'ibft2-to-qbft') await continues(live)
  })
})

/** The recorded implementation stops below the start block of QBFT. */
async function continues(live: LiveNetwork): Promise<void> {
  const node = live.nodes.get('n1') as LiveNode
  expect(await live.until(() => node.height >= 15, MAX_WAIT_MS)).toBe(true)
  const validators = [...live.nodes.values()].map(({ signer }) => bytesToHex(signer.address)).sort()
  const { body } = await node.ask(request('qbft_getValidatorsByBlockNumber', 'latest'))
  expect(JSON.parse(body)).toMatchObject({ result: validators })
  const old = await node.ask(request('ibft_getValidatorsByBlockNumber', 'latest'))
  expect(JSON.parse(old.body)).toMatchObject({ error: { code: -32604 } })
}
