/** Places in the page that its tests open: at least one for each view. */
import type { ExampleChain } from './exampleChain.ts'

export interface Example {
  readonly name: string
  /** After the `#`. */
  readonly route: (chain: ExampleChain) => string
}

const transaction =
  (name: string, rest = '') =>
  ({ transactions }: ExampleChain): string =>
    `/tx/${transactions.get(name)}${rest}`

/** By the pattern of the view in `adapters/page/routes.ts`. */
export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  '/': [{ name: 'the overview', route: () => '/' }],
  '/block/:id': [
    { name: 'the genesis block', route: () => '/block/0' },
    { name: 'a block', route: () => '/block/3' },
    { name: 'a block that does not exist', route: () => '/block/999999' },
  ],
  '/tx/:hash': [
    ...[
      'legacy',
      'access list',
      'token transfer',
      'blob',
      'set code',
      'requireError',
      'constructorRequire',
      'waiting',
    ].map((name) => ({ name: `the transaction ${name}`, route: transaction(name) })),
    ...['logs', 'calls', 'state', 'gas', 'console', 'raw'].map((tab) => ({
      name: `the tab ${tab} of a transaction`,
      route: transaction('twoContractsDeep', `?tab=${tab}`),
    })),
    { name: 'a transaction that does not exist', route: () => `/tx/0x${'00'.repeat(32)}` },
  ],
  '/address/:address': [
    { name: 'an account', route: ({ sender }) => `/address/${sender}` },
    { name: 'a contract', route: ({ token }) => `/address/${token}` },
    ...['tokens', 'contract', 'storage', 'events'].map((tab) => ({
      name: `the tab ${tab} of a contract`,
      route: ({ token }: ExampleChain) => `/address/${token}?tab=${tab}`,
    })),
    { name: 'an unused address', route: () => '/address/0x00000000000000000000000000000000000000ff' },
  ],
  '/token/:address': [
    { name: 'a token', route: ({ token }) => `/token/${token}` },
    { name: 'an address that is no token', route: ({ sender }) => `/token/${sender}` },
  ],
  '/contracts': [{ name: 'the contracts', route: () => '/contracts' }],
  '/pool': [{ name: 'the pool', route: () => '/pool' }],
  '/network': [{ name: 'the network', route: () => '/network' }],
  '/charts': [{ name: 'the charts', route: () => '/charts' }],
  '/dev': [{ name: 'the controls of the dev chain', route: () => '/dev' }],
  '/console': [{ name: 'the console', route: () => '/console' }],
  '/debug/:id': [
    { name: 'the debugger at a failure', route: ({ transactions }) => `/debug/${transactions.get('requireError')}` },
    { name: 'the debugger at a step', route: ({ transactions }) => `/debug/${transactions.get('assertion')}?step=12` },
    {
      name: 'the debugger without a source',
      route: ({ transactions }) => `/debug/${transactions.get('token transfer')}`,
    },
  ],
  '/search': [
    { name: 'a search', route: () => '/search?q=transfer' },
    { name: 'a search without a result', route: () => '/search?q=nothing-has-this-name' },
  ],
  '*': [{ name: 'a view that does not exist', route: () => '/no/such/view' }],
}
