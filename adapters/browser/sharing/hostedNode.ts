/**
 * The node of a worker, as the tabs use it.
 * @module
 */

import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../../src/base/primitives/errors.ts'
import { RequestError } from '../../../src/rpc/providerContract.ts'
import { keys } from '../../../src/storage/schema.ts'
import { decodeSubmission } from '../../../src/txpool/decode.ts'
import { transactionHash } from '../../../src/types/transactionCodec.ts'
import { internalsOf } from '../../shared/localNode.ts'
import type { BrowserNode, BrowserNodeOptions } from '../contract.ts'
import { createBrowserNode } from '../index.ts'
import { withLayer } from '../storeLayer.ts'
import { ClientRecords } from './clientRecords.ts'
import { ClientRequests } from './clientRequests.ts'
import { isRepeatableBody, kindOf } from './methodKind.ts'
import type { FetchMessage, HttpResponseParts, ImportMessage, QuestionMessage, RequestMessage } from './wire.ts'

/** The requests and events of one tab. */
export type TabProvider = ReturnType<ReturnType<typeof internalsOf>['openProvider']>

export interface HostedNode {
  readonly node: BrowserNode
  /** Whether the chain is in a database. */
  readonly isKept: boolean
  openProvider(): TabProvider
  /** Answers a tab. @throws {RequestError} */
  answer(tab: string, message: QuestionMessage, provider: TabProvider): Promise<unknown>
  close(): Promise<void>
}

/** Entries that a node reads from the start, mostly one after another. Each reading of a database takes a millisecond or more. */
const FIRST_KEYS = [
  ...(
    [
      'schemaVersion',
      'migratingFrom',
      'genesisHash',
      'genesis',
      'preimages',
      'runs',
      'stateFrom',
      'head',
      'stateVersion',
      'safe',
      'finalized',
      'rules',
      'flatRoot',
      'loading',
      'derived:termSections',
      'derived:spentTerms',
      'prunedTo',
    ] as const
  ).map(keys.meta),
  keys.canonicalHash(0),
]

const RECEIPT_POLL_MS = 50
const RECEIPT_WAIT_MS = 30_000

/** @throws {NodeError} as createBrowserNode */
export async function openHostedNode(options: BrowserNodeOptions): Promise<HostedNode> {
  let records: ClientRecords | undefined
  const recorded = withLayer(options, async (store) => {
    ;[records] = await Promise.all([ClientRecords.open(store), store.load({ kind: 'keys', keys: FIRST_KEYS })])
    return records
  })
  const node = await createBrowserNode(recorded)
  const requests = new ClientRequests(records)
  const receiptOf = async (hash: string): Promise<unknown> => {
    for (let waitedMs = 0; waitedMs < RECEIPT_WAIT_MS; waitedMs += RECEIPT_POLL_MS) {
      const receipt = await node.request('eth_getTransactionReceipt', [hash])
      if (receipt !== null) return receipt
      await new Promise((resolve) => setTimeout(resolve, RECEIPT_POLL_MS))
    }
    throw new RequestError({ code: -32000, message: `the transaction ${hash} is not mined yet` })
  }
  const ask = (tab: string, message: RequestMessage, provider: TabProvider): Promise<unknown> => {
    const { method, id } = message
    const kind = kindOf(method)
    const params = paramsOf(message)
    const run = (): Promise<unknown> => provider.request(method, params)
    if (kind === 'read') return run()
    if (kind === 'raw') return requests.beside(() => (message.isRepeated ? sentAgain(node, params, run) : run()))
    return requests.once({ id: `${tab}:${id}`, kind, run, receiptOf })
  }
  const fetch = (tab: string, { id, request }: FetchMessage): Promise<unknown> => {
    const run = async (): Promise<HttpResponseParts> => responseParts(await node.fetch(requestOf(request)))
    if (isRepeatableBody(request.body)) return run()
    return requests.once({ id: `${tab}:${id}`, kind: 'change', run, receiptOf })
  }
  const importBlocks = ({ blocks, verifySeal }: ImportMessage): Promise<unknown> =>
    requests.beside(() => node.import(blocks, { verifySeal }))
  return {
    node,
    isKept: records !== undefined,
    openProvider: () => internalsOf(node).openProvider(),
    answer: async (tab, message, provider) => {
      switch (message.isonode) {
        case 'request':
          return ask(tab, message, provider)
        case 'fetch':
          return fetch(tab, message)
        case 'import':
          return importBlocks(message)
      }
    },
    close: () => node.close(),
  }
}

function paramsOf({ params }: RequestMessage): readonly unknown[] | object {
  try {
    return JSON.parse(params) as readonly unknown[] | object
  } catch {
    throw new RequestError({ code: -32700, message: 'the parameters are no JSON' })
  }
}

/** Sends a signed transaction that the node may have. */
async function sentAgain(
  node: BrowserNode,
  params: readonly unknown[] | object,
  send: () => Promise<unknown>,
): Promise<unknown> {
  try {
    return await send()
  } catch (error) {
    const hash = Array.isArray(params) ? hashOfRaw(params[0]) : undefined
    const known = hash && (await node.request('eth_getTransactionByHash', [hash]))
    if (known) return hash
    throw error
  }
}

/** @returns undefined for what is no transaction */
function hashOfRaw(raw: unknown): string | undefined {
  if (typeof raw !== 'string') return undefined
  try {
    return bytesToHex(transactionHash(decodeSubmission(hexToBytes(raw)).transaction))
  } catch (error) {
    if (isNodeError(error) || error instanceof RangeError || error instanceof TypeError) return undefined
    throw error
  }
}

function requestOf({ url, method, headers, body }: FetchMessage['request']): Request {
  return new Request(url, {
    method,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    ...(body === undefined ? {} : { body }),
  })
}

async function responseParts(response: Response): Promise<HttpResponseParts> {
  return { status: response.status, headers: [...response.headers], body: await response.text() }
}
