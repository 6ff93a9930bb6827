/** The developer tools of a page, by the debugging protocol: the browser's own window of tools is a page too. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { WebSocket } from 'ws'

/** Each new tab opens its tools; the port is in a file of the profile. */
export const DEVTOOLS_FLAGS: readonly string[] = ['--auto-open-devtools-for-tabs', '--remote-debugging-port=0']

interface Target {
  readonly url: string
  readonly title: string
  readonly webSocketDebuggerUrl: string
}

async function targets(profile: string): Promise<readonly Target[]> {
  const [port] = readFileSync(path.join(profile, 'DevToolsActivePort'), 'utf8').split('\n')
  const response = await fetch(`http://127.0.0.1:${port}/json/list`)
  return (await response.json()) as readonly Target[]
}

/** @returns undefined while there is none */
export async function findTarget(profile: string, isIt: (target: Target) => boolean): Promise<Target | undefined> {
  return (await targets(profile)).find(isIt)
}

/** @returns the value of the expression, which may be a promise, in the page of the target */
export async function evaluateIn({ webSocketDebuggerUrl }: Target, expression: string): Promise<unknown> {
  const socket = new WebSocket(webSocketDebuggerUrl)
  try {
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    const answer = new Promise<string>((resolve) => socket.once('message', (data) => resolve(String(data))))
    const params = { expression, awaitPromise: true, returnByValue: true }
    socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }))
    const { result } = JSON.parse(await answer)
    if (result.exceptionDetails !== undefined) throw new Error(JSON.stringify(result.exceptionDetails))
    return result.result.value
  } finally {
    socket.close()
  }
}
