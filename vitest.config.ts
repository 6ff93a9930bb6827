import { availableParallelism } from 'node:os'
import process from 'node:process'
import { defineConfig } from 'vitest/config'
import { SkipReport } from './test/support/host/skipReport.ts'

/** The programs of all runtimes are started from Node. Simulations do not depend on the runtime. */
const isNode = !('Deno' in globalThis) && !('Bun' in globalThis)

/** Files that replace modules, or need modules that nothing has loaded. */
export const ISOLATED = [
  // It measures the memory of its process.
  'test/unit/chain/cachedHeaders.test.ts',
  // A library for hashes keeps that its module could not be compiled.
  'test/unit/adapters/browser/forbiddenWasm.test.ts',
  'test/unit/adapters/server/data/lmdbErrors.test.ts',
  'test/unit/adapters/server/data/lmdbReadAhead.test.ts',
  'test/unit/adapters/server/crypto/nodePrecompiles.test.ts',
  'test/unit/evm/precompiles/loading.test.ts',
  // It measures with the hash functions of a node.
  'test/unit/net/protocols/hostileMessages.test.ts',
  'test/unit/rpc/ots/searchLimits.test.ts',
]

/** Networks of nodes in virtual time: the slow ones below `test/unit`. */
const SIMULATED = [
  'test/unit/net/gossip/lyingNetwork.test.ts',
  'test/unit/net/p2p/discovery/discovery.test.ts',
  'test/unit/net/p2p/peers/peerNetwork.test.ts',
  'test/unit/net/sync/hostilePeers.test.ts',
  'test/unit/node/network/hostilePeers.test.ts',
  'test/unit/node/network/laggingProducers.test.ts',
]

/**
 * By default, Bun reserves much address space for each memory of WebAssembly, and collects garbage the more often the more
 * memories there are. A run of the tests opens thousands, so `.ci/run` has two on Bun: one with this default, of the files
 * below, which test the code of the native EVM, and one of the other files without it.
 */
const hasPlainMemory = process.env['BUN_JSC_useWasmFastMemory'] === '0'
const MEMORY_TESTS = ['test/spec/**', 'test/unit/evm/**']

export const EXCLUDED = [
  'test/long/**',
  'test/bench/**',
  'test/runtime/**',
  // `npm run test:page`
  'test/page/**',
  // `npm run test:networks`
  'test/networks/**',
  // `npm run test:product`
  'test/product/**',
  ...(isNode ? [] : ['test/e2e/**', 'test/simulation/**', ...SIMULATED]),
  ...(hasPlainMemory ? MEMORY_TESTS : []),
]

/** Files that start the built program. */
const PROGRAMS = ['test/e2e/**/*.test.ts']

export default defineConfig({
  test: {
    reporters: ['default', new SkipReport()],
    projects: [
      // Each worker loads a module once, not once per file. This nearly halves the time.
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...EXCLUDED, ...ISOLATED, ...PROGRAMS],
          isolate: false,
        },
      },
      // Only a run with such a file builds.
      {
        extends: true,
        test: {
          name: 'programs',
          include: PROGRAMS,
          exclude: EXCLUDED,
          isolate: false,
          globalSetup: ['test/support/host/build.ts'],
        },
      },
      { extends: true, test: { name: 'isolated', include: ISOLATED, exclude: EXCLUDED } },
    ],
    setupFiles: ['test/support/host/setup.ts'],
    // Transformed modules stay in node_modules for the next run, which takes half the time for a small folder.
    experimental: { fsModuleCache: true },
    // vitest would give up after a second.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A thread that ends while a native module runs may end the whole process.
    pool: 'forks',
    // vitest would leave one of two cores idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
})
