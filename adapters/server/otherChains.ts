/**
 * Other chains for a dev node in memory: anvil_reset changes to them.
 * @module
 */
import type { Logger } from '../../src/base/ports/host.ts'
import type { DevWallet } from '../../src/config/devGenesis.ts'
import type { NodeOptions } from '../../src/config/options.ts'
import { isFork } from '../../src/config/storageOptions.ts'
import { withWallet } from '../../src/dev/keptWallet.ts'
import { nextChain } from '../../src/node/fork/openFork.ts'
import type { DevChains } from '../../src/node/host.ts'
import { requestedFork } from '../../src/node/settings/forkSettings.ts'
import { MemoryStore } from '../../src/storage/memoryStore.ts'
import { chooseGenesis } from './data/chooseGenesis.ts'
import { openServerFork } from './fork.ts'

export interface OtherChainsInput {
  readonly options: NodeOptions
  /** Content of the genesis file; default: it is read. */
  readonly genesisText: string | undefined
  /** All chains of the node have the same accounts. */
  readonly wallet: DevWallet
  readonly logger: Logger
}

export function otherChains({ options: given, genesisText, wallet, logger }: OtherChainsInput): DevChains {
  const options = withWallet(given, wallet)
  // The file of a fork is that of the chain which it continues.
  const plain = isFork(options) ? { ...options, 'genesis-file': undefined } : options
  const text = isFork(options) ? undefined : genesisText
  return {
    toFork: async (target) => {
      const settings = requestedFork(options, target)
      return nextChain(await openServerFork({ settings, options, stored: undefined, genesisFile: undefined, logger }))
    },
    toPlain: async () => {
      const genesis = await chooseGenesis({ ...plain, dev: true }, text)
      return { genesis, store: new MemoryStore(), residency: undefined, fork: undefined, close: async () => {} }
    },
  }
}
