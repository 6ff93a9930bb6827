/**
 * The log of a node that a program starts.
 * @module
 */
import { type ActivityHost, silentActivity } from '../../src/activityLog/output.ts'
import type { ArtifactFolder } from '../../src/base/ports/artifactFolder.ts'
import type { Logger, LogLevel } from '../../src/base/ports/host.ts'
import { silentLogger } from '../../src/base/ports/logging.ts'
import type { LogLevels } from '../../src/base/ports/logLevels.ts'
import type { OwnProperties } from '../../src/cli/libraryOptions.ts'
import type { NodeOptions } from '../../src/config/options.ts'
import { artifactFiles } from './artifactFiles.ts'
import type { LogRecord } from './logRecord.ts'
import type { LogOptions } from './nodeOptions.ts'
import type { OutputEvent } from './outputEvent.ts'

export interface OpenedLog {
  readonly logger: Logger
  /** undefined: the program determines them */
  readonly logLevels: LogLevels | undefined
  /** undefined: calls and transactions of the dev chain are not logged. */
  readonly activity: ActivityHost | undefined
}

const isFunction = (value: unknown): boolean => typeof value === 'function'

/** The properties of LogOptions that are not rows of the option table. */
export const LOG_PROPERTIES: OwnProperties = {
  log: { expected: 'a function', accepts: isFunction },
  artifacts: {
    expected: 'an object with contents by path',
    accepts: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  },
  logger: {
    expected: "a logger with the functions 'trace', 'debug', 'info', 'warn', 'error' and 'child'",
    accepts: (value) =>
      ['trace', 'debug', 'info', 'warn', 'error', 'child'].every((name) =>
        isFunction((value as Readonly<Record<string, unknown>> | null)?.[name]),
      ),
  },
}

/** @param openFolders opens the folders of `abi`, whose contracts the log and the errors of requests name */
export async function openLog(
  options: NodeOptions,
  { log, logger, artifacts: files }: Pick<LogOptions, 'log' | 'logger' | 'artifacts'>,
  openFolders: () => Promise<readonly ArtifactFolder[]>,
): Promise<OpenedLog> {
  const artifacts = [...(await openFolders()), ...(files === undefined ? [] : [artifactFiles(files)])]
  if (log === undefined) {
    const activity = silentActivity(artifacts)
    return { logger: logger ?? silentLogger, logLevels: undefined, activity }
  }
  const [{ activityOutput }, { AdjustableThreshold, createLogger, formatRecord, shows }, { recordOf }, styles] =
    await Promise.all([
      import('./activityOutput.ts'),
      import('./logging.ts'),
      import('./outputEvent.ts'),
      import('./style.ts'),
    ])
  const { logging: level, 'logging-format': format } = options
  const style = options['color-enabled'] === true ? styles.colorStyle : styles.plainStyle
  const write = (record: LogRecord): void => {
    try {
      log(formatRecord(record, format, style))
    } catch (error) {
      // The program's own error must not affect the node.
      void Promise.reject(error)
    }
  }
  const levels = new AdjustableThreshold(level)
  const output = {
    shows: (level: LogLevel) => shows(levels.level, level),
    isBehind: false,
    reportAll: (events: readonly OutputEvent[]) => {
      for (const event of events) if (shows(levels.level, event.level ?? 'info')) write(recordOf(event))
    },
  }
  return {
    logger: logger ?? createLogger(levels, write),
    logLevels: logger === undefined ? levels : undefined,
    activity: { output: activityOutput(output), artifacts },
  }
}
