/**
 * Types of the library as programs see them. `npm run check` compiles it against the sources, test/e2e/library.test.ts
 * against the declarations of the package.
 */
import { createBrowserNode, type StartOptions, startNode } from 'isonode'
import { type BrowserNode, createBrowserNode as same } from 'isonode/browser'

const options: StartOptions = { dev: true, port: 0, api: ['ETH'], flags: { minGasPrice: 5n }, network: 'mainnet' }
// @ts-expect-error not an option
const unknown: StartOptions = { prot: 0 }
// @ts-expect-error for the command line only
const help: StartOptions = { flags: { help: true } }
// @ts-expect-error not a number
const text: StartOptions = { port: '0' }
// @ts-expect-error a number
const flag: StartOptions = { flags: { metricsPort: '9545' } }
// @ts-expect-error misspelt
const misspelt: StartOptions = { flags: { metricPort: 9545 } }
// @ts-expect-error a property of its own
const property: StartOptions = { flags: { chainId: 5 } }
// @ts-expect-error not a network
const network: StartOptions = { network: 'moon' }

export async function use(): Promise<readonly unknown[]> {
  const node = await startNode(options)
  const url: string = node.url + node.wsUrl
  const withoutOptions: string = (await startNode()).url
  // @ts-expect-error undefined unless `graphql` is set
  const graphqlUrl: string = node.graphqlUrl
  // @ts-expect-error misspelt
  await startNode({ prot: 0 })
  const unserved = await startNode({ listen: false })
  const none: undefined = unserved.url
  const number = await node.request<string>('eth_blockNumber')
  const accounts: unknown = await node.request({ method: 'eth_accounts', params: [] })
  node.on('logs', { address: '0x', topics: [null] }, (log) => log['address']).on('newHeads', (head) => head['number'])
  node.on('message', ({ data }) => data.subscription)
  node.on('disconnect', ({ code }) => code.toFixed())
  // @ts-expect-error not an event
  node.on('typo', () => {})
  const page: BrowserNode = await createBrowserNode()
  await same({ storage: 'memory', loadReferenceEvm: () => import('isonode/reference-evm') })
  // @ts-expect-error not a storage
  await same({ storage: 'disk' })
  // @ts-expect-error not the module
  await same({ loadReferenceEvm: () => import('isonode/browser') })
  await node.close()
  // @ts-expect-error a node without a port has no address
  const address: string = unserved.url
  return [
    url,
    withoutOptions,
    graphqlUrl,
    none,
    address,
    number,
    accounts,
    page,
    same,
    unknown,
    help,
    text,
    network,
    flag,
    misspelt,
    property,
  ]
}
