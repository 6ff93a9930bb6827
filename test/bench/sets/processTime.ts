import { execFile } from 'node:child_process'
import process from 'node:process'

export interface Finished {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
  readonly cpuMs: number
}

/** User and system time in seconds, as the last line of the shell's error output. */
const TIME = /(?:^|\n)([\d.]+) ([\d.]+)\n?$/
const MAX_OUTPUT_BYTES = 64 * 2 ** 20

/** Runs a program to its end. bash measures it, because Node does not tell the processor time of a child. */
export function timed(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const script = 'TIMEFORMAT="%U %S"; time "$@"'
  const options = { env: { ...process.env, LC_ALL: 'C', ...env }, maxBuffer: MAX_OUTPUT_BYTES }
  return new Promise((resolve, reject) => {
    const child = execFile('bash', ['-c', script, 'bash', program, ...args], options, (error, stdout, stderr) => {
      const match = TIME.exec(stderr)
      if (match === null) return reject(error ?? new Error(`no time after: ${stderr}`))
      const cpuMs = (Number(match[1]) + Number(match[2])) * 1000
      resolve({ stdout, stderr: stderr.slice(0, match.index), exitCode: child.exitCode ?? 1, cpuMs })
    })
  })
}
