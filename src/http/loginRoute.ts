import { MAX_LOGIN_BODY_BYTES } from '../base/limits/limits.ts'
import type { Request, Response as WebResponse } from '../base/ports/webTypes.ts'
import type { LoginReply, LoginService } from './access/contract.ts'
import { readBody } from './body.ts'

/** @param client network address of the client */
export type LoginRoute = (request: Request, client: string) => Promise<WebResponse>

/** @param refusal `user` is the name as the client wrote it */
export type OnLoginRefused = (refusal: {
  readonly client: string
  readonly user: string
  readonly reason: string
}) => void

const HEADERS = { 'Content-Type': 'application/json' }

/** Serves `POST /login`. The policy has already checked host and origin. */
export function loginRoute(login: LoginService, onRefused: OnLoginRefused): LoginRoute {
  return async (request, client) => {
    const body = await readBody(request, MAX_LOGIN_BODY_BYTES)
    if (body === 'aborted') return new Response(null, { status: 400 })
    if (body === 'too large') return new Response('Request Entity Too Large', { status: 413 })
    const reply = await login.handle(new TextDecoder().decode(body), client)
    const { status, refusedUser: user } = reply
    if (user !== undefined) onRefused({ client, user, reason: status === 429 ? 'too many attempts' : 'wrong password' })
    return toResponse(reply)
  }
}

function toResponse({ status, body, retryAfter }: LoginReply): Response {
  if (status === 200) return new Response(body, { headers: { ...HEADERS, 'Cache-Control': 'no-store' } })
  return new Response(null, {
    status,
    headers: retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) },
  })
}
