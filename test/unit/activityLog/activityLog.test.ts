// slow: compiled contracts
/** The log of a dev chain that runs contracts compiled by the Solidity compiler. */
import { setTimeout as delay } from 'node:timers/promises'
import { encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { MAX_LOG_ENTRIES } from '../../../src/base/limits/limits.ts'
import type { NodeOptions } from '../../../src/config/options.ts'
import { compileContract } from '../../support/evm/solidity.ts'
import { eventually } from '../../support/host/eventually.ts'
import { foundryArtifact, type RecordedActivity, recordActivity } from '../../support/nodes/activity.ts'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'

const FROM = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const OTHER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const vault = compileContract('Vault', 'Vault.sol')
const ledger = compileContract('Ledger', 'Vault.sol')

interface Setup extends OpenedNode {
  readonly activity: RecordedActivity
  /** The printed text after everything has settled, without times. */
  printed(pattern?: RegExp): Promise<string>
  send(to: Hex | undefined, data: Hex, rest?: object): Promise<Hex>
}

async function open(files?: ReadonlyMap<string, string>, options: Partial<NodeOptions> = {}): Promise<Setup> {
  const activity = recordActivity(files)
  const opened = await openDevNode(options, undefined, { activity: activity.host })
  let text = ''
  const printed = async (pattern = /block {9,}\d/): Promise<string> => {
    await eventually(() => {
      const more = activity.take()
      if (more !== '') text += `${more}\n`
      expect(text).toMatch(pattern)
    })
    const all = text.replaceAll(/ {2}[\d.]+ ms/g, '')
    text = ''
    return all
  }
  const send = async (to: Hex | undefined, data: Hex, rest: object = {}): Promise<Hex> =>
    opened.rpc('eth_sendTransaction', {
      from: FROM,
      ...(to === undefined ? {} : { to }),
      data,
      gas: '0x200000',
      ...rest,
    })
  return { ...opened, activity, printed, send }
}

async function deploy({ send, rpc }: Pick<Setup, 'send' | 'rpc'>): Promise<{ vault: Hex; ledger: Hex }> {
  const created = async (data: Hex): Promise<Hex> => {
    const hash = await send(undefined, data)
    return (await rpc<{ contractAddress: Hex }>('eth_getTransactionReceipt', hash)).contractAddress
  }
  const address = await created(ledger.bytecode)
  return { ledger: address, vault: await created(encodeDeployData({ ...vault, args: [address, 3n] })) }
}

const call = (functionName: string, ...args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: vault.abi, functionName, args })

const ARTIFACTS = new Map([
  ['Vault.sol/Vault.json', foundryArtifact('Vault', 'Vault.sol')],
  ['Vault.sol/Ledger.json', foundryArtifact('Ledger', 'Vault.sol')],
])

describe('transactions', () => {
  it('are reported with names, gas, fee, logs and console.log', async () => {
    const node = await open(ARTIFACTS)
    const at = await deploy(node)
    await node.printed(/created[\s\S]*created[\s\S]*block/)
    const hash = await node.send(at.vault, call('deposit'), { value: '0x16345785d8a0000' })
    const text = await node.printed(/console.log\n/)
    expect(text).toContain('eth_sendTransaction\n')
    expect(text).toMatch(new RegExp(`transaction  ${hash}\n  from {10}${FROM}\n  to {12}0x[0-9a-fA-F]{40}  Vault\n`))
    expect(text).toContain('  call          deposit()\n  value         0.1 ETH\n')
    expect(text).toMatch(/ {2}gas {11}[\d,]+ of 2,097,152 \([\d.]+ %\)\n {2}fee {11}0\.\d+ ETH at [\d.]+ gwei\n/)
    expect(text).toMatch(
      / {2}logs {10}1: Moved\n {2}block {9}3 {2}0x[0-9a-f]{64}\n {2}console\.log\n {4}deposit 100000000000000000\n/,
    )
    await node.node.close()
  })

  it('that fail are reported with the decoded reason, the call path and console.log', async () => {
    const node = await open(ARTIFACTS)
    const at = await deploy(node)
    await node.printed(/created[\s\S]*created[\s\S]*block/)
    await node.send(at.vault, call('withdraw', 7n))
    const text = await node.printed(/ {4}at .*\n {4}at .*\n/)
    expect(text).toContain(`  console.log\n    withdraw 7\n    debit of ${FROM}, active: true\n`)
    expect(text).toContain(`  failed        Overdrawn(account: ${FROM}, available: 0, wanted: 7)\n`)
    expect(text).toContain(`    at Ledger.debit(${FROM}, 7)\n    at Vault.withdraw(7)\n`)
    await node.node.close()
  })

  it('are reported by selector without --abi', async () => {
    const node = await open()
    const at = await deploy(node)
    await node.printed(/created[\s\S]*created[\s\S]*block/)
    await node.send(at.vault, call('withdraw', 7n))
    const text = await node.printed(/ {4}at .*\n {4}at .*\n/)
    expect(text).toContain('  call          0x2e1a7d4d\n')
    expect(text).toMatch(
      /failed {8}custom error 0x[0-9a-f]{8}, arguments 0x.* \(start with --abi=artifacts to decode it\)\n/,
    )
    await node.send(at.vault, call('withdraw', 7n))
    const again = await node.printed(/ {4}at .*\n {4}at .*\n/)
    expect(again).toContain('custom error 0x')
    expect(again).not.toContain('--abi')
    await node.node.close()
  })

  it.each([
    ['a failed require', 'refuse', [], 'Error("not today")'],
    ['a division by zero', 'share', [0n], 'Panic(0x12): division or modulo by zero'],
  ])('%s', async (_, name, args, reason) => {
    const node = await open(ARTIFACTS)
    const at = await deploy(node)
    await node.send(at.vault, call(name, ...args))
    expect(await node.printed(/ {4}at .*\n/)).toContain(
      `  failed        ${reason}\n    at Vault.${name}(${args.join()})\n`,
    )
    await node.node.close()
  })

  it('a failed constructor and an exhausted gas limit', async () => {
    const node = await open(ARTIFACTS)
    await node.send(undefined, encodeDeployData({ ...vault, args: [OTHER, 500n] }))
    const failed = await node.printed(/ {4}at .*\n/)
    expect(failed).toContain('  creates       Vault\n')
    expect(failed).toContain('  failed        Error("fee too high")\n    at new Vault\n')
    await node.send(undefined, ledger.bytecode, { gas: '0x15f90' })
    expect(await node.printed(/ {4}at .*\n/)).toContain('  failed        out of gas\n    at new Ledger\n')
    await node.node.close()
  })

  it('of one block follow its line', async () => {
    const node = await open()
    await node.rpc('evm_setAutomine', false)
    await node.send(OTHER, '0x', { value: '0x1' })
    await node.send(OTHER, '0x', { value: '0x2', nonce: '0x1' })
    await node.rpc('evm_mine')
    const text = await node.printed(/value {9}2 wei[\s\S]*fee.*\n/)
    expect(text).toMatch(/evm_mine\nblock 1 {2}2 transactions {2}42,000 gas {2}0x[0-9a-f]{64}\ntransaction {2}0x/)
    await node.node.close()
  })

  it('show all their calls with --verbose, with console.log and logs in place', async () => {
    const node = await open(ARTIFACTS, { verbose: true })
    const at = await deploy(node)
    await node.printed(/CREATE[\s\S]*CREATE/)
    await node.send(at.vault, call('deposit'), { value: '0x5' })
    const text = await node.printed(/ {2}calls/)
    expect(text).toMatch(
      / {2}calls\n {4}CALL {9}Vault\.deposit\(\) {2}gas [\d,]+ {2}value 5 wei\n {6}console\.log deposit 5\n {6}CALL {9}Ledger\.credit\(.*, 5\) {2}gas [\d,]+\n {8}log {10}Moved\n/,
    )
    await node.node.close()
  })

  it('of a contract that was compiled after the start are named', async () => {
    const files = new Map([['Old.json', '{"abi":[]}']])
    const node = await open(files)
    await node.printed(/names 1 contract of --abi/)
    for (const [path, text] of ARTIFACTS) files.set(path, text)
    await new Promise((resolve) => setTimeout(resolve, 300))
    await deploy(node)
    expect(await node.printed(/created[\s\S]*created[\s\S]*block/)).toMatch(/created.*Ledger[\s\S]*created.*Vault/)
    await node.node.close()
  })
})

describe('calls', () => {
  it('are one line each, with method and error', async () => {
    const { rpc, printed, node } = await open()
    await rpc('eth_chainId')
    await rpc('eth_nonsense\x1b[2J').catch(() => {})
    await rpc('eth_getBalance', 'x').catch(() => {})
    const text = await printed(/eth_getBalance.*\n/)
    expect(text).toMatch(
      /^eth_chainId\neth_nonsense\\x1b\[2J {2}error -32601: the method .*\neth_getBalance {2}error -32602: /,
    )
    await node.close()
  })

  it('show what eth_call and eth_estimateGas executed, with console.log once', async () => {
    const node = await open(ARTIFACTS)
    const at = await deploy(node)
    await node.printed(/created[\s\S]*created[\s\S]*block/)
    await node.rpc('eth_call', { to: at.vault, data: call('share', 5n) }, 'latest')
    await node.rpc('eth_estimateGas', { to: at.vault, data: call('share', 5n) })
    const text = await node.printed(/eth_estimateGas[\s\S]*parts/)
    expect(text).toContain('eth_call  Vault.share(5)\n  console.log\n    parts 5\neth_estimateGas  Vault.share(5)\n')
    expect(text.match(/parts 5/g)).toHaveLength(2)
    await node.node.close()
  })

  it('that fail show reason, path and console.log, also before a transaction is sent', async () => {
    const node = await open(ARTIFACTS)
    const at = await deploy(node)
    await node.printed(/created[\s\S]*created[\s\S]*block/)
    const data = call('withdraw', 9n)
    await node.rpc('eth_call', { from: FROM, to: at.vault, data }, 'latest').catch(() => {})
    await node.rpc('eth_sendTransaction', { from: FROM, to: at.vault, data }).catch(() => {})
    const text = await node.printed(/(at Vault[\s\S]*){2}/)
    for (const method of ['eth_call', 'eth_sendTransaction']) {
      expect(text).toContain(
        `${method}  Vault.withdraw(9)  error 3: execution reverted\n  console.log\n    withdraw 9\n    debit of ${FROM}, active: true\n  failed        Overdrawn(account: ${FROM}, available: 0, wanted: 9)\n    at Ledger.debit(${FROM}, 9)\n    at Vault.withdraw(9)\n`,
      )
    }
    await node.node.close()
  })

  it('of a polling client are counted', async () => {
    const { rpc, printed, node } = await open()
    for (let i = 0; i < 20; i++) await rpc('eth_blockNumber')
    await rpc('eth_chainId')
    expect(await printed(/eth_chainId/)).toBe('eth_blockNumber\neth_blockNumber  19 more\neth_chainId\n')
    await node.close()
  })

  it('that fail alike are counted', async () => {
    const { rpc, printed, node } = await open()
    for (let i = 0; i < 5; i++) await rpc('hardhat_nothing').catch(() => {})
    await rpc('hardhat_nothing\x1b').catch(() => {})
    const text = await printed(/x1b/)
    expect(text.split('\n').map((line) => line.slice(0, 24))).toEqual([
      'hardhat_nothing  error -',
      'hardhat_nothing  4 more',
      'hardhat_nothing\\x1b  err',
      '',
    ])
    await node.close()
  })

  it('console.log with hostile bytes cannot reach the terminal', async () => {
    const node = await open(ARTIFACTS)
    const at = await deploy(node)
    await node.printed(/created[\s\S]*created[\s\S]*block/)
    const hostile = '\x1b[2J\x1b]0;owned\x07\u009b1m\u202eabc\r\nnext'
    await node.rpc('eth_call', { to: at.vault, data: call('say', hostile) }, 'latest')
    const text = await node.printed(/next/)
    expect(text).toContain('    \\x1b[2J\\x1b]0;owned\\x07\\x9b1m\\u{202e}abc\n    next\n')
    const record = JSON.stringify(node.activity.reports.map((report) => report.record()))
    expect(record).not.toContain('\x1b')
    await node.node.close()
  })
})

describe('the log as a whole', () => {
  it('shows empty blocks together, and the way back', async () => {
    const { rpc, printed, node } = await open()
    const id = await rpc('evm_snapshot')
    await rpc('hardhat_mine', '0x64')
    await rpc('evm_revert', id)
    const text = await printed(/back to block 0 {2}0x/)
    expect(text).toMatch(/blocks \d+ to 100 {2}0 transactions {2}0x[0-9a-f]{64}\n/)
    await node.close()
  })

  it('counts what comes too fast, and goes on when its reader does', async () => {
    const { rpc, printed, node, activity } = await open()
    activity.isBehind = true
    const half = MAX_LOG_ENTRIES / 2
    for (let i = 0; i < half + 5; i++) {
      await rpc('eth_chainId')
      await rpc('net_version')
    }
    activity.isBehind = false
    expect(await printed(/not shown/)).toContain('… 10 calls and 0 transactions are not shown: too many at once\n')
    await node.close()
  })

  it('is empty while it is off, and complete at the end', async () => {
    const { rpc, activity, node, send } = await open()
    activity.isOn = false
    await rpc('eth_chainId')
    await send(OTHER, '0x', { value: '0x1' })
    activity.isOn = true
    await rpc('net_version')
    await send(OTHER, '0x', { value: '0x1' })
    await node.close()
    const text = activity.take()
    expect(text).toMatch(/^net_version {2}[\d.]+ ms\neth_sendTransaction {2}[\d.]+ ms\ntransaction {2}0x/)
  })

  it('names the option that lifts a limit', async () => {
    const { rpc, activity, node, send } = await open()
    await expect(rpc('eth_sendTransaction', { from: FROM, to: OTHER, gas: '0x1312d00' })).rejects.toThrow(
      /too high .* \(--allow-unlimited-gas lifts the cap\)$/,
    )
    // Returns 30,000 bytes of code.
    const code = '0x6175306000f3'
    await expect(rpc('eth_call', { from: FROM, data: code, gas: '0x989680' })).rejects.toThrow(
      'max code size exceeded (--code-size-limit raises the limit)',
    )
    await send(undefined, code, { gas: '0x989680' })
    await node.close()
    const text = activity.take()
    expect(text).toMatch(/error -\d+: transaction gas limit too high .* \(--allow-unlimited-gas lifts the cap\)\n/)
    expect(text).toMatch(/error -\d+: max code size exceeded \(--code-size-limit raises the limit\)/)
    expect(text).toMatch(/failed {8}max code size exceeded \(--code-size-limit raises the limit\)/)
  })

  it('says for which nonce a transaction waits', async () => {
    const { rpc, activity, node, send } = await open()
    await send(OTHER, '0x')
    const hash = await rpc('eth_sendTransaction', { from: FROM, to: OTHER, nonce: '0x64' })
    await rpc('eth_sendTransaction', { from: FROM, to: OTHER, nonce: '0x2' })
    await rpc('eth_sendTransaction', { from: FROM, to: OTHER, nonce: '0x1' })
    await node.close()
    const text = activity.take()
    const from = FROM.toLowerCase()
    expect(text).toContain(`transaction ${hash} with nonce 100 waits for nonce 1 of ${from}\n`)
    expect(text.match(/waits for nonce 1 of/g)).toHaveLength(2)
    expect(text).toContain(`with nonce 2 waits for nonce 1 of ${from}\n`)
  })

  it('gives entries the time at which they happened', async () => {
    const { rpc, activity, node, clock, send } = await open()
    const begin = clock.seconds
    await rpc('eth_chainId')
    await delay(2)
    clock.seconds += 1
    await send(OTHER, '0x')
    await delay(2)
    clock.seconds += 1
    await rpc('evm_mine')
    clock.seconds += 60
    await node.close()
    const times = activity.reports.map(({ kind, timeMs = 0 }) => [kind, timeMs / 1000 - begin])
    expect(times).toEqual([
      ['call', 0],
      ['call', 1],
      ['transaction', 1],
      ['call', 2],
      ['block', 2],
    ])
  })

  it('has structured records', async () => {
    const node = await open(ARTIFACTS)
    const at = await deploy(node)
    await node.printed(/created[\s\S]*created[\s\S]*block/)
    await node.send(at.vault, call('withdraw', 7n))
    await eventually(() => expect(node.activity.reports.some(({ kind }) => kind === 'transaction')).toBe(true))
    const record = node.activity.reports.find(({ kind }) => kind === 'transaction')?.record()
    expect(record).toMatchObject({
      contract: 'Vault',
      call: 'withdraw(7)',
      status: 'failed',
      failure: `Overdrawn(account: ${FROM}, available: 0, wanted: 7)`,
      path: ['Vault.withdraw(7)', `Ledger.debit(${FROM}, 7)`],
      console: ['withdraw 7', `debit of ${FROM}, active: true`],
      blockNumber: 3,
      value: '0',
    })
    await node.node.close()
  })

  it('works with the reference EVM', async () => {
    const node = await open(ARTIFACTS, { evm: 'reference' })
    const at = await deploy(node)
    await node.send(at.vault, call('withdraw', 7n))
    expect(await node.printed(/ {4}at .*\n {4}at .*\n/)).toContain('    withdraw 7\n    debit of')
    await node.node.close()
  })
})
