/**
 * Answers to requests, as text.
 * @module
 */
import type { RpcProfile } from '../api/profile.ts'
import type { Logger } from '../base/ports/host.ts'
import type { ByteStream } from '../base/primitives/byteStream.ts'
import { isNodeError, NodeError } from '../base/primitives/errors.ts'
import { errorRow, INTERNAL_ERROR, type RpcError, toRpcError, withStackTrace } from './errors.ts'
import { TextResult } from './textResult.ts'

/** HTTP status and body; the body is empty when there is nothing to answer. */
export interface Reply {
  readonly status: 200 | 400 | 401 | 429
  readonly body: string
  /** In place of the body: a response that is still being written. Breaks if it cannot be completed. */
  readonly stream?: ByteStream
  /** Whether the request was not JSON, so that it is not certain where the next one begins on the stream. */
  readonly endsStream?: true
  /** The error in the body, for the observer of the call. */
  readonly error?: RpcError
}

/** The answer to a notification. */
export const NO_ANSWER: Reply = { status: 200, body: '' }

const PARSE_ERROR_CODE = -32700
const INVALID_REQUEST_CODE = -32600
const UNAUTHORIZED_CODE = -40100
const RESULT_END = '}'

export interface ErrorReplyOptions {
  readonly profile: RpcProfile
  readonly logger: Logger
  /** Adds to a message the option that would help, if there is one. Default: messages stay as they are. */
  readonly advise?: ((message: string) => string) | undefined
}

/** Answers with errors, in the profile of the node. */
export class ErrorReplies {
  readonly #options: ErrorReplyOptions

  constructor(options: ErrorReplyOptions) {
    this.#options = options
  }

  /** @param id JSON text */
  reply(id: string, error: unknown, method?: string): Reply {
    const { profile, logger, advise } = this.#options
    let answer = toRpcError(error, profile)
    if (answer === undefined || (isNodeError(error) && errorRow(error.code)?.isLogged === true)) {
      logger.error('request failed', { method, error })
      answer ??= INTERNAL_ERROR
    }
    if (advise !== undefined) answer = { ...answer, message: advise(answer.message) }
    return { status: this.#statusOf(answer), body: errorText(id, answer), error: answer }
  }

  /** The reply with the lines of a stack trace. */
  explained(id: string, reply: Reply, stackTrace: readonly string[]): Reply {
    if (reply.error === undefined) return reply
    const error = withStackTrace(reply.error, stackTrace)
    return { ...reply, body: errorText(id, error), error }
  }

  text(id: string, error: unknown): string {
    return this.reply(id, error).body
  }

  /** The response to a request that was refused unread. */
  refusal(code: string): string {
    return this.text('null', new NodeError({ code }, code))
  }

  /** Logs the error that broke a streamed response: the client cannot receive it. */
  logBroken(method: string, error: unknown): void {
    const { profile, logger } = this.#options
    const isExpected = error instanceof DOMException || toRpcError(error, profile) !== undefined
    if (isExpected) logger.debug('a response was interrupted', { method, error })
    else logger.error('request failed', { method, error })
  }

  /** A parameter that cannot be parsed (an enode URL) is answered like a request that cannot be parsed. */
  #statusOf({ code }: RpcError): 200 | 400 | 401 {
    if (code === UNAUTHORIZED_CODE) return 401
    const isRefused = code === PARSE_ERROR_CODE || (code === INVALID_REQUEST_CODE && this.#options.profile === 'besu')
    return isRefused ? 400 : 200
  }
}

function errorText(id: string, { code, message, data, stackTrace }: RpcError): string {
  const lines = stackTrace === undefined ? '' : `,"stackTrace":${JSON.stringify(stackTrace)}`
  const tail = (data === undefined ? '' : `,"data":${JSON.stringify(data)}`) + lines
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${JSON.stringify(message)}${tail}}}`
}

/** @throws {RangeError} when the text exceeds the maximum length of a string */
export function resultReply(id: string, result: unknown): Reply {
  const json = typeof result === 'string' ? jsonString(result) : jsonOf(result)
  return { status: 200, body: resultHead(id) + (json ?? 'null') + RESULT_END }
}

function jsonOf(result: unknown): string | undefined {
  return result instanceof TextResult ? result.text : JSON.stringify(result)
}

/** Most quantities are shorter; `JSON.stringify` is as fast for longer texts. */
const MAX_QUANTITY_LENGTH = 32

function jsonString(text: string): string {
  return text.length <= MAX_QUANTITY_LENGTH && isAlphanumeric(text) ? `"${text}"` : JSON.stringify(text)
}

function isAlphanumeric(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    const isDigit = char >= 48 && char <= 57
    if (!isDigit && !(char >= 97 && char <= 122)) return false
  }
  return true
}

/** Text of a response around its streamed result. */
export function resultFrame(id: string): readonly [before: string, after: string] {
  return [resultHead(id), RESULT_END]
}

function resultHead(id: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":`
}

/** Appends an answer to those of the batch before it; an empty one is none. */
export function joinAnswers(before: string, next: string): string {
  if (next === '') return before
  return before === '' ? next : `${before},${next}`
}
