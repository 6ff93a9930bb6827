/**
 * The libraries for private transactions, unchanged, against a network of three validators. They are installed in
 * `$PEERS_CACHE/web3js-quorum` and `$PEERS_CACHE/web3j-besu` (default: .cache/peers); the second needs Java.
 *
 * Both encode changes of flexible groups for an older contract, which takes keys as `bytes32`. The tests encode these calls
 * themselves.
 * @module
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { needsTool } from '../support/host/needs.ts'
import { adding, LOCK, PROXY, removing } from '../support/private/flexibleGroup.ts'
import {
  eventually,
  NETWORK_CHAIN_ID,
  type PrivateMember,
  startPrivateNetwork,
} from '../support/private/privateNetwork.ts'
import { COUNTER_CODE, SENDER, SENDER_KEY } from '../support/private/privateNode.ts'

const cache = process.env['PEERS_CACHE'] ?? path.resolve(import.meta.dirname, '../../.cache/peers')
const javascript = path.join(cache, 'web3js-quorum/node_modules/web3js-quorum/package.json')
const java = path.join(cache, 'web3j-besu/lib')
const JAVA_PROGRAM = path.join(import.meta.dirname, 'clients/PrivacyGroups.java')
const FLEXIBLE = '--privacy-flexible-groups-enabled'

let running: readonly PrivateMember[] = []

afterEach(async () => {
  for (const member of running) await member.end('stop')
  running = []
})

const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`

interface Receipt {
  readonly status: string
  readonly contractAddress: string
  readonly privacyGroupId: string
  readonly logs: readonly unknown[]
}

type Options = Record<string, unknown>

/** The part of the library that the test uses. */
interface Web3Quorum {
  readonly priv: {
    generateAndSendRawTransaction(options: Options): Promise<string>
    generateAndDistributeRawTransaction(options: Options): Promise<string>
    waitForTransactionReceipt(hash: string): Promise<Receipt>
    getPrivateTransaction(hash: string): Promise<Record<string, unknown> | null>
    getTransactionCount(address: string, group: string): Promise<number>
    createPrivacyGroup(options: Options): Promise<string>
    findPrivacyGroup(keys: readonly string[]): Promise<readonly { readonly privacyGroupId: string }[]>
    deletePrivacyGroup(group: string): Promise<string>
    getPrivacyPrecompileAddress(): Promise<string>
    getCode(group: string, address: string, block: string): Promise<string>
    call(group: string, call: Options, block?: string): Promise<string>
    getLogs(group: string, filter: Options): Promise<readonly Options[]>
    debugGetStateRoot(group: string, block: string): Promise<string>
    newFilter(group: string, filter: Options): Promise<string>
    getFilterLogs(group: string, filter: string): Promise<readonly Options[]>
    uninstallFilter(group: string, filter: string): Promise<boolean>
    subscribeWithPooling(
      group: string,
      filter: Options,
      callback: (error: unknown, result: unknown) => void,
    ): Promise<{ on(event: string, listener: (log: Options) => void): void; unsubscribe(): Promise<unknown> }>
  }
  readonly utils: { generatePrivacyGroup(options: Options): string }
  readonly eth: {
    readonly flexiblePrivacyGroup: {
      find(keys: readonly string[]): Promise<readonly { readonly members: readonly string[] }[]>
    }
  }
}

function web3(member: PrivateMember): Web3Quorum {
  const require = createRequire(javascript)
  const Web3 = require('web3')
  const Quorum = require('web3js-quorum')
  return new Quorum(new Web3(member.node.url))
}

const privateKey = SENDER_KEY.slice(2)

/** Deploys a contract, sends to it and calls it. @returns the group */
async function use({ priv }: Web3Quorum, recipients: Options): Promise<string> {
  const send = async (fields: Options): Promise<Receipt> => {
    const hash = await priv.generateAndSendRawTransaction({ ...recipients, privateKey, ...fields })
    return priv.waitForTransactionReceipt(hash)
  }
  const { contractAddress, privacyGroupId, status } = await send({ data: COUNTER_CODE })
  expect(status).toBe('0x1')
  const sent = await send({ to: contractAddress, data: word(42) })
  expect([sent.status, sent.logs.length]).toEqual(['0x1', 1])
  expect(await priv.call(privacyGroupId, { to: contractAddress, data: '0x' })).toBe(word(42))
  expect((await priv.getCode(privacyGroupId, contractAddress, 'latest')).length).toBeGreaterThan(2)
  expect(await priv.getLogs(privacyGroupId, { fromBlock: '0x0', address: contractAddress })).toHaveLength(1)
  const filter = await priv.newFilter(privacyGroupId, { fromBlock: '0x0', address: contractAddress })
  expect(await priv.getFilterLogs(privacyGroupId, filter)).toHaveLength(1)
  expect(await priv.uninstallFilter(privacyGroupId, filter)).toBe(true)
  return privacyGroupId
}

describe('web3js-quorum', needsTool('web3js-quorum', existsSync(javascript)), () => {
  it('uses legacy groups and groups of the enclave', async () => {
    const members = await startPrivateNetwork()
    running = members
    const [first, second] = members
    const client = web3(first)
    const { priv, utils } = client
    expect(await priv.getPrivacyPrecompileAddress()).toMatch(/7e$/)
    const keys = { privateFrom: first.key, privateFor: [second.key] }
    const legacy = await use(client, keys)
    expect(utils.generatePrivacyGroup(keys)).toBe(legacy)

    const group = await priv.createPrivacyGroup({
      addresses: [first.key, second.key],
      name: 'name',
      description: 'description',
    })
    expect((await priv.findPrivacyGroup([first.key, second.key])).map((found) => found.privacyGroupId)).toContain(group)
    const own = { privateFrom: first.key, privacyGroupId: group }
    expect(await use(client, own)).toBe(group)
    expect(await priv.getTransactionCount(SENDER, group)).toBe(2)
    expect(await priv.debugGetStateRoot(group, 'latest')).toMatch(/^0x[0-9a-f]{64}$/)

    const hash = await priv.generateAndSendRawTransaction({ ...own, privateKey, data: COUNTER_CODE })
    const { contractAddress } = await priv.waitForTransactionReceipt(hash)
    const logs: unknown[] = []
    const subscription = await priv.subscribeWithPooling(group, { address: contractAddress }, () => {})
    subscription.on('data', (log) => logs.push(log))
    const sent = await priv.generateAndSendRawTransaction({ ...own, privateKey, to: contractAddress, data: word(7) })
    await priv.waitForTransactionReceipt(sent)
    await eventually(async () => expect(logs).toHaveLength(1))
    await subscription.unsubscribe()
    expect(await priv.getPrivateTransaction(sent)).toMatchObject({ privacyGroupId: group, input: word(7) })
    const distributed = { ...own, privateKey, to: contractAddress, data: word(8) }
    expect(await priv.generateAndDistributeRawTransaction(distributed)).toMatch(/^0x[0-9a-f]{64}$/)
    expect(await priv.deletePrivacyGroup(group)).toBe(group)
  })

  it('uses flexible groups', async () => {
    const members = await startPrivateNetwork([FLEXIBLE])
    running = members
    const [first, second, third] = members
    const client = web3(first)
    const { priv, eth } = client
    const privacyGroupId = Buffer.alloc(32, 7).toString('base64')
    const change = async (data: string): Promise<void> => {
      const fields = { privateFrom: first.key, privacyGroupId, privateKey, to: PROXY, data }
      const hash = await priv.generateAndSendRawTransaction(fields)
      expect((await priv.waitForTransactionReceipt(hash)).status).toBe('0x1')
    }
    const membersOf = async (key: string) => (await eth.flexiblePrivacyGroup.find([key])).map(({ members }) => members)
    await change(adding(first.key, second.key))
    await use(client, { privateFrom: first.key, privacyGroupId })
    await change(LOCK)
    await change(adding(third.key))
    expect(await membersOf(third.key)).toEqual([[first.key, second.key, third.key]])
    await change(removing(second.key))
    expect(await membersOf(third.key)).toEqual([[first.key, third.key]])
  })
})

describe('web3j', needsTool('web3j', existsSync(java)), () => {
  it.each([
    ['legacy groups and groups of the enclave', 'keys', []],
    ['flexible groups', 'flexible', [FLEXIBLE]],
  ])('uses %s', async (_, kind, options) => {
    const members = await startPrivateNetwork(options)
    running = members
    const [first, second] = members
    const { stdout } = await promisify(execFile)('java', [
      ...['-cp', path.join(java, '*'), JAVA_PROGRAM],
      ...[
        first.node.url,
        String(NETWORK_CHAIN_ID),
        first.key,
        second.key,
        COUNTER_CODE,
        kind,
        adding(first.key, second.key),
      ],
    ])
    expect(stdout.trim()).toMatch(/passed$/)
  })
})
