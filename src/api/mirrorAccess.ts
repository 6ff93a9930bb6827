/**
 * The mirror that a node reads or writes, as methods and metrics see it.
 * @module
 */
import type { CallBackend } from './calls/callSimulation.ts'
import type { CallObject } from './calls/contract.ts'

/** A block that a manifest names. */
export interface MirrorBlock {
  readonly number: number
  /** 32 bytes */
  readonly hash: Uint8Array
}

/** Both sides know it: of the manifest that new requests use, or of the last one that was published. */
interface KnownManifest {
  /** Its number */
  readonly manifest: number
  readonly epoch: number
  /** 20 bytes */
  readonly publisher: Uint8Array
  readonly head: MirrorBlock
  /** Wall clock of the publisher at that manifest, ms. */
  readonly publishedAtMs: number
  /** Time since the manifest, by the clock of the publisher or that of this node, whichever says more. */
  readonly lagMs: number
  /** Segments of the manifest. */
  readonly segments: number
  /** Looks for a newer manifest, or publications and merges, that failed. */
  readonly failures: number
  /** Why the last one failed; undefined: it succeeded */
  readonly lastFailure: string | undefined
}

export interface ReaderStatus extends KnownManifest {
  readonly role: 'reader'
  /** The last block that is final, as the publisher knows it. */
  readonly finalized: MirrorBlock | undefined
  /** Whether the lag exceeds --mirror-max-lag. */
  readonly isStale: boolean
  /** Reads of the store so far. */
  readonly reads: number
  /** Bytes that were read so far. */
  readonly readBytes: number
  /** Blocks and parts of indexes that were in memory. */
  readonly hits: number
  /** Those that were read. */
  readonly misses: number
}

/** Counts are those since the publisher began. */
export interface PublisherStatus extends KnownManifest {
  readonly role: 'publisher'
  /** false: another publisher has taken over, or the mirror cannot be written */
  readonly isPublishing: boolean
  /** Objects that were written. */
  readonly writes: number
  /** Bytes of these objects. */
  readonly writtenBytes: number
  /** Merges of segments. */
  readonly merges: number
}

export type MirrorStatus = ReaderStatus | PublisherStatus

export interface MirrorAccess {
  /** undefined: nothing is published yet */
  readonly status: MirrorStatus | undefined
  /** Counts calls that were answered (default: one); undefined: not where the mirror is read */
  readonly noteCall?: ((call: CallObject, backend: CallBackend, count?: number) => void) | undefined
}

/** Calls of one function of a contract. */
export interface CountedCall {
  /** The last one. */
  readonly call: CallObject
  readonly count: number
}

export interface MirrorBackend {
  /** undefined: the node has none */
  readonly mirror?: MirrorAccess | undefined
}

/** The side that reads. */
export interface MirrorReading extends MirrorAccess {
  readonly status: ReaderStatus
}
