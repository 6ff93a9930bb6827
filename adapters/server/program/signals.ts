/**
 * Signals of the operating system: SIGINT and SIGTERM stop the program, SIGHUP reloads the log level.
 * @module
 */
import process from 'node:process'
import tty from 'node:tty'

type StopName = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** 128 plus the number of the signal. */
const EXIT_CODES: Readonly<Record<StopName, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }

export interface StopSignals {
  /** Aborted by the first signal; a second one ends the process immediately. */
  readonly signal: AbortSignal
  /** The first signal; undefined: none yet. */
  readonly stopName: StopName | undefined
  /** Code by which an interrupted command reports the first signal. */
  readonly exitCode: number
  /** @param handler called at SIGHUP, unless the terminal of the program was closed, which stops it */
  onReload(handler: () => void): void
  /** Call it last: after SIGHUP it ends the process by that signal, since Node aborts when its terminal is gone. */
  end(): void
}

/** Call it early: the kernel discards a signal to process 1 for which no handler is installed. */
export function handleSignals(): StopSignals {
  const controller = new AbortController()
  const hadTerminal = hasTerminal()
  const handlers: (() => void)[] = []
  let stopName: StopName | undefined
  const stop = (name: StopName): void => {
    if (controller.signal.aborted) process.exit(EXIT_CODES[name])
    stopName = name
    controller.abort()
  }
  process.on('SIGINT', () => stop('SIGINT'))
  process.on('SIGTERM', () => stop('SIGTERM'))
  process.on('SIGHUP', () => {
    const isClosed = process.platform === 'win32' || (hadTerminal && !hasTerminal())
    if (isClosed) stop('SIGHUP')
    else for (const handler of handlers) handler()
  })
  return {
    signal: controller.signal,
    get stopName() {
      return stopName
    },
    get exitCode() {
      return stopName === undefined ? 0 : EXIT_CODES[stopName]
    },
    onReload: (handler) => handlers.push(handler),
    end: () => {
      if (stopName !== 'SIGHUP' || process.platform === 'win32') return
      process.removeAllListeners('SIGHUP')
      process.kill(process.pid, 'SIGHUP')
    },
  }
}

/** Whether one of the standard streams is an open terminal. */
function hasTerminal(): boolean {
  return [0, 1, 2].some((descriptor) => tty.isatty(descriptor))
}
