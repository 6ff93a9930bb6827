import { RpcError } from '../../rpc/errors.ts'
import { reasonOf } from '../../state/action.ts'
import { request } from '../../state/node.ts'
import type { ConsoleRequest } from './consoleRequest.ts'

export interface Reply {
  readonly isError: boolean
  /** JSON of the result or of the error, indented. */
  readonly text: string
  readonly milliseconds: number
  /** The option that would allow the method. */
  readonly advice: string | undefined
}

export async function send({ method, params }: ConsoleRequest, signal?: AbortSignal): Promise<Reply> {
  const begin = performance.now()
  const reply = (isError: boolean, value: unknown, advice?: string): Reply => ({
    isError,
    text: JSON.stringify(value, null, 2) ?? 'null',
    milliseconds: performance.now() - begin,
    advice,
  })
  try {
    return reply(false, await request<unknown>(method, params, signal))
  } catch (error) {
    if (!(error instanceof RpcError)) return reply(true, reasonOf(error))
    const { code, message, data } = error
    const advice = reasonOf(error)
    return reply(true, { code, message, data }, advice === message ? undefined : advice)
  }
}
