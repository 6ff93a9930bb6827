/** A dev chain with every type of transaction, with failures, and with transactions that wait. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Hex, parseGwei, stringToHex, toBlobs, toHex } from 'viem'
import { compileFailures, deployFailures, hardhat2Files, SENDER } from '../../support/nodes/failures.ts'
import { type RunningNode, startNode, temporaryDirectory } from '../../support/nodes/program.ts'
import { connect, deployToken, devAccount, TOKEN_SUPPLY, transferToken } from '../../support/rpc/viemClient.ts'
import { loadKzg } from '../../support/rpc/viemKzg.ts'

/** Cases of `deployFailures` that the chain has as transactions. */
const FAILURES = ['requireString', 'requireError', 'twoContractsDeep', 'assertion', 'outOfGas', 'constructorRequire']

export interface ExampleChain {
  readonly node: RunningNode
  readonly url: string
  /** An account that sent most transactions. */
  readonly sender: Hex
  /** An account that delegates to a contract (EIP-7702). */
  readonly delegating: Hex
  /** An ERC-20 token. */
  readonly token: Hex
  /** Hashes by the name of the type, or of the case that failed; those of `waiting` are not mined. */
  readonly transactions: ReadonlyMap<string, Hex>
}

/**
 * Starts the built program, with the artifacts of its failing contracts.
 * @param place of its data; default: memory
 */
export async function startExampleChain(
  args: readonly string[] = [],
  place: string = '--ephemeral',
): Promise<ExampleChain> {
  const artifacts = temporaryDirectory()
  const project = compileFailures()
  for (const [file, text] of hardhat2Files(project)) {
    mkdirSync(path.dirname(path.join(artifacts, file)), { recursive: true })
    writeFileSync(path.join(artifacts, file), text)
  }
  const node = await startNode([place, `--abi=${artifacts}`, ...args])
  const client = connect('http', { http: node.url, ws: node.url.replace('http', 'ws') }, 0)
  const transactions = new Map<string, Hex>()
  const mined = async (name: string, hash: Hex): Promise<void> => {
    await client.waitForTransactionReceipt({ hash })
    transactions.set(name, hash)
  }
  const to = devAccount(2).address
  const value = 10n ** 15n
  await mined('legacy', await client.sendTransaction({ type: 'legacy', to, value, gasPrice: parseGwei('3') }))
  const accessList = [{ address: to, storageKeys: [toHex(1, { size: 32 })] }]
  await mined('access list', await client.sendTransaction({ type: 'eip2930', to, value, accessList }))
  await mined('fee market', await client.sendTransaction({ to, value }))
  const token = await deployToken(client)
  await mined('token transfer', await transferToken(client, token, to, TOKEN_SUPPLY / 10n))
  const blobs = toBlobs({ data: stringToHex('blob') })
  const maxFeePerBlobGas = parseGwei('30')
  await mined('blob', await client.sendTransaction({ to, blobs, kzg: await loadKzg(), maxFeePerBlobGas }))
  const authorization = await client.signAuthorization({ contractAddress: token, executor: 'self' })
  await mined('set code', await client.sendTransaction({ to, authorizationList: [authorization] }))
  await addFailures(node, project, transactions)
  const waiting = { from: devAccount(3).address, to, value: '0x1', nonce: '0x5', gas: '0x5208' }
  transactions.set('waiting', await node.rpc('eth_sendTransaction', [waiting]))
  return { node, url: node.url, sender: SENDER, delegating: devAccount(0).address, token, transactions }
}

async function addFailures(
  node: RunningNode,
  project: ReturnType<typeof compileFailures>,
  transactions: Map<string, Hex>,
): Promise<void> {
  const cases = await deployFailures((method, ...params) => node.rpc(method, params), project)
  for (const name of FAILURES) {
    const call = cases.get(name)
    if (call === undefined) throw new Error(`there is no failing call ${name}`)
    const request = { from: SENDER, gas: '0xf00000', ...call }
    transactions.set(name, await node.rpc('eth_sendTransaction', [request]))
  }
}
