import type { ArtifactFolder } from '../base/ports/artifactFolder.ts'
import type { Paint } from './lines.ts'

/** One item of the log, in both forms; only the form that is printed is computed. */
export interface Report {
  readonly level: 'info' | 'warn'
  /** Names the item: `call`, `transaction`, `block` … */
  readonly kind: string
  /** When it happened, in milliseconds since 1970; undefined: when it is written. The log sets it. */
  timeMs?: number
  /** One or more lines, without the last line end. */
  text(paint: Paint): string
  record(): Record<string, unknown>
}

/** Destination of the log. */
export interface ActivityOutput {
  /** Whether the log is wanted; it may change at run time. */
  readonly isOn: boolean
  /** Whether earlier output is still unread; nothing is written meanwhile. */
  readonly isBehind: boolean
  write(reports: readonly Report[]): void
}

/** The part of the host that the log needs. */
export interface ActivityHost {
  readonly output: ActivityOutput
  /** `--abi` */
  readonly artifacts: readonly ArtifactFolder[]
}

/** @returns the activity of a node that logs nothing; undefined without artifacts, which errors of requests use */
export function silentActivity(artifacts: readonly ArtifactFolder[]): ActivityHost | undefined {
  return artifacts.length === 0 ? undefined : { output: { isOn: false, isBehind: false, write: () => {} }, artifacts }
}
