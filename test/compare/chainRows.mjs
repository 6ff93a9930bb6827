/** Rows of the log, of the chain and of its state. Each check calls the tool or reads its log. */
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { GENESIS } from './genesis.mjs'
import { BOB, ETHER, firstOf, GAS, has, receiptOf, send, verdict, withNode, withShared } from './nodes.mjs'
import { FAIL, GREET, PROBE, TOKEN } from './probe.mjs'
import { start, TOOLS, temporary } from './tools.mjs'

const FORKED = '0x00000000000000000000000000000000000f0f0f'

export const logRows = {
  'log names the RPC methods called': (tool) =>
    withShared(tool, async ({ call, logged }) => {
      await call('eth_getBalance', BOB, 'latest')
      return (await logged('eth_getBalance')) ? 'yes' : 'no'
    }),

  'log shows the hash, from, to, created contract and gas of a transaction': (tool) =>
    withShared(tool, async (node) => {
      const before = node.log().length
      const created = await send(node, { data: PROBE, gas: '0x7a120' })
      const called = await send(node, { to: created.contractAddress, data: GREET })
      const transfer = await send(node, { to: BOB, value: ETHER })
      const wanted = {
        hash: called.transactionHash,
        from: called.from,
        to: transfer.to,
        contract: created.contractAddress,
        gas: new RegExp(
          `\\b(${Number(called.gasUsed)}|${Number(called.gasUsed).toLocaleString('en')}|${called.gasUsed})\\b`,
        ),
      }
      const missing = []
      for (const [name, pattern] of Object.entries(wanted))
        if (!(await node.logged(pattern, before))) missing.push(name)
      return verdict(Object.keys(wanted), missing)
    }),

  'log shows a failed transaction with its reason': (tool) =>
    withShared(tool, async (node) => {
      const { contractAddress: to } = await send(node, { data: PROBE, gas: '0x7a120' })
      const { status, transactionHash } = await send(node, { to, data: FAIL })
      if (status !== '0x0') throw new Error('the transaction did not fail')
      const [hash, reason] = [await node.logged(transactionHash), await node.logged('nothing to pay with')]
      return verdict(['hash', 'reason'], [...(hash ? [] : ['hash']), ...(reason ? [] : ['reason'])])
    }),

  'Solidity `console.log` in the log': (tool) =>
    withShared(tool, async (node) => {
      const { contractAddress: to } = await send(node, { data: PROBE, gas: '0x7a120' })
      await send(node, { to, data: GREET })
      return (await node.logged('hello from solidity')) ? 'yes' : 'no'
    }),
}

export const chainRows = {
  '`eth_getLogs` from 0 to latest after 1,100 blocks': (tool) =>
    withShared(tool, async (node) => {
      const { call } = node
      await send(node, { data: TOKEN, gas: '0x1e8480' })
      if (!(await has(node, 'hardhat_mine', '0x44c'))) for (let i = 0; i < 1100; i++) await call('evm_mine')
      if (Number(await call('eth_blockNumber')) <= 1100) throw new Error('the blocks were not mined')
      const logs = await call('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }).catch(() => [])
      return logs.length > 0 ? 'yes' : 'no'
    }),

  'a new chain begins at the present time': (tool) =>
    withNode(tool, {}, async ({ call }) => {
      const { timestamp } = await call('eth_getBlockByNumber', 'latest', false)
      const age = Date.now() / 1000 - Number(timestamp)
      return age >= -1 && age < 60 ? 'yes' : 'no'
    }),

  'chain id 31337, or by option': async (tool) => {
    const usual = await withNode(tool, {}, async ({ chainId }) => chainId)
    const chosen = await withNode(tool, { chainId: 4242 }, async ({ chainId }) => chainId)
    if (chosen !== 4242) return 'no'
    return usual === 31337 ? 'yes' : `yes (default: ${usual})`
  },

  'snapshots, time travel, impersonation, state changes': (tool) =>
    withNode(tool, {}, async (node) => {
      const checks = { snapshots, time, impersonation, state }
      const missing = []
      for (const [name, check] of Object.entries(checks))
        if (!(await check(node).catch(() => false))) missing.push(name)
      return verdict(Object.keys(checks), missing)
    }),

  "geth's built-in tracers": (tool) =>
    withShared(tool, async (node) => {
      const { transactionHash } = await send(node, { to: BOB, value: '0x1' })
      const { type } = await node.call('debug_traceTransaction', transactionHash, { tracer: 'callTracer' })
      return type === 'CALL' ? 'yes' : 'no'
    }),

  '`trace_transaction`': (tool) =>
    withShared(tool, async (node) => {
      const { transactionHash } = await send(node, { to: BOB, value: '0x1' })
      const traces = await node.call('trace_transaction', transactionHash).catch(() => [])
      return traces.length === 1 ? 'yes' : 'no'
    }),

  'own genesis file, mining at once': async (tool) => {
    const file = path.join(mkdtempSync(path.join(temporary, 'genesis-')), 'genesis.json')
    writeFileSync(file, JSON.stringify(GENESIS))
    return withNode(tool, { genesis: file }, async (node) => {
      const { call, chainId } = node
      const kept = BigInt(await call('eth_getBalance', BOB, 'latest')) === 77n && chainId === 4242
      const { status } = await send(node, { to: BOB, value: '0x1' })
      return kept && status === '0x1' ? 'yes' : 'no'
    })
  },

  'dump and load of the state, by RPC': (tool) =>
    withNode(tool, {}, async (node) => {
      const { call } = node
      await send(node, { to: BOB, value: ETHER })
      const balance = await call('eth_getBalance', BOB, 'latest')
      const dump = await call('anvil_dumpState').catch(() => undefined)
      if (dump === undefined) return 'no'
      return withNode(tool, {}, async (other) => {
        await other.call('anvil_loadState', dump)
        return (await other.call('eth_getBalance', BOB, 'latest')) === balance ? 'yes' : 'no'
      })
    }),

  'dump and load of the state, by file': async (tool) => {
    const file = path.join(mkdtempSync(path.join(temporary, 'dump-')), 'state.json')
    const balance = await withNode(tool, { dumpState: file }, async (node) => {
      await send(node, { to: BOB, value: ETHER })
      return node.call('eth_getBalance', BOB, 'latest')
    })
    if (balance === 'no' || !existsSync(file)) return 'no'
    const loaded = await withNode(tool, { loadState: file }, ({ call }) => call('eth_getBalance', BOB, 'latest'))
    return loaded === balance ? 'yes' : 'no'
  },

  'reorg and rollback': (tool) =>
    withNode(tool, {}, async (node) => {
      const { call } = node
      for (let i = 0; i < 5; i++) await send(node, { to: BOB, value: '0x1' })
      const { hash } = await call('eth_getBlockByNumber', '0x4', false)
      if (!(await has(node, 'anvil_reorg', 3, []))) return 'no'
      const other = await call('eth_getBlockByNumber', '0x4', false)
      await call('anvil_rollback', 2)
      return hash !== other.hash && Number(await call('eth_blockNumber')) === 3 ? 'yes' : 'no'
    }),

  'a transaction above the gas cap of EIP-7825 can be allowed': (tool) =>
    withNode(tool, { unlimitedGas: true }, async (node) => {
      const { status } = await send(node, { to: BOB, gas: '0x1312d00' }).catch(() => ({}))
      return status === '0x1' ? 'yes' : 'no'
    }),

  'printed accounts: EIP-55 addresses, mnemonic, path': (tool) =>
    withShared(tool, async ({ logged }) => {
      const shown = {
        'EIP-55': await logged(/0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266|0x90F8bf6A479f320ead074411a4B0e7944Ea8c9C1/),
        mnemonic: await logged(/test test test junk|mnemonic: +[a-z]+ [a-z]+/i),
        path: await logged(/m\/44'\/60'\/0'\/0/),
      }
      return verdict(
        Object.keys(shown),
        Object.keys(shown).filter((name) => !shown[name]),
      )
    }),

  'keeps the whole chain over `kill -9`': async (tool) => {
    const dataPath = path.join(mkdtempSync(path.join(temporary, 'data-')), 'chain')
    if (!tool.supports('dataPath')) return 'no'
    const first = await start(tool, { dataPath })
    const { transactionHash } = await send(first, { to: BOB, value: '0x1' })
    await first.stop('SIGKILL')
    return withNode(tool, { dataPath }, async ({ call }) => {
      const receipt = await call('eth_getTransactionReceipt', transactionHash).catch(() => null)
      return receipt === null ? 'no' : 'yes'
    })
  },
}

const STRANGER = '0x00000000000000000000000000000000000000f1'

async function snapshots(node) {
  const { call } = node
  const [id, before] = [await call('evm_snapshot'), await call('eth_getBalance', BOB, 'latest')]
  await send(node, { to: BOB, value: ETHER })
  return (await call('evm_revert', id)) === true && (await call('eth_getBalance', BOB, 'latest')) === before
}

async function time({ call }) {
  const timestamp = async () => Number((await call('eth_getBlockByNumber', 'latest', false)).timestamp)
  const before = await timestamp()
  await call('evm_increaseTime', 3600)
  await call('evm_mine')
  return (await timestamp()) >= before + 3600
}

async function state(node) {
  await firstOf(node, [
    ['hardhat_setBalance', STRANGER, ETHER],
    ['evm_setAccountBalance', STRANGER, ETHER],
  ])
  await firstOf(node, [
    ['hardhat_setCode', BOB, '0x00'],
    ['evm_setAccountCode', BOB, '0x00'],
  ])
  const [balance, code] = [
    await node.call('eth_getBalance', STRANGER, 'latest'),
    await node.call('eth_getCode', BOB, 'latest'),
  ]
  return balance === ETHER && code === '0x00'
}

async function impersonation(node) {
  await firstOf(node, [
    ['hardhat_setBalance', STRANGER, ETHER],
    ['evm_setAccountBalance', STRANGER, ETHER],
  ])
  const added = await firstOf(node, [
    ['hardhat_impersonateAccount', STRANGER],
    ['evm_addAccount', STRANGER, ''],
  ])
  // ganache: the added account has to be unlocked.
  if (added === true && node.tool.name === 'ganache') await node.call('personal_unlockAccount', STRANGER, '', 0)
  const hash = await node.call('eth_sendTransaction', { from: STRANGER, to: BOB, gas: GAS })
  return (await receiptOf(node.call, hash)).status === '0x1'
}

export const forkRow = {
  'state of another chain (fork mode)': async (tool) => {
    const source = await start(TOOLS[0])
    try {
      await send(source, { to: FORKED, value: '0x7' })
      const balance = await withNode(tool, { fork: `http://127.0.0.1:${source.port}` }, ({ call }) =>
        call('eth_getBalance', FORKED, 'latest'),
      )
      return balance === '0x7' ? 'yes' : 'no'
    } finally {
      await source.stop()
    }
  },
}
