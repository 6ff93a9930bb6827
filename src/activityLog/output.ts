import type { Line } from './lines.ts'

/** One item of the log, in both forms; only the form that is printed is computed. */
export interface Report {
  readonly level: 'info' | 'warn'
  /** Kind of the item: `call`, `transaction`, `block` … */
  readonly kind: string
  lines(): readonly Line[]
  record(): Record<string, unknown>
}

/** Destination of the log. */
export interface ActivityOutput {
  /** Whether earlier output is still unread; nothing is written meanwhile. */
  readonly isBehind: boolean
  write(reports: readonly Report[]): void
}
