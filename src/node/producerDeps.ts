/**
 * Dependencies of the producer of a chain.
 * @module
 */

import type { DatasetHost } from '../base/ports/ethashDatasets.ts'
import type { Clock, Logger, SenderRecovery } from '../base/ports/host.ts'
import type { KeyValueStore, Residency } from '../base/ports/keyValueStore.ts'
import type { ShowProgress } from '../base/ports/progress.ts'
import type { Random } from '../base/ports/random.ts'
import type { OpenSealSearch } from '../base/ports/sealSearch.ts'
import type { Signer } from '../base/ports/signer.ts'
import type { Timers } from '../base/ports/timers.ts'
import type { YieldToHost } from '../base/ports/yieldToHost.ts'
import type { Chain } from '../chain/chain.ts'
import type { DevWriter } from '../chain/dev/devWriter.ts'
import type { DerivedBlocks } from '../chain/sealRun.ts'
import type { ExecutionDeps } from '../chain/transition/executionInput.ts'
import type { SealedBlock } from '../chain/writeTask.ts'
import type { DevAccount } from '../config/devAccounts.ts'
import type { BftNetwork } from '../consensus/bft/messages/packets.ts'
import type { VoteIntents } from '../consensus/voteIntents.ts'
import type { DevChain } from '../dev/contract.ts'
import type { LocalDevChainOptions } from '../dev/localDevChain.ts'
import type { BlockProducer } from '../sealing/contract.ts'
import type { StateSource } from '../state/contract.ts'
import type { TransactionPool } from '../txpool/transactionPool.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'

export interface ProducerDeps {
  readonly chain: Chain
  readonly devWriter: DevWriter
  readonly pool: TransactionPool
  readonly states: StateSource
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly store: KeyValueStore
  readonly residency: Residency | undefined
  readonly senders: SenderRecovery
  /** Holds the key of a signer or validator. */
  readonly signer?: Signer | undefined
  /** Connections to other validators; default: none. */
  readonly bftNetwork?: BftNetwork | undefined
  readonly execution: ExecutionDeps
  readonly logger: Logger
  readonly yieldToHost: YieldToHost
  /** Threads that search for seals; undefined: this thread searches, in slices. */
  readonly openSealSearch?: OpenSealSearch | undefined
  /** Threads that compute ethash datasets. */
  readonly ethashDatasets?: DatasetHost | undefined
  readonly showProgress?: ShowProgress | undefined
  readonly settings: Pick<NodeSettings, 'isDev' | 'autoImpersonates' | 'failsOnRevert' | 'sealing' | 'pool'>
  /** Accounts whose keys the dev chain has. */
  readonly accounts: readonly DevAccount[]
  /** Time of block 0 after a reset of the dev chain. */
  readonly resetTime: LocalDevChainOptions['resetTime']
  /** Votes on signers that the operator has proposed. */
  readonly proposals: VoteIntents
  /** Votes on validators that the operator has proposed. */
  readonly votes: VoteIntents
  /** Called with each block that the dev chain's producer has committed. */
  readonly onSealed?: ((block: SealedBlock) => void) | undefined
  /** Called with the empty blocks that the producer has added without storing them. */
  readonly onDerived?: ((blocks: DerivedBlocks) => void) | undefined
}

export interface ChainProducer {
  readonly producer: BlockProducer
  readonly dev: DevChain | undefined
}
