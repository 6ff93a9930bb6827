/** One check per action of viem's `publicActions`. A check throws when the tool does not do what the action is for. */
import assert from 'node:assert/strict'
import { encodeFunctionData, hashMessage, keccak256, pad, parseEther, parseGwei, toHex, zeroHash } from 'viem'
import { createSiweMessage } from 'viem/siwe'
import { TOKEN_ABI } from '../probe.mjs'
import { accounts, CHAIN_ID, firstReport } from './clients.mjs'

const NOBODY = '0x1234567890123456789012345678901234567890'
const FRIEND = accounts[3].address
const SUPPLY = 1000n
const NAME = 'dev.eth'
/** EIP-1271: the stand-in accepts signatures of 33 bytes. */
const CONTRACT_SIGNATURE = `0x${'12'.repeat(33)}`
const isHash = (value) => assert.match(value, /^0x[0-9a-f]{64}$/)
const same = (a, b) => assert.equal(a.toLowerCase(), b.toLowerCase())

const call = (functionName, ...args) => encodeFunctionData({ abi: TOKEN_ABI, functionName, args })
const transferOf = (token, value = 1n) => ({
  abi: TOKEN_ABI,
  address: token,
  functionName: 'transfer',
  args: [FRIEND, value],
})
const TYPED = {
  domain: { name: 'Names', version: '1', chainId: CHAIN_ID },
  types: { Order: [{ name: 'maker', type: 'address' }] },
  primaryType: 'Order',
  message: { maker: NOBODY },
}

/** Sends a transfer of the token. @returns its receipt */
async function moveToken({ node, token }) {
  const hash = await node.writeContract({ ...transferOf(token), gas: 100_000n })
  return node.waitForTransactionReceipt({ hash })
}

const reads = {
  call: async ({ node, token }) =>
    assert.equal((await node.call({ to: token, data: call('totalSupply') })).data, pad(toHex(SUPPLY))),
  'call with overrides of the state': async ({ node }) => {
    const stateOverride = [{ address: NOBODY, code: '0x602a60005260206000f3', balance: 5n }]
    assert.equal((await node.call({ to: NOBODY, stateOverride })).data, pad('0x2a'))
  },
  createAccessList: async ({ node, token }) => {
    const { accessList, gasUsed } = await node.createAccessList({ to: token, data: call('totalSupply') })
    same(accessList[0].address, token)
    assert.ok(gasUsed > 21_000n)
  },
  estimateContractGas: async ({ node, token }) =>
    assert.ok((await node.estimateContractGas({ ...transferOf(token), account: node.account })) > 21_000n),
  estimateGas: async ({ node }) => {
    const gas = await node.estimateGas({ account: node.account, to: NOBODY, value: 1n })
    // Some tools add a reserve.
    assert.ok(gas >= 21_000n && gas < 22_000n)
  },
  getBalance: async ({ node }) => {
    await node.getBalance({ address: FRIEND, blockNumber: 0n })
    assert.ok((await node.getBalance({ address: FRIEND })) > parseEther('900'))
  },
  getBlobBaseFee: async ({ node }) => assert.ok((await node.getBlobBaseFee()) > 0n),
  getBlock: async ({ node }) => {
    const { hash, number } = await node.getBlock({ includeTransactions: true })
    assert.equal((await node.getBlock({ blockHash: hash })).number, number)
    for (const blockTag of ['earliest', 'safe', 'finalized', 'pending']) await node.getBlock({ blockTag })
  },
  getBlockNumber: async ({ node }) => assert.ok((await node.getBlockNumber()) > 0n),
  getBlockReceipts: async ({ node, token }) => {
    const { blockNumber, transactionHash } = await moveToken({ node, token })
    const [receipt] = await node.getBlockReceipts({ blockNumber })
    assert.equal(receipt.transactionHash, transactionHash)
  },
  getBlockTransactionCount: async ({ node, token }) => {
    const { blockNumber } = await moveToken({ node, token })
    assert.equal(await node.getBlockTransactionCount({ blockNumber }), 1)
  },
  getBytecode: async ({ node, token }) => assert.ok((await node.getBytecode({ address: token })).length > 100),
  getChainId: async ({ node }) => assert.equal(await node.getChainId(), CHAIN_ID),
  getCode: async ({ node, token }) => assert.ok((await node.getCode({ address: token })).length > 100),
  getDelegation: async ({ local, node, token }) => {
    const [, , owner] = accounts
    const authorization = await local.signAuthorization({ account: owner, contractAddress: token })
    const hash = await local.sendTransaction({ to: NOBODY, authorizationList: [authorization] })
    await local.waitForTransactionReceipt({ hash })
    same(await node.getDelegation({ address: owner.address }), token)
  },
  getEip712Domain: async ({ node, names }) =>
    assert.equal((await node.getEip712Domain({ address: names })).domain.name, 'Names'),
  getEnsAddress: async ({ node, names }) => same(await node.getEnsAddress({ name: NAME }), names),
  getEnsAvatar: async ({ node }) => assert.match(await node.getEnsAvatar({ name: NAME }), /^data:/),
  getEnsName: async ({ node }) => assert.equal(await node.getEnsName({ address: NOBODY }), NAME),
  getEnsResolver: async ({ node, names }) => same(await node.getEnsResolver({ name: NAME }), names),
  getEnsText: async ({ node }) => assert.match(await node.getEnsText({ name: NAME, key: 'url' }), /^data:/),
  getProof: async ({ node, token }) => {
    const { stateRoot, number } = await node.getBlock()
    const { accountProof, storageProof } = await node.getProof({
      address: token,
      storageKeys: [zeroHash],
      blockNumber: number,
    })
    assert.equal(keccak256(accountProof[0]), stateRoot)
    assert.equal(storageProof.length, 1)
  },
  getStorageAt: async ({ node, token }) =>
    assert.equal(await node.getStorageAt({ address: token, slot: '0x0' }), pad(toHex(SUPPLY))),
  getStorageValues: async ({ node, token }) => {
    const values = await node.getStorageValues({ requests: { [token]: [zeroHash] } })
    assert.deepEqual(Object.values(values), [[pad(toHex(SUPPLY))]])
  },
  getTransactionCount: async ({ node }) => {
    assert.ok((await node.getTransactionCount({ address: node.account.address })) > 0)
    await node.getTransactionCount({ address: node.account.address, blockTag: 'pending' })
  },
  multicall: async ({ node, token }) => {
    const contracts = ['totalSupply', 'decimals'].map((functionName) => ({
      abi: TOKEN_ABI,
      address: token,
      functionName,
    }))
    const results = await node.multicall({ deployless: true, allowFailure: false, contracts })
    assert.deepEqual(results, [SUPPLY, 18])
  },
  readContract: async ({ node, token }) =>
    assert.equal(await node.readContract({ abi: TOKEN_ABI, address: token, functionName: 'totalSupply' }), SUPPLY),
  'token.getAllowance': async ({ node, token }) => {
    const { amount } = await node.token.getAllowance({ token, account: NOBODY, spender: FRIEND, decimals: 18 })
    assert.equal(amount, 0n)
  },
  'token.getBalance': async ({ node, token }) =>
    assert.equal((await node.token.getBalance({ token, account: NOBODY, decimals: 18 })).amount, 0n),
  'token.getMetadata': async ({ node, token }) =>
    assert.deepEqual(await node.token.getMetadata({ token }), { decimals: 18, name: 'Token', symbol: 'TKN' }),
  'token.getTotalSupply': async ({ node, token }) =>
    assert.equal((await node.token.getTotalSupply({ token, decimals: 18 })).amount, SUPPLY),
}

const fees = {
  estimateFeesPerGas: async ({ node }) => assert.ok((await node.estimateFeesPerGas()).maxFeePerGas > 0n),
  estimateMaxPriorityFeePerGas: async ({ node }) => assert.ok((await node.estimateMaxPriorityFeePerGas()) >= 0n),
  getFeeHistory: async ({ node }) => {
    const { baseFeePerGas, reward } = await node.getFeeHistory({ blockCount: 1, rewardPercentiles: [50] })
    assert.equal(baseFeePerGas.length, 2)
    assert.equal(reward.length, 1)
  },
  getGasPrice: async ({ node }) => assert.ok((await node.getGasPrice()) > 0n),
}

const transactions = {
  fillTransaction: async ({ node }) => {
    const { transaction } = await node.fillTransaction({ account: node.account, to: NOBODY, value: 1n })
    assert.equal(transaction.gas, 21_000n)
  },
  getRawTransaction: async ({ node, token }) => {
    const { transactionHash: hash } = await moveToken({ node, token })
    assert.equal(keccak256(await node.getRawTransaction({ hash })), hash)
  },
  getTransaction: async ({ node, token }) => {
    const { transactionHash: hash, blockHash } = await moveToken({ node, token })
    assert.equal((await node.getTransaction({ hash })).blockHash, blockHash)
    assert.equal((await node.getTransaction({ blockHash, index: 0 })).hash, hash)
  },
  getTransactionConfirmations: async ({ node, token }) => {
    const { transactionHash: hash } = await moveToken({ node, token })
    assert.equal(await node.getTransactionConfirmations({ hash }), 1n)
  },
  getTransactionReceipt: async ({ node, token }) => {
    const { transactionHash: hash } = await moveToken({ node, token })
    assert.equal((await node.getTransactionReceipt({ hash })).logs.length, 1)
  },
  prepareTransactionRequest: async ({ local }) => {
    const request = await local.prepareTransactionRequest({ to: NOBODY, value: 1n })
    assert.ok(request.gas >= 21_000n && request.maxFeePerGas > 0n)
  },
  sendRawTransaction: async ({ local }) => {
    const hash = await local.sendRawTransaction({ serializedTransaction: await signedTransfer(local) })
    assert.equal((await local.waitForTransactionReceipt({ hash })).status, 'success')
  },
  sendRawTransactionSync: async ({ local }) => {
    const receipt = await local.sendRawTransactionSync({ serializedTransaction: await signedTransfer(local) })
    assert.equal(receipt.status, 'success')
  },
  waitForTransactionReceipt: async ({ node, token }) =>
    assert.equal((await moveToken({ node, token })).status, 'success'),
}

async function signedTransfer(local) {
  const nonce = await local.getTransactionCount({ address: local.account.address })
  return local.signTransaction({
    to: NOBODY,
    value: 1n,
    nonce,
    gas: 21_000n,
    maxFeePerGas: parseGwei('100'),
    maxPriorityFeePerGas: 1n,
  })
}

const simulations = {
  simulate: (clients) => simulateBlocks(clients, 'simulate'),
  simulateBlocks: (clients) => simulateBlocks(clients, 'simulateBlocks'),
  simulateCalls: async ({ node, token }) => {
    const { args, ...transfer } = transferOf(token)
    const calls = [
      { ...transfer, to: token, args },
      { ...transfer, to: token, functionName: 'divide', args: [1n, 0n] },
    ]
    const { results } = await node.simulateCalls({ account: node.account, calls })
    assert.deepEqual(
      results.map(({ status }) => status),
      ['success', 'failure'],
    )
  },
  'simulateCalls with the changes of assets': async ({ node, token }) => {
    const calls = [
      { to: NOBODY, value: 7n },
      { ...transferOf(token, 2n), to: token },
    ]
    const { assetChanges } = await node.simulateCalls({ account: node.account.address, calls, traceAssetChanges: true })
    assert.deepEqual(assetChanges.map(({ value }) => value.diff).sort(), [-2n, -7n].sort())
  },
  simulateContract: async ({ node, token }) =>
    assert.equal((await node.simulateContract({ ...transferOf(token), account: node.account })).result, true),
}

async function simulateBlocks({ node }, action) {
  const account = node.account.address
  const [first, second] = await node[action]({
    blocks: [
      { calls: [{ account, to: NOBODY, value: 1n }], blockOverrides: { time: 33_000_000_000n } },
      { calls: [{ account, to: NOBODY, value: 2n }] },
    ],
  })
  assert.equal(first.timestamp, 33_000_000_000n)
  assert.equal(second.number, first.number + 1n)
  assert.equal(second.calls[0].status, 'success')
}

const [signer] = accounts
const address = signer.address
const verifications = {
  verifyHash: async ({ node }) => {
    const hash = hashMessage('hello')
    assert.ok(await node.verifyHash({ address, hash, signature: await signer.sign({ hash }) }))
  },
  verifyMessage: async ({ node, names }) => {
    const message = 'hello'
    assert.ok(await node.verifyMessage({ address, message, signature: await signer.signMessage({ message }) }))
    assert.ok(await node.verifyMessage({ address: names, message, signature: CONTRACT_SIGNATURE }))
    assert.equal(await node.verifyMessage({ address: NOBODY, message, signature: CONTRACT_SIGNATURE }), false)
  },
  verifySiweMessage: async ({ node }) => {
    const message = createSiweMessage({
      address,
      chainId: CHAIN_ID,
      domain: 'example.com',
      nonce: 'abcdefgh1',
      uri: 'https://example.com',
      version: '1',
    })
    assert.ok(await node.verifySiweMessage({ message, signature: await signer.signMessage({ message }) }))
  },
  verifyTypedData: async ({ node, names }) => {
    assert.ok(await node.verifyTypedData({ ...TYPED, address, signature: await signer.signTypedData(TYPED) }))
    assert.ok(await node.verifyTypedData({ ...TYPED, address: names, signature: CONTRACT_SIGNATURE }))
  },
}

const transferEvents = ({ token }) => ({ abi: TOKEN_ABI, address: token, eventName: 'Transfer' })
const EVENT = TOKEN_ABI.find(({ name }) => name === 'Transfer')

const events = {
  createBlockFilter: async ({ node, token }) => {
    const filter = await node.createBlockFilter()
    const { blockHash } = await moveToken({ node, token })
    assert.ok((await node.getFilterChanges({ filter })).includes(blockHash))
  },
  createContractEventFilter: async ({ node, token }) => {
    const filter = await node.createContractEventFilter(transferEvents({ token }))
    const { transactionHash } = await moveToken({ node, token })
    const found = await node.getFilterChanges({ filter })
    assert.ok(found.some((log) => log.transactionHash === transactionHash))
  },
  createEventFilter: async ({ node, token }) => {
    const filter = await node.createEventFilter({ address: token, event: EVENT, args: { to: FRIEND } })
    const { transactionHash } = await moveToken({ node, token })
    const found = await node.getFilterChanges({ filter })
    assert.ok(found.some((log) => log.transactionHash === transactionHash))
  },
  createPendingTransactionFilter: async ({ node, token }) => {
    const filter = await node.createPendingTransactionFilter()
    const { transactionHash } = await moveToken({ node, token })
    assert.ok((await node.getFilterChanges({ filter })).includes(transactionHash))
  },
  getContractEvents: async ({ node, token }) => {
    await moveToken({ node, token })
    assert.ok((await node.getContractEvents({ ...transferEvents({ token }), fromBlock: 0n })).length > 1)
  },
  getFilterChanges: async ({ node, token }) => {
    const filter = await node.createEventFilter({ address: token })
    assert.deepEqual(await node.getFilterChanges({ filter }), [])
    await moveToken({ node, token })
    assert.equal((await node.getFilterChanges({ filter })).length, 1)
    assert.deepEqual(await node.getFilterChanges({ filter }), [])
  },
  getFilterLogs: async ({ node, token }) => {
    await moveToken({ node, token })
    const filter = await node.createContractEventFilter({ ...transferEvents({ token }), fromBlock: 0n })
    assert.ok((await node.getFilterLogs({ filter })).length > 1)
  },
  getLogs: async ({ node, token }) => {
    const { blockHash } = await moveToken({ node, token })
    assert.equal((await node.getLogs({ address: token, blockHash }))[0].logIndex, 0)
    assert.ok((await node.getLogs({ event: EVENT, fromBlock: 0n, toBlock: 'latest' })).length > 1)
  },
  uninstallFilter: async ({ node }) =>
    assert.equal(await node.uninstallFilter({ filter: await node.createBlockFilter() }), true),
}

/** The reports of each watcher, while tokens are moved. */
const WATCHERS = {
  watchBlocks: {
    watch: (client, found, onError) => client.watchBlocks({ onBlock: found, onError }),
    check: ({ hash }) => isHash(hash),
  },
  watchBlockNumber: {
    watch: (client, found, onError) => client.watchBlockNumber({ onBlockNumber: found, onError }),
    check: (number) => assert.ok(number > 0n),
  },
  watchContractEvent: {
    watch: (client, found, onError, clients) =>
      client.watchContractEvent({ ...transferEvents(clients), onLogs: found, onError }),
    check: ([log]) => assert.equal(log.args.to, FRIEND),
  },
  watchEvent: {
    watch: (client, found, onError, { token }) =>
      client.watchEvent({ address: token, event: EVENT, onLogs: found, onError }),
    check: ([log]) => assert.equal(log.args.value, 1n),
  },
  watchPendingTransactions: {
    watch: (client, found, onError) => client.watchPendingTransactions({ onTransactions: found, onError }),
    check: ([hash]) => isHash(hash),
  },
}

const watch = (kind, name) => async (clients) => {
  const { watch: start, check } = WATCHERS[name]
  const client = clients[kind]
  check(
    await firstReport(
      (found, failed) => start(client, found, failed, clients),
      () => moveToken(clients),
    ),
  )
}

const watchers = {
  ...Object.fromEntries(Object.keys(WATCHERS).map((name) => [name, watch('node', name)])),
  ...Object.fromEntries(Object.keys(WATCHERS).map((name) => [`${name} over WebSocket`, watch('socket', name)])),
  watchBlockHeaders: async (clients) => {
    const watchHeaders = (onBlockHeader, onError) => clients.socket.watchBlockHeaders({ onBlockHeader, onError })
    isHash((await firstReport(watchHeaders, () => moveToken(clients))).hash)
  },
}

export const PUBLIC_CHECKS = {
  ...reads,
  ...fees,
  ...transactions,
  ...simulations,
  ...verifications,
  ...events,
  ...watchers,
}
