/**
 * Compares the answers of Otterscan's methods with those of anvil, on chains with the same transactions. Where
 * docs/guides/otterscan.md says that they differ, they must differ; everything else must be equal. Needs the built node.
 *
 *   node test/compare/otterscan.mjs
 */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { receiptOf } from './nodes.mjs'
import { start, TOOLS } from './tools.mjs'

const GAS = '0x50000'
const UNKNOWN = `0x${'77'.repeat(32)}`
/** The block of the self-destruct. */
const DEATH_BLOCK = '0x8'
const hex = (number, digits) => number.toString(16).padStart(digits, '0')

/** A creation of code. */
const creationOf = (code) => `0x61${hex(code.length / 2, 4)}80600c6000396000f3${code}`
/** A call without data, whose result is dropped. @param opcode f1, f2, f4 or fa */
const callOf = (opcode, to, value = '') => `6000600060006000${value}73${to.slice(2)}5a${opcode}50`
const REVERT = '63aabbccdd6000526004601cfd'

/** Sends the same transactions to a node. @returns hashes and addresses by name */
async function fill({ call }) {
  const [alice, bob, carol] = await call('eth_accounts')
  const hashes = {}
  const send = async (name, fields) => {
    hashes[name] = await call('eth_sendTransaction', { from: alice, gas: GAS, ...fields })
    return receiptOf(call, hashes[name])
  }
  const deploy = async (name, code) => (await send(name, { data: creationOf(code) })).contractAddress
  const answering = await deploy('answering', '60aa60005260206000f3')
  const reverting = await deploy('reverting', `${callOf('f1', bob, '6001')}${REVERT}`)
  const dying = await deploy('dying', `73${bob.slice(2)}ff`)
  const factory = await deploy('factory', '600060006000f050')
  const kinds = [callOf('f4', answering), callOf('fa', answering), callOf('f2', answering, '6000')].join('')
  const outer = await deploy('outer', `${callOf('f1', bob, '6002')}${kinds}00`)
  await send('calls', { to: outer, value: '0x9', data: '0x01020304050607' })
  await send('failure', { to: reverting, value: '0x5' })
  await send('death', { to: dying, value: '0x7' })
  await send('creation', { to: factory })
  await call('evm_setAutomine', false)
  for (let i = 0; i < 5; i++) {
    const transaction = { from: alice, gas: GAS, to: carol, value: `0x${i + 1}` }
    hashes[`transfer${i}`] = await call('eth_sendTransaction', transaction)
  }
  await call('evm_mine')
  await call('evm_setAutomine', true)
  await send('last', { to: bob, value: '0x1' })
  return { hashes, alice, bob, carol, answering, outer, factory, dying, blocks: Number(await call('eth_blockNumber')) }
}

const places = (transactions) =>
  transactions.map(({ blockNumber, transactionIndex }) => [blockNumber, transactionIndex])
const flags = ({ firstPage, lastPage }) => [firstPage, lastPage]
const names = (object) => Object.keys(object).sort()
/** Members that both have: the whole objects are those of eth_*, whose differences are not the subject. */
const commonReceipt = ({ status, gasUsed, cumulativeGasUsed, from, to, contractAddress, transactionIndex, type }) => ({
  ...{ status, gasUsed, cumulativeGasUsed, from, to, contractAddress, transactionIndex, type },
})
const fate = (promise) =>
  promise.then(
    (result) => result,
    () => 'an error',
  )

/** Answers that must be equal, by sentence. */
const EQUAL = {
  'the level': ({ call }) => call('ots_getApiLevel'),
  'code at the head, at a block, and of an account': async ({ call, outer, bob }) => [
    await call('ots_hasCode', outer, 'latest'),
    await call('ots_hasCode', outer, 0),
    await call('ots_hasCode', bob, 'latest'),
  ],
  'operations inside a transaction': async ({ call, hashes }) =>
    (await call('ots_getInternalOperations', hashes.calls)).slice(-1),
  'the operation of a self-destruct': ({ call, hashes }) => call('ots_getInternalOperations', hashes.death),
  'the operation of a creation by a contract': ({ call, hashes }) => call('ots_getInternalOperations', hashes.creation),
  'calls of a transaction, but for their values': async ({ call, hashes }) =>
    (await call('ots_traceTransaction', hashes.calls)).map(({ value, ...entry }) => entry),
  'the calls of a failed transaction': ({ call, hashes }) => call('ots_traceTransaction', hashes.failure),
  'errors of transactions': async ({ call, hashes }) => [
    await call('ots_getTransactionError', hashes.failure),
    await call('ots_getTransactionError', hashes.calls),
  ],
  'members of the details of a block': async ({ call }) => {
    const { block, issuance } = await call('ots_getBlockDetails', 6)
    return [names(block), issuance, block.transactionCount, block.gasUsed, block.number]
  },
  'a page with all transactions of a block': async ({ call, blocks }) => {
    const { fullblock, receipts } = await call('ots_getBlockTransactions', blocks - 1, 0, 25)
    const inputs = fullblock.transactions.map(({ input }) => input)
    return [inputs, fullblock.transactionCount, receipts.map(commonReceipt)]
  },
  'the selector in a page of transactions': async ({ call }) => {
    const { fullblock } = await call('ots_getBlockTransactions', 6, 0, 25)
    return fullblock.transactions.map(({ input }) => input)
  },
  'the transactions that an account sent, in one page': async ({ call, alice }) => {
    const page = await call('ots_searchTransactionsBefore', alice, 0, 100)
    return [places(page.txs), page.receipts.map(commonReceipt), flags(page)]
  },
  'a page before a block': async ({ call, alice }) =>
    places((await call('ots_searchTransactionsBefore', alice, 6, 2)).txs),
  'internal transfers to an account, but for those of self-destructs': async ({ call, bob }) =>
    places((await call('ots_searchTransactionsBefore', bob, 0, 100)).txs).filter(([block]) => block !== DEATH_BLOCK),
  'a contract, by its creation and calls': async ({ call, answering }) =>
    places((await call('ots_searchTransactionsBefore', answering, 0, 100)).txs),
  'a page of whole blocks': async ({ call, carol }) =>
    places((await call('ots_searchTransactionsBefore', carol, 0, 2)).txs),
  'the order of blocks after a block': async ({ call, outer }) =>
    places((await call('ots_searchTransactionsAfter', outer, 0, 100)).txs),
  'transactions by sender and nonce': async ({ call, alice, hashes }) => [
    (await call('ots_getTransactionBySenderAndNonce', alice, 5)) === hashes.calls,
    await call('ots_getTransactionBySenderAndNonce', alice, 99),
  ],
  'creators of contracts': async ({ call, outer, bob, hashes }) => {
    const { hash, creator } = await call('ots_getContractCreator', outer)
    return [hash === hashes.outer, creator, await call('ots_getContractCreator', bob)]
  },
  'a header that does not exist': ({ call }) => call('erigon_getHeaderByNumber', 999),
}

/** Answers that must differ as the guide says: sentence → question, and the answer here. */
const DIFFERENT = {
  'the transaction itself is no internal operation': [
    async ({ call, hashes }) => (await call('ots_getInternalOperations', hashes.calls)).length,
    1,
  ],
  'undone operations are left out': [({ call, hashes }) => call('ots_getInternalOperations', hashes.failure), []],
  'a trace has creations': [
    async ({ call, hashes }) => (await call('ots_traceTransaction', hashes.creation)).map(({ type }) => type),
    ['CALL', 'CREATE'],
  ],
  'a trace has self-destructs': [
    async ({ call, hashes }) => (await call('ots_traceTransaction', hashes.death)).map(({ type }) => type),
    ['CALL', 'SELFDESTRUCT'],
  ],
  'DELEGATECALL and STATICCALL have no value': [
    async ({ call, hashes }) => (await call('ots_traceTransaction', hashes.calls)).map(({ value }) => value),
    ['0x9', '0x2', null, null, '0x0'],
  ],
  'an unknown transaction has no trace': [({ call }) => fate(call('ots_traceTransaction', UNKNOWN)), 'an error'],
  'an unknown transaction has no error': [({ call }) => fate(call('ots_getTransactionError', UNKNOWN)), 'an error'],
  'the bloom of a block is null': [async ({ call }) => (await call('ots_getBlockDetails', 6)).block.logsBloom, null],
  'an unknown block is null': [({ call }) => fate(call('ots_getBlockDetails', 999)), null],
  'receipts of a block have no logs': [
    async ({ call }) => (await call('ots_getBlockTransactions', 6, 0, 25)).receipts[0].logs,
    null,
  ],
  'page 0 has the last transactions of a block': [
    async ({ call, blocks }) =>
      (await call('ots_getBlockTransactions', blocks - 1, 0, 2)).receipts.map(
        ({ transactionIndex }) => transactionIndex,
      ),
    ['0x3', '0x4'],
  ],
  'the number of transactions is that of the block': [
    async ({ call, blocks }) => (await call('ots_getBlockTransactions', blocks - 1, 0, 2)).fullblock.transactionCount,
    5,
  ],
  'later transactions of a block come first': [
    async ({ call, carol }) =>
      places((await call('ots_searchTransactionsAfter', carol, 0, 25)).txs).map(([, at]) => at),
    ['0x4', '0x3', '0x2', '0x1', '0x0'],
  ],
  'a full page is the last one when nothing is older': [
    async ({ call, carol }) => flags(await call('ots_searchTransactionsBefore', carol, 0, 5)),
    [true, true],
  ],
  'a page after a block is the first one when nothing is newer': [
    async ({ call, carol, blocks }) => flags(await call('ots_searchTransactionsAfter', carol, blocks - 2, 5)),
    [true, false],
  ],
  'the heir of a self-destruct takes part': [
    async ({ call, bob }) =>
      places((await call('ots_searchTransactionsBefore', bob, 0, 100)).txs).map(([block]) => block),
    ['0xb', DEATH_BLOCK, '0x7', '0x6'],
  ],
  'the header is no block': [async ({ call }) => 'uncles' in (await call('erigon_getHeaderByNumber', 6)), false],
}

const [isonode, anvil] = ['isonode', 'anvil'].map((name) => TOOLS.find((tool) => tool.name === name))
if (isonode === undefined || anvil === undefined) process.exit(1)
const nodes = await Promise.all([isonode, anvil].map((tool) => start(tool, { chainId: 31337, silent: true })))
let [passed, failed] = [0, 0]
try {
  const [ours, theirs] = await Promise.all(nodes.map(async (node) => ({ ...node, ...(await fill(node)) })))
  for (const [sentence, ask] of Object.entries(EQUAL)) {
    await check(sentence, async () => assert.deepEqual(await ask(ours), await ask(theirs)))
  }
  for (const [sentence, [ask, expected]] of Object.entries(DIFFERENT)) {
    await check(sentence, async () => {
      assert.deepEqual(await ask(ours), expected)
      if (isDeepStrictEqual(await ask(theirs), expected)) throw new Error('anvil answers the same: correct the guide')
    })
  }
} finally {
  await Promise.all(nodes.map((node) => node.stop()))
}
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

async function check(sentence, run) {
  try {
    await run()
    passed++
  } catch (error) {
    failed++
    console.log(`FAILED  ${sentence}: ${error.message}`)
  }
}
