import type { ForkHeader } from '../../fork/forkBlock.ts'

/** Follows a chain by the seals of its blocks, from a block that is trusted. */
export interface SealTrust {
  /** The newest block that no other one can replace. */
  readonly trusted: ForkHeader
  /** The newest block whose seals were verified. */
  readonly newest: ForkHeader
  /**
   * Leads to another block. One that is not newer than {@link trusted} may be left unverified.
   * @throws {NodeError} HEAD_UNTRUSTED
   */
  follow(target: ForkHeader): Promise<void>
}
