/** Trace requests of debuggers and indexers, and the parts of the answers that they read. */
import { type Address, encodeErrorResult, type Hex, keccak256, parseAbi, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needsTool } from '../../support/host/needs.ts'
import { foundryTool, runTool } from '../../support/host/tools.ts'
import { type DevTarget, startDevNode } from '../../support/nodes/devNode.ts'
import { startNode } from '../../support/nodes/program.ts'
import { connect, deployToken, disconnect, TOKEN, TOKEN_SUPPLY, TRANSPORT_KINDS } from '../../support/rpc/viemClient.ts'
import { assembled, put } from './assembly.ts'

const RECIPIENT = '0x1234567890123456789012345678901234567890'
const TOTAL_SUPPLY = '0x18160ddd'
const TOO_LOW = encodeErrorResult({
  abi: parseAbi(['error Error(string)']),
  errorName: 'Error',
  args: ['allowance too low'],
})
const WORD = /^0x[0-9a-f]{64}$/
const QUANTITY = /^0x(?:0|[1-9a-f][0-9a-f]*)$/
const ADDRESS = /^0x[0-9a-f]{40}$/
const BYTES = /^0x(?:[0-9a-f]{2})*$/
const START_TIMEOUT_MS = 60_000

const CAST = foundryTool('cast')

/** One block: a transfer of tokens, one that is reverted, and a contract that calls, creates and destroys. */
interface TracedBlock {
  readonly token: Address
  readonly sender: Address
  readonly caller: Address
  readonly number: Hex
  readonly blockHash: Hex
  readonly transfer: Hex
  readonly reverted: Hex
  readonly nested: Hex
}

async function makeBlock(node: DevTarget): Promise<TracedBlock> {
  const client = connect('http', node, 0)
  const token = await deployToken(client)
  const child = assembled('CALLER SELFDESTRUCT')
  const code = assembled(`${put(Buffer.from(TOTAL_SUPPLY.slice(2), 'hex'))} 32 32 4 0 ${token} GAS STATICCALL POP
    ${put(child)} ${child.length} 0 7 CREATE POP 32 32 RETURN`)
  const deployed = await client.sendTransaction({ data: toHex(assembled(`${put(code)} ${code.length} 0 RETURN`)) })
  const { contractAddress } = await client.waitForTransactionReceipt({ hash: deployed })
  const caller = contractAddress as Address
  const gas = { gas: 500_000n }
  await client.setAutomine(false)
  const write = { abi: TOKEN, address: token, ...gas }
  const transfer = await client.writeContract({ ...write, functionName: 'transfer', args: [RECIPIENT, 9n] })
  const other = connect('http', node, 1)
  const data: Hex = `0x23b872dd${RECIPIENT.slice(2).padStart(64, '0').repeat(2)}${'5'.padStart(64, '0')}`
  const reverted = await other.sendTransaction({ to: token, data, ...gas })
  const nested = await connect('http', node, 2).sendTransaction({ to: caller, value: 7n, ...gas })
  await client.mine({ blocks: 1 })
  await client.setAutomine(true)
  const { blockHash, blockNumber } = await client.getTransactionReceipt({ hash: transfer })
  const { transactions } = await client.getBlock({ blockHash })
  expect(new Set(transactions)).toEqual(new Set([transfer, reverted, nested]))
  const sender = client.account.address.toLowerCase() as Address
  return { token, sender, caller, number: toHex(blockNumber), blockHash, transfer, reverted, nested }
}

type Call = readonly [method: string, ...params: unknown[]]

/** Sends a batch like an indexer. @returns the results in the order of the calls */
async function batch(url: string, calls: readonly Call[]): Promise<unknown[]> {
  const body = calls.map(([method, ...params], id) => ({ id, jsonrpc: '2.0', method, params }))
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const answers = (await response.json()) as { id: number; result?: unknown; error?: unknown }[]
  return calls.map((_, id) => {
    const answer = answers.find((one) => one.id === id)
    expect(answer?.error).toBeUndefined()
    return answer?.result
  })
}

interface Step {
  readonly pc: number
  readonly op: string
  readonly gas: number
  readonly gasCost: number
  readonly depth: number
  readonly stack: readonly string[]
  readonly memory?: readonly string[]
}

interface StorageRange {
  readonly storage: Readonly<Record<Hex, { readonly key: Hex; readonly value: Hex }>>
  readonly nextKey?: Hex | null
}

interface FlatEntry {
  readonly type: string
  readonly action: Readonly<Record<string, string>>
  readonly result?: Readonly<Record<string, string>> | null
  readonly error?: string
  readonly revertReason?: string
  readonly subtraces: number
  readonly traceAddress: readonly number[]
  readonly blockNumber?: number
  readonly blockHash?: string
  readonly transactionHash?: string
  readonly transactionPosition?: number
}

interface CallFrame {
  readonly type: string
  readonly from: string
  readonly to: string
  readonly gas: string
  readonly gasUsed: string
  readonly value?: string
  readonly input: string
  readonly output?: string
  readonly error?: string
  readonly revertReason?: string
  readonly calls?: readonly CallFrame[]
}

/** A word of the stack or memory as read by a debugger, with or without prefix. */
const digits = (value: string): string => value.replace(/^0x/, '')

describe.each(['geth', 'besu'] as const)('on a node with the profile %s', (profile) => {
  let node: DevTarget & { stop(): Promise<unknown> }
  let block: TracedBlock
  const ask = async <T>(...call: Call): Promise<T> => (await batch(node.http, [call]))[0] as T

  beforeAll(async () => {
    if (profile === 'geth') node = await startDevNode('node')
    else {
      const started = await startNode(['--ephemeral', '--rpc-profile=besu'])
      node = { http: started.url, ws: '', stop: () => started.stop() }
    }
    block = await makeBlock(node)
  }, START_TIMEOUT_MS)
  afterAll(() => node.stop())

  describe('the debugger of Remix', () => {
    // Request options of older versions, and of versions that request memory.
    it.each([{ disableMemory: false }, { enableMemory: true }])('steps through a transaction, %o', async (memory) => {
      const options = { disableStorage: true, ...memory, disableStack: false, fullStorage: false }
      const { structLogs } = await ask<{ structLogs: readonly Step[] }>('debug_traceTransaction', block.nested, options)
      for (const [i, step] of structLogs.entries()) {
        for (const field of [step.pc, step.gas, step.gasCost, step.depth]) expect(Number.isInteger(field)).toBe(true)
        expect(step.op).toMatch(/^[A-Z]+\d*$/)
        expect(step.stack.every((word) => /^(?:0x)?[0-9a-f]{1,64}$/.test(word))).toBe(true)
        expect(Math.abs(step.depth - (structLogs[i + 1]?.depth ?? 1))).toBeLessThan(2)
      }
      // Finds the callee like the debugger.
      const call = structLogs.find(({ op }) => op === 'STATICCALL')
      expect(`0x${digits(call?.stack.at(-2) as string).padStart(40, '0')}`.slice(-40)).toBe(block.token.slice(2))
      const hasMemory = profile === 'besu' || 'enableMemory' in memory
      const last = structLogs.at(-1) as Step
      expect(last.op).toBe('RETURN')
      expect(last.memory !== undefined).toBe(hasMemory)
      // Finds the returned data like the debugger.
      const [size, offset] = last.stack.slice(-2).map((word) => Number.parseInt(digits(word), 16)) as [number, number]
      const bytes = last.memory
        ?.map(digits)
        .join('')
        .slice(2 * offset, 2 * (offset + size))
      expect(bytes && BigInt(`0x${bytes}`)).toBe(hasMemory ? TOKEN_SUPPLY : undefined)
    })

    it('finds the initial storage, and updates it up to the step', async () => {
      const { transactionIndex } = await ask<{ transactionIndex: Hex }>('eth_getTransactionReceipt', block.transfer)
      const start = `0x${'00'.repeat(32)}`
      const index = Number(transactionIndex)
      const range = await ask<StorageRange>('debug_storageRangeAt', block.blockHash, index, block.token, start, 1000)
      expect(range.nextKey ?? null).toBeNull()
      const known = new Map<string, bigint>()
      for (const [hash, { key, value }] of Object.entries(range.storage)) {
        expect(key).toMatch(WORD)
        expect(value).toMatch(WORD)
        expect(keccak256(key)).toBe(hash)
        known.set(key, BigInt(value))
      }
      const balance = keccak256(`0x${block.sender.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`)
      expect(known.get(balance)).toBe(profile === 'geth' ? TOKEN_SUPPLY : TOKEN_SUPPLY - 9n)
      const { structLogs } = await ask<{ structLogs: readonly Step[] }>('debug_traceTransaction', block.transfer)
      for (const { op, stack } of structLogs) {
        if (op !== 'SSTORE') continue
        const [value, slot] = stack.slice(-2).map(digits) as [string, string]
        known.set(`0x${slot.padStart(64, '0')}`, BigInt(`0x${value}`))
      }
      for (const [slot, value] of known) {
        expect(BigInt(await ask<Hex>('eth_getStorageAt', block.token, slot, block.number))).toBe(value)
      }
    })
  })

  describe('the indexer of Blockscout', () => {
    /** Checks the fields from which an indexer derives internal transactions. */
    function checkFlat(entry: FlatEntry): void {
      const { type, action, result, error } = entry
      expect(entry.traceAddress.every(Number.isInteger)).toBe(true)
      expect(Number.isInteger(entry.subtraces)).toBe(true)
      const value = expect.stringMatching(QUANTITY)
      const [address, bytes] = [expect.stringMatching(ADDRESS), expect.stringMatching(BYTES)]
      if (type === 'suicide') expect(action).toEqual({ address, balance: value, refundAddress: address })
      else if (type === 'call') {
        const callType = expect.stringMatching(/^(?:call|callcode|delegatecall|staticcall)$/)
        expect(action).toEqual({ callType, from: address, gas: value, input: bytes, to: address, value })
        if (error === undefined) expect(result).toEqual({ gasUsed: value, output: bytes })
      } else {
        expect(type).toBe('create')
        expect(action).toMatchObject({ from: address, gas: value, init: bytes, value })
        if (error === undefined) expect(result).toEqual({ address, code: bytes, gasUsed: value })
      }
      if (error !== undefined) expect(error).toEqual(expect.any(String))
    }

    it('replays blocks in a batch', async () => {
      const previous = toHex(Number(block.number) - 1)
      const answers = await batch(
        node.http,
        [block.number, previous].map((number): Call => ['trace_replayBlockTransactions', number, ['trace']]),
      )
      const [traces, before] = answers as { transactionHash: Hex; output: Hex; trace: FlatEntry[] }[][]
      expect(before).toHaveLength(1)
      expect(before?.[0]?.trace[0]).toMatchObject({ type: 'create', traceAddress: [] })
      const { transactions } = await ask<{ transactions: readonly Hex[] }>('eth_getBlockByHash', block.blockHash, false)
      expect(traces?.map(({ transactionHash }) => transactionHash)).toEqual(transactions)
      for (const { trace, output } of traces ?? []) {
        expect(output).toMatch(BYTES)
        trace.forEach(checkFlat)
      }
      const of = (hash: Hex) => traces?.find(({ transactionHash }) => transactionHash === hash)
      expect(of(block.nested)?.trace.map(({ type, traceAddress }) => [type, traceAddress])).toEqual([
        ['call', []],
        ['call', [0]],
        ['create', [1]],
        ['suicide', [1, 0]],
      ])
      expect(of(block.reverted)?.trace).toMatchObject([{ error: 'Reverted', revertReason: TOO_LOW }])
    })

    it('reads calls and rewards of a block, and the revert reason of a transaction', async () => {
      const [entries, one, again] = (await batch(node.http, [
        ['trace_block', block.number],
        ['trace_transaction', block.reverted],
        ['trace_replayTransaction', block.reverted, ['trace']],
      ])) as [FlatEntry[], FlatEntry[], { revertReason: Hex; trace: FlatEntry[] }]
      const calls = entries.filter(({ type }) => type !== 'reward')
      const { blockHash } = block
      for (const entry of calls) {
        checkFlat(entry)
        expect(entry).toMatchObject({ blockHash, blockNumber: Number(block.number) })
        expect(Number.isInteger(entry.transactionPosition)).toBe(true)
      }
      expect(entries.filter(({ type }) => type === 'reward')).toMatchObject([
        { action: { author: expect.stringMatching(ADDRESS), rewardType: 'block', value: '0x0' }, blockHash },
      ])
      expect(one).toEqual(calls.filter(({ transactionHash }) => transactionHash === block.reverted))
      expect(one).toMatchObject([{ error: 'Reverted', revertReason: TOO_LOW, transactionHash: block.reverted }])
      expect(again).toMatchObject({ revertReason: TOO_LOW, trace: [{ error: 'Reverted' }] })
    })

    it('traces transactions and blocks with callTracer', async () => {
      const options = { tracer: 'callTracer', timeout: '5s', tracerConfig: { onlyTopCall: false } }
      const hashes = [block.transfer, block.reverted, block.nested]
      const frames = (await batch(
        node.http,
        hashes.map((hash): Call => ['debug_traceTransaction', hash, options]),
      )) as CallFrame[]
      const check = ({ type, from, to, gas, gasUsed, value = '0x0', input, output = '0x', calls = [] }: CallFrame) => {
        expect(type).toMatch(/^(?:CALL|CALLCODE|DELEGATECALL|STATICCALL|CREATE|CREATE2|SELFDESTRUCT)$/)
        for (const address of [from, to]) expect(address).toMatch(ADDRESS)
        for (const quantity of [gas, gasUsed, value]) expect(quantity).toMatch(QUANTITY)
        for (const bytes of [input, output]) expect(bytes).toMatch(BYTES)
        calls.forEach(check)
      }
      frames.forEach(check)
      expect(frames[1]).toMatchObject({
        error: 'execution reverted',
        revertReason: 'allowance too low',
        output: TOO_LOW,
      })
      expect(frames[2]?.calls).toMatchObject([
        { type: 'STATICCALL', to: block.token },
        { type: 'CREATE', value: '0x7', calls: [{ type: 'SELFDESTRUCT', to: block.caller, value: '0x7' }] },
      ])
      const whole = await ask<{ txHash: Hex; result: CallFrame }[]>('debug_traceBlockByNumber', block.number, options)
      const byHash = new Map(whole.map(({ txHash, result }) => [txHash, result]))
      expect(hashes.map((hash) => byHash.get(hash))).toEqual(frames)
      expect(await ask('debug_traceBlockByHash', block.blockHash, options)).toEqual(whole)
    })
  })

  // viem expects the errors of the profile geth.
  const kinds = profile === 'geth' ? TRANSPORT_KINDS : []
  it.each(kinds)('viem requests traces over %s', async (kind) => {
    const client = connect(kind, node, 3)
    const request = client.request as (call: { method: string; params: unknown[] }) => Promise<CallFrame>
    const options = { tracer: 'callTracer', tracerConfig: { withLog: true } }
    const frame = await request({ method: 'debug_traceTransaction', params: [block.transfer, options] })
    expect(frame).toMatchObject({ type: 'CALL', to: block.token, logs: [{ address: block.token, index: '0x0' }] })
    const unknown = request({ method: 'debug_traceTransaction', params: [`0x${'11'.repeat(32)}`] })
    await expect(unknown).rejects.toThrow('transaction not found')
    await disconnect(client)
  })

  it('cast replays transactions and requests traces', needsTool('cast', CAST), async () => {
    const cast = (...args: string[]): Promise<string> =>
      runTool(CAST as string, [...args, '--rpc-url', node.http], { env: { FOUNDRY_DISABLE_NIGHTLY_WARNING: '1' } })
    expect(await cast('run', '--quick', block.transfer)).toContain('Transaction successfully executed')
    // Includes the preceding transactions of the block.
    const printed = await cast('run', block.reverted).catch(String)
    expect(printed).toContain('allowance too low')
    const options = JSON.stringify({ tracer: 'callTracer' })
    const frame = JSON.parse(await cast('rpc', 'debug_traceTransaction', block.nested, options))
    expect(frame).toMatchObject({ type: 'CALL', to: block.caller, calls: [{ type: 'STATICCALL' }, { type: 'CREATE' }] })
    const { structLogs } = JSON.parse(await cast('rpc', 'debug_traceTransaction', block.nested))
    expect(structLogs.length).toBeGreaterThan(50)
  })
})
