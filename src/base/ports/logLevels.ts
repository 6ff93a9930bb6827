/** Levels of admin_changeLogLevel. */
export const LOG_LEVELS = ['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE', 'ALL'] as const

export type LogLevelName = (typeof LOG_LEVELS)[number]

/** The levels of a log, which can change while the node runs. */
export interface LogLevels {
  /**
   * @param categories names of loggers, which apply to their children too; undefined: the whole log, and the levels of
   *   categories are discarded
   * @throws {NodeError} TOO_MANY_LOG_LEVELS
   */
  set(level: LogLevelName, categories?: readonly string[]): void
}
