/**
 * All views. A view is loaded when it is opened.
 * @module
 */
import type { ComponentType } from 'preact'
import { shortened } from './format/hex.ts'
import type { Params } from './state/match.ts'

export interface ViewProps {
  readonly params: Params
  /** Of the hash: `?tab=logs`. */
  readonly search: URLSearchParams
}

export interface Route {
  /** `/tx/:hash` */
  readonly pattern: string
  /** Of the browser's tab, before ` · isonode`. */
  readonly title: (params: Params) => string
  readonly load: () => Promise<{ readonly default: ComponentType<ViewProps> }>
  /** The letter that opens the view after `g`. */
  readonly key?: string
  /** The name in the navigation. */
  readonly label?: string
  /** Group of methods without which the view has nothing to show; it is then not in the navigation. */
  readonly group?: string
}

export const ROUTES: readonly Route[] = [
  {
    pattern: '/',
    title: () => 'Overview',
    load: () => import('./views/home/HomeView.tsx'),
    key: 'h',
    label: 'Overview',
  },
  {
    pattern: '/block/:id',
    title: ({ id }) => `Block ${id}`,
    load: () => import('./views/block/BlockView.tsx'),
  },
  {
    pattern: '/tx/:hash',
    title: ({ hash = '' }) => `Transaction ${shortened(hash)}`,
    load: () => import('./views/tx/TxView.tsx'),
  },
  {
    pattern: '/address/:address',
    title: ({ address = '' }) => `Address ${shortened(address)}`,
    load: () => import('./views/address/AddressView.tsx'),
  },
  {
    pattern: '/token/:address',
    title: ({ address = '' }) => `Token ${shortened(address)}`,
    load: () => import('./views/token/TokenView.tsx'),
  },
  {
    pattern: '/debug/:id',
    title: ({ id = '' }) => `Debugger ${shortened(id)}`,
    load: () => import('./views/debug/DebugView.tsx'),
  },
  {
    pattern: '/contracts',
    title: () => 'Contracts',
    load: () => import('./views/contracts/ContractsView.tsx'),
    key: 'c',
    label: 'Contracts',
  },
  {
    pattern: '/pool',
    title: () => 'Pool',
    load: () => import('./views/pool/PoolView.tsx'),
    key: 'p',
    label: 'Pool',
    group: 'txpool',
  },
  {
    pattern: '/network',
    title: () => 'Network',
    load: () => import('./views/network/NetworkView.tsx'),
    key: 'n',
    label: 'Network',
  },
  {
    pattern: '/charts',
    title: () => 'Charts',
    load: () => import('./views/charts/ChartsView.tsx'),
    key: 'r',
    label: 'Charts',
  },
  {
    pattern: '/dev',
    title: () => 'Dev chain',
    load: () => import('./views/dev/DevView.tsx'),
    key: 'd',
    label: 'Dev chain',
    group: 'dev',
  },
  {
    pattern: '/console',
    title: () => 'Console',
    load: () => import('./views/console/ConsoleView.tsx'),
    key: 'o',
    label: 'Console',
  },
  {
    pattern: '/search',
    title: () => 'Search',
    load: () => import('./views/search/SearchView.tsx'),
  },
]

export const NOT_FOUND: Route = {
  pattern: '*',
  title: () => 'Not found',
  load: () => import('./views/NotFoundView.tsx'),
}
