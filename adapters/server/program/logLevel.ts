/**
 * The log level of the program, and its change by SIGHUP.
 * @module
 */
import type { CommandLine } from '../../../src/cli/parse.ts'
import type { NodeOptions } from '../../../src/config/options.ts'
import { type LogSetting, shows } from '../../shared/logging.ts'
import type { Output } from './output.ts'

/** `--silent` leaves only the line that ends the program, which is not part of the log. */
export function logSetting({ silent, quiet, logging }: NodeOptions): LogSetting {
  if (silent) return 'OFF'
  return quiet && shows(logging, 'info') ? 'WARN' : logging
}

/**
 * Changes the level: with a configuration file, to the level of the options read again; without one, between the level
 * of the options and DEBUG. An invalid file changes nothing.
 * @param read parses the options again
 */
export function reloadLogLevel(output: Output, read: () => CommandLine): void {
  const line = read()
  if (line.kind === 'error') {
    output.logger.warn('the log level is unchanged: the options cannot be read', {
      reason: line.message.split('\n')[0],
    })
    return
  }
  if (!('options' in line)) return
  const startLevel = logSetting(line.options)
  const before = output.level
  const hasFile = line.given.has('config-file')
  const level = hasFile || before !== startLevel ? startLevel : 'DEBUG'
  const isShown = shows(before, 'info') || shows(level, 'info')
  if (isShown) output.level = 'INFO'
  output.logger.info(level === before ? 'the log level is unchanged' : 'the log level has changed', { level, before })
  output.level = level
}
