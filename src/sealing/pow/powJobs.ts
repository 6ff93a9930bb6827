/**
 * The blocks whose seals are searched for, newest last.
 * @module
 */

import { MAX_POW_JOBS } from '../../base/limits/limits.ts'
import { equalBytes } from '../../base/primitives/bytes.ts'
import type { Candidate } from '../../chain/candidates.ts'
import type { SealingWork } from '../contract.ts'

export interface PowJob extends SealingWork {
  readonly candidate: Candidate
  /** ECIP-1099 epochs. */
  readonly isLong: boolean
  /** Monotonic, milliseconds. */
  readonly createdAtMs: number
  isSolved: boolean
}

export interface PowJobLimits {
  /** Lifetime of a job. The current one remains valid. */
  readonly ttlMs: number
  /** Maximum number of blocks by which a job may be behind the current one. */
  readonly maxDepth: number
}

export class PowJobs {
  readonly #limits: PowJobLimits
  readonly #discard: (candidate: Candidate) => void
  #jobs: PowJob[] = []

  /** @param discard called for the candidate of an unsolved job that has ended */
  constructor(limits: PowJobLimits, discard: (candidate: Candidate) => void) {
    this.#limits = limits
    this.#discard = discard
  }

  get current(): PowJob | undefined {
    return this.#jobs.at(-1)
  }

  add(job: PowJob): void {
    this.#jobs.push(job)
    const excess = this.#jobs.length - MAX_POW_JOBS
    this.#keep((other, i) => i >= excess && this.#isValid(other, job.createdAtMs))
  }

  /** The job with a pow hash, if it is still valid. */
  find(powHash: Uint8Array, nowMs: number): PowJob | undefined {
    return this.#jobs.find((job) => equalBytes(job.powHash, powHash) && this.#isValid(job, nowMs))
  }

  clear(): void {
    this.#keep(() => false)
  }

  #isValid(job: PowJob, nowMs: number): boolean {
    const { current } = this
    if (current === undefined || job === current) return true
    const { ttlMs, maxDepth } = this.#limits
    return nowMs - job.createdAtMs <= ttlMs && current.number - job.number <= BigInt(maxDepth)
  }

  #keep(isKept: (job: PowJob, index: number) => boolean): void {
    const currentJobs = this.#jobs.filter(isKept)
    for (const job of this.#jobs) if (!job.isSolved && !currentJobs.includes(job)) this.#discard(job.candidate)
    this.#jobs = currentJobs
  }
}
