import type { Distribution } from './distribution.ts'
import type { EnclaveClient } from './enclaveClient.ts'
import type { MarkerSubmission } from './markerSubmission.ts'
import type { PrivateFeed } from './privateFeed.ts'
import type { PrivateFilters } from './privateFilters.ts'
import type { PrivateLogs } from './privateLogs.ts'
import type { PrivateLookup } from './privateLookup.ts'
import type { PrivateReads } from './privateReads.ts'
import type { Tenants } from './tenants.ts'

/** The services of a node with private transactions. */
export interface PrivacyAccess {
  /** Whether groups are in contracts. */
  readonly isFlexible: boolean
  readonly enclave: EnclaveClient
  readonly tenants: Tenants
  readonly reads: PrivateReads
  readonly logs: PrivateLogs
  readonly lookup: PrivateLookup
  readonly distribution: Distribution
  readonly markers: MarkerSubmission
  readonly filters: PrivateFilters
  readonly feed: PrivateFeed
}
