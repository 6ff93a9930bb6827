import type { ForkStatus } from '../../api/forkAccess.ts'
import type { ForkPoint } from '../../fork/forkPoint.ts'
import type { FundedBase } from '../../fork/fundedBase.ts'
import type { Fork } from '../../fork/openFork.ts'
import type { LayeredSource } from '../../fork/sources.ts'
import type { RemoteClient, RemoteStatus } from '../../remote/contract.ts'
import type { ForkSettings } from '../settings/forkSettings.ts'

export interface ForkControlParts {
  readonly settings: ForkSettings
  readonly fork: Fork
  readonly base: FundedBase
  readonly source: LayeredSource
  readonly client: RemoteClient | undefined
}

/** Of a fork that never asks. */
const SILENT: RemoteStatus = {
  origins: [],
  requests: 0,
  calls: 0,
  retries: 0,
  waitedMs: 0,
  bytesSent: 0,
  bytesReceived: 0,
  capabilities: {},
}

/** The fork of a running node. */
export class ForkControl {
  readonly base: FundedBase
  readonly #parts: ForkControlParts

  constructor(parts: ForkControlParts) {
    this.base = parts.base
    this.#parts = parts
  }

  get point(): ForkPoint {
    return this.#parts.fork.point
  }

  get status(): ForkStatus {
    const { client, source } = this.#parts
    const hits = source.uses.reduce((sum, use) => sum + use.hits, 0)
    return { ...(client?.status ?? SILENT), hits, misses: source.misses, proven: 0, unproven: 0 }
  }
}
