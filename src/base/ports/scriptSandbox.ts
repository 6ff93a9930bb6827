/**
 * Sandboxes for scripts that clients send. A script sees the language, a block of memory and one function of the host.
 * @module
 */

/** The engine is loaded on first use. */
export interface ScriptEngine {
  /** @returns a machine whose sandboxes run one at a time */
  open(): Promise<ScriptMachine>
  /** Whether its thread serves nothing else, so that a script may keep it busy. */
  readonly isOnOwnThread?: boolean
}

/** Each machine has its own memory, which no other machine shares. */
export interface ScriptMachine {
  /** @throws {NodeError} SCRIPT_STOPPED when there is no memory for it */
  sandbox(options: SandboxOptions): ScriptSandbox
}

export interface SandboxOptions {
  /** Script whose value is a function (memory, ask) that returns an object of functions, the entries. */
  readonly program: string
  /** Size of the memory that the host and the program share. */
  readonly sharedBytes: number
  /**
   * Answers a request of the program; arguments and answers are in the shared memory. An exception ends the call and is
   * thrown to its caller.
   */
  readonly ask: (request: number, shared: Uint8Array) => number
  readonly limits: SandboxLimits
}

export interface SandboxLimits {
  /** Memory of the script and its data. */
  readonly memoryBytes: number
  /** Wall-clock time of one call, milliseconds. */
  readonly callMs: number
  /** Wall-clock time of all calls together, milliseconds; undefined: unlimited. */
  readonly totalMs: number | undefined
}

export interface ScriptSandbox {
  /** The shared memory. Each call may move it. */
  readonly shared: Uint8Array
  /**
   * Calls an entry of the program.
   * @throws {NodeError} SCRIPT_STOPPED at a limit; SCRIPT_FAILED when the program throws; exceptions of `ask`
   */
  call(entry: string, argument?: string | number): string | number | undefined
  close(): void
}

export type ScriptErrorDetails =
  | { readonly code: 'SCRIPT_STOPPED'; readonly limit: 'time' | 'memory' }
  | { readonly code: 'SCRIPT_FAILED' }
