/**
 * Private transactions of a node.
 * @module
 */

import { noMetrics } from '../base/ports/metrics.ts'
import type { BlockExtension } from '../chain/blockExtension.ts'
import type { Chain } from '../chain/chain.ts'
import type { ExecutionDeps } from '../chain/transition/executionInput.ts'
import { LazyEvm } from '../evm/lazyEvm.ts'
import type { PrivacyAccess } from '../private/privacy/access.ts'
import { Distribution } from '../private/privacy/distribution.ts'
import { EnclaveClient } from '../private/privacy/enclaveClient.ts'
import { MarkerPayloads } from '../private/privacy/markerPayloads.ts'
import { MarkerSigner } from '../private/privacy/markerSigner.ts'
import { MarkerSubmission } from '../private/privacy/markerSubmission.ts'
import { PrivateColumns } from '../private/privacy/privateColumns.ts'
import { PrivateDerivation } from '../private/privacy/privateDerivation.ts'
import { PrivateFeed } from '../private/privacy/privateFeed.ts'
import { PrivateFilters } from '../private/privacy/privateFilters.ts'
import { PrivateLogs } from '../private/privacy/privateLogs.ts'
import { PrivateLookup, readGroupId } from '../private/privacy/privateLookup.ts'
import { PrivateReads } from '../private/privacy/privateReads.ts'
import { Tenants } from '../private/privacy/tenants.ts'
import { StateStore } from '../state/stateStore.ts'
import type { BlockProduction } from './blockProduction.ts'
import { referenceEvm } from './execution.ts'
import type { NodeHost, PrivacyHost } from './host.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'

/** The part that executes private transactions with their blocks. */
export interface PrivateExecution {
  readonly host: PrivacyHost
  readonly enclave: EnclaveClient
  readonly payloads: MarkerPayloads
  readonly privateStates: StateStore
  readonly evm: LazyEvm
  readonly derivation: BlockExtension
}

/**
 * @returns undefined without private transactions
 * @throws {NodeError} MISSING_PACKAGE
 */
export async function openPrivateExecution(
  { privacy, store, clock, timers, logger: root, metrics: registry, loadReferenceEvm }: NodeHost,
  states: StateStore,
  execution: ExecutionDeps,
  { keepRevertReasons, readers: { memory } }: Pick<NodeSettings, 'keepRevertReasons' | 'readers'>,
): Promise<PrivateExecution | undefined> {
  if (privacy === undefined) return undefined
  const { isFlexible, transport, markerKey } = privacy
  const logger = root.child('privacy')
  const metrics = registry ?? noMetrics
  const enclave = new EnclaveClient(transport)
  const payloads = new MarkerPayloads({ enclave, isFlexible, clock, timers, logger, metrics })
  // Only this EVM can run a message on accounts some of which are read-only.
  const evm = new LazyEvm('reference', () => referenceEvm({ clock, loadReferenceEvm }))
  await evm.loaded()
  const privateStates = new StateStore(new PrivateColumns(store), { memory })
  const markerSigner = markerKey && new MarkerSigner(markerKey).address
  const parts = {
    payloads,
    isFlexible,
    markerSigner,
    keepRevertReasons,
    execution,
    evm,
    states,
    privateStates,
    logger,
    metrics,
  }
  return { host: privacy, enclave, payloads, privateStates, evm, derivation: new PrivateDerivation(parts) }
}

export interface OpenedPrivacy {
  readonly access: PrivacyAccess
  readonly lifecycle: Lifecycle
}

/** The services for clients. */
export function openPrivacy(
  { store, clock, random, logger }: NodeHost,
  { host, enclave, payloads, privateStates, evm }: PrivateExecution,
  {
    chain,
    states,
    execution,
  }: { readonly chain: Chain; readonly states: StateStore; readonly execution: ExecutionDeps },
  { pool, submission }: Pick<BlockProduction, 'pool' | 'submission'>,
  { rpc: { callTimeoutMs } }: NodeSettings,
): OpenedPrivacy {
  const { isFlexible, users, markerKey } = host
  const reads = new PrivateReads({ chain, store, privateStates, states, execution, evm, callTimeoutMs })
  const flexibleMembers = isFlexible
    ? async (group: string): Promise<readonly string[]> => {
        const groupId = readGroupId(group)
        return groupId === undefined ? [] : (await reads.contract(groupId)).members
      }
    : undefined
  const tenants = new Tenants({ users, enclave, flexibleMembers })
  const logs = new PrivateLogs({ chain, store, reads })
  const lookup = new PrivateLookup({ chain, store, enclave, reads, isFlexible })
  const distribution = new Distribution({ chain, enclave, tenants, reads, lookup, isFlexible })
  const signer = markerKey === undefined ? undefined : new MarkerSigner(markerKey)
  const common = { chain, states, reads, random, isFlexible }
  const markers = new MarkerSubmission({ ...common, pool, submission, distribution, signer })
  const filters = new PrivateFilters({ logs, chainEvents: chain.events, clock, random })
  const onError = (error: unknown): void => logger.error('a notification of private logs failed', { error })
  const feed = new PrivateFeed({ logs, reads, chainEvents: chain.events, onError })
  const stop = (): void => {
    payloads.close()
    filters.close()
    enclave.close()
  }
  return {
    access: { isFlexible, enclave, tenants, reads, logs, lookup, distribution, markers, filters, feed },
    lifecycle: { name: 'privacy', stop },
  }
}
