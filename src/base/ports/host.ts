/**
 * Small services of the host. Each runtime's adapter supplies them; tests supply fakes.
 * @module
 */

export interface Clock {
  /** Wall clock, milliseconds since 1970. */
  now(): number
  /** Monotonic, milliseconds from an arbitrary start. */
  monotonic(): number
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error'

/** A logger of one category. Properties are structured and never contain secrets. */
export interface Logger {
  trace(message: string, properties?: Record<string, unknown>): void
  debug(message: string, properties?: Record<string, unknown>): void
  info(message: string, properties?: Record<string, unknown>): void
  warn(message: string, properties?: Record<string, unknown>): void
  error(message: string, properties?: Record<string, unknown>): void
  /** A logger of a sub-category. */
  child(category: string): Logger
}

/** A signature whose sender is to be recovered. */
export interface RecoveryTask {
  /** The signed 32 bytes. */
  readonly hash: Uint8Array
  /** r ‖ s, 64 bytes. */
  readonly signature: Uint8Array
  readonly yParity: 0 | 1
}

/** Recovers many senders ahead of execution, on other threads if the host has them. */
export interface SenderRecovery {
  /** @returns 20-byte addresses in the order of the tasks; undefined for an invalid signature */
  recover(tasks: readonly RecoveryTask[]): Promise<(Uint8Array | undefined)[]>
  close(): void | Promise<void>
}
