import type { Logger } from './host.ts'

/** Drops everything: the default of library use and tests. */
export const silentLogger: Logger = {
  trace: () => {},
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
}
