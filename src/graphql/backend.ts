import type { CallBackend } from '../api/calls/callSimulation.ts'
import type { LogScanBackend } from '../api/logScan.ts'
import type { NodeInfo } from '../api/nodeInfo.ts'
import type { MiningInfo } from '../sealing/contract.ts'
import type { PoolReader } from '../txpool/contract.ts'
import type { TransactionSubmission } from '../txpool/submission.ts'

/** The interfaces that GraphQL needs from the node. */
export interface GraphqlBackend extends CallBackend, LogScanBackend {
  readonly chain: CallBackend['chain']
  readonly pool: PoolReader
  readonly submission: TransactionSubmission
  readonly node: NodeInfo
  readonly mining: MiningInfo
}
