/** Progress of long work in the node: a migration, the completion of an index. */
export interface WorkProgress {
  /** Such as `migrating the database`. */
  readonly work: string
  readonly fields: Readonly<Record<string, unknown>>
  /** Completed part of the whole, 0 to 1. */
  readonly fraction: number
  /** Estimate; undefined at the start. */
  readonly remainingMs: number | undefined
}

/** Shows the progress to a user. May be called often; the implementation decides how much it shows. */
export type ShowProgress = (progress: WorkProgress) => void
