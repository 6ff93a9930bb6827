// slow: many nodes, one for each method
/** Every method of the specification, sent to a node that serves it. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { errorRow } from '../../../src/rpc/errors.ts'
import { EXAMPLES } from '../../docs/examples/index.ts'
import {
  type Answer,
  type Call,
  type ExampleNode,
  openExampleNode,
  webSocketCall,
} from '../../docs/reference/exampleChain.ts'
import { DEFINITIONS } from '../../docs/reference/methodPages.ts'
import { openExample } from '../../docs/reference/openExample.ts'
import { BOB } from '../../support/nodes/devChain.ts'
import { GENESIS_SECONDS, openGenesisNode } from '../../support/nodes/genesisNode.ts'
import { specificationPath } from '../../support/recorded/conformance.ts'

const file = specificationPath('methods.json')
const NAMES = namesOf(readFileSync(file, 'utf8'))

/** Documented errors of requests that have no result in any of the example chains. */
const ERRORS: Readonly<Record<string, string>> = {
  debug_standardTraceBadBlockToFile: 'BLOCK_NOT_FOUND',
  plugins_reloadPluginConfig: 'PLUGIN_NOT_FOUND',
}
/** Examples whose result is null: blocks without uncles, and a position without a trace. */
const EMPTY: readonly string[] = ['eth_getUncleByBlockHashAndIndex', 'eth_getUncleByBlockNumberAndIndex', 'trace_get']
const CONCURRENCY = 8
/** Any nonce seals a block. */
const PROOF_OF_WORK = JSON.stringify({
  config: { chainId: 2130, londonBlock: 0, ethash: { fixeddifficulty: 1 } },
  difficulty: '0x1',
  gasLimit: '0x1c9c380',
  timestamp: `0x${GENESIS_SECONDS.toString(16)}`,
  alloc: {},
})
/** Requests to a miner, in place of the examples on the dev chain. */
const MINING: Readonly<Record<string, (call: Call) => Promise<readonly unknown[]>>> = {
  eth_coinbase: async () => [],
  eth_getWork: async () => [],
  eth_hashrate: async () => [],
  eth_mining: async () => [],
  eth_submitHashrate: async () => ['0x01f4', `0x${'11'.repeat(32)}`],
  eth_submitWork: async (call) => {
    const [powHash] = (await call('eth_getWork')).result as readonly string[]
    return [`0x${'00'.repeat(8)}`, powHash, `0x${'00'.repeat(32)}`]
  },
  miner_changeTargetGasLimit: async () => [30_000_000],
  miner_setCoinbase: async () => [BOB.address],
  miner_setEtherbase: async () => [BOB.address],
  miner_start: async () => [],
  miner_stop: async () => [],
}

function namesOf(text: string): readonly string[] {
  return (JSON.parse(text) as readonly { readonly method: string }[]).map(({ method }) => method)
}

/** A miner that leaves the search to others. */
async function openMiner(): Promise<{ readonly call: Call; readonly close: () => Promise<void> }> {
  const options = {
    'rpc-profile': 'besu',
    'rpc-ws-api': ['ETH', 'MINER'],
    'miner-enabled': true,
    'miner-coinbase': BOB.address,
    'ethash-test-mode': true,
    'p2p-enabled': false,
  } as const
  const nothing = () => {}
  const idle = { hashrate: 0, start: nothing, stop: nothing, pause: nothing, useDatasets: nothing, close: nothing }
  const node = await openGenesisNode(PROOF_OF_WORK, options, { openSealSearch: () => idle })
  await node.goOnline()
  const call = webSocketCall({ node })
  await vi.waitFor(async () => expect(await call('eth_getWork')).toHaveProperty('result'), {
    timeout: 30_000,
    interval: 5,
  })
  return { call, close: () => node.close() }
}

describe('every method of the specification', () => {
  let shared: ExampleNode
  beforeAll(async () => {
    shared = await openExampleNode('besu')
  })
  afterAll(() => shared.close())

  async function answerOf(name: string): Promise<Answer> {
    const mining = MINING[name]
    if (mining !== undefined) {
      const { call, close } = await openMiner()
      const answer = await call(name, ...(await mining(call)))
      await close()
      return answer
    }
    const { params = [], before, changesNothing, on } = EXAMPLES[definitionOf(name).name] ?? {}
    const { chain, call, close } = changesNothing === true ? shared : await openExample(on, 'besu')
    const fromBefore = await before?.(call, chain)
    const answer = await call(name, ...(fromBefore ?? (typeof params === 'function' ? params(chain) : params)))
    if (changesNothing !== true) await close()
    return answer
  }

  it('has an answer with a result', async () => {
    const answers = await inParts(NAMES, async (name) => [name, await answerOf(name)] as const)
    const without = Object.fromEntries(answers.filter(([, answer]) => !('result' in answer)))
    const empty = answers.filter(([, { result }]) => result === null).map(([name]) => name)
    const expected = Object.entries(ERRORS).map(([name, code]) => {
      expect(definitionOf(name).errors).toContain(code)
      const { code: number, message } = errorRow(code) ?? {}
      return [name, { error: { code: number, message } }]
    })
    expect(without).toEqual(Object.fromEntries(expected))
    expect(empty).toEqual(EMPTY)
    expect(Object.fromEntries(answers)).toMatchObject({
      eth_mining: { result: true },
      eth_submitWork: { result: true },
    })
    expect(answers).toHaveLength(134)
  })
})

/** Several at the same time, because a node waits before it seals. */
async function inParts<T>(names: readonly string[], make: (name: string) => Promise<T>): Promise<T[]> {
  const made: T[] = []
  for (let at = 0; at < names.length; at += CONCURRENCY) {
    made.push(...(await Promise.all(names.slice(at, at + CONCURRENCY).map(make))))
  }
  return made
}

function definitionOf(name: string): (typeof DEFINITIONS)[number] {
  const found = DEFINITIONS.find((definition) => [definition.name, ...(definition.aliases ?? [])].includes(name))
  if (found === undefined) throw new Error(`${name} is not implemented`)
  return found
}
