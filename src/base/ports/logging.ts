import type { Logger } from './host.ts'

/** Discards everything: the default for libraries and tests. */
export const silentLogger: Logger = {
  trace: () => {},
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
}
