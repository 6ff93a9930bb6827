/** Chains to import in every runtime, with requests and their expected results. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { recordedPath } from '../../support/recorded/conformance.ts'

export interface RuntimeRequest {
  readonly method: string
  readonly params: readonly unknown[]
  readonly result: unknown
}

export interface RuntimeChain {
  readonly name: string
  readonly genesisFile: string
  readonly blocksFile: string
  readonly requests: readonly RuntimeRequest[]
}

export const REPOSITORY: string = path.resolve(import.meta.dirname, '../../..')

const LONDON = path.join(REPOSITORY, 'test/vectors/besu/london')

/** Part of the repository. */
export const LONDON_CHAIN: RuntimeChain = {
  name: 'besu/london',
  genesisFile: path.join(LONDON, 'genesis.json'),
  blocksFile: path.join(LONDON, 'blocks.bin'),
  requests: JSON.parse(readFileSync(path.join(LONDON, 'requests.json'), 'utf8')) as RuntimeRequest[],
}

const FRONTIER_CASES = [
  'eth_blockNumber/eth_blockNumber.json',
  'eth_getBalance/d_a94f536ebf0b.json',
  'eth_call/eth_call_blockNumber.json',
  'eth_call/eth_call_latestBlock.json',
]

export const RUNTIME_CHAINS: readonly RuntimeChain[] = [LONDON_CHAIN, ...recordedFrontier()]

function recordedFrontier(): RuntimeChain[] {
  const folder = recordedPath('besu/frontier')
  const requests = FRONTIER_CASES.map((file): RuntimeRequest => {
    const recorded = JSON.parse(readFileSync(path.join(folder, 'cases', file), 'utf8')) as {
      request: { method: string; params: unknown[] }
      response: { result: unknown }
    }
    return { ...recorded.request, result: recorded.response.result }
  })
  return [
    {
      name: 'besu/frontier',
      genesisFile: path.join(folder, 'genesis.json'),
      blocksFile: path.join(folder, 'blocks.bin'),
      requests,
    },
  ]
}

/** Sends requests in sequence and returns their results in order. */
export type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>

export async function answers({ requests }: RuntimeChain, ask: Ask): Promise<unknown[]> {
  const results: unknown[] = []
  for (const { method, params } of requests) results.push(await ask(method, params))
  return results
}

export function expected({ requests }: RuntimeChain): unknown[] {
  return requests.map(({ result }) => result)
}

/** JSON-RPC over HTTP. */
export function askOver(post: (body: string) => Promise<{ json(): Promise<unknown> }>): Ask {
  return async (method, params) => {
    const response = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result
  }
}

export const JSON_POST = { method: 'POST', headers: { 'Content-Type': 'application/json' } } as const

export function askUrl(url: string): Ask {
  return askOver((body) => fetch(url, { ...JSON_POST, body }))
}
