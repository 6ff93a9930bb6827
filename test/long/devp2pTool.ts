import { spawn } from 'node:child_process'

/** Runs go-ethereum's `devp2p`. @returns the end of its output */
export function runTool(tool: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(tool, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const onData = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-100_000)
    }
    child.stdout.on('data', onData)
    child.stderr.on('data', onData)
    child.on('error', reject)
    child.on('close', () => resolve(output))
  })
}
