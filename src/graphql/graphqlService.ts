/**
 * Answers GraphQL requests: limits, validation and execution of a document.
 * @module
 */
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  parse,
} from 'graphql'
import {
  GRAPHQL_DOCUMENT_CACHE_LENGTH,
  MAX_GRAPHQL_ERRORS,
  MAX_GRAPHQL_LENGTH,
  MAX_GRAPHQL_TOKENS,
} from '../base/limits/limits.ts'
import type { Clock, Logger } from '../base/ports/host.ts'
import type { Residency } from '../base/ports/keyValueStore.ts'
import type { AbortSignal } from '../base/ports/webTypes.ts'
import { LruCache } from '../base/primitives/lruCache.ts'
import type { MaybePromise } from '../base/primitives/maybePromise.ts'
import type { GraphqlBackend } from './backend.ts'
import {
  type GraphqlAnswers,
  type GraphqlInput,
  type GraphqlPermission,
  type GraphqlReply,
  UNAUTHORIZED,
} from './contract.ts'
import { abortedError, type ErrorFormat, executionError, syntaxError } from './errorFormat.ts'
import { executableSchema } from './executableSchema.ts'
import { GraphqlRequest } from './graphqlRequest.ts'
import { jsonText } from './jsonText.ts'
import { exceededLimit, exceededText } from './limits.ts'
import { validationErrors } from './validation.ts'

export interface GraphqlServiceOptions {
  readonly backend: GraphqlBackend
  readonly clock: Pick<Clock, 'monotonic'>
  readonly logger: Logger
  /** Fetches data that a read misses; undefined when every store read is synchronous. */
  readonly residency?: Residency | undefined
  /** Gives what one operation uses, for a backend that is replaced as a whole. Default: always the same */
  readonly pin?: (() => PinnedBackend) | undefined
}

export interface PinnedBackend {
  readonly backend: GraphqlBackend
  readonly residency: Residency | undefined
}

/** A document that may be executed, or the reasons why not. */
/** @see GraphQL over HTTP, section 6.2.1 */
const MUTATION_BY_GET: GraphqlReply = {
  status: 405,
  body: '{"errors":[{"message":"mutations need a POST request"}]}',
  problem: 'mutations need a POST request',
}

type Checked = { readonly document: DocumentNode } | { readonly errors: readonly GraphQLFormattedError[] }

export class GraphqlService implements GraphqlAnswers {
  readonly #options: GraphqlServiceOptions
  readonly #format: ErrorFormat
  readonly #schema: GraphQLSchema = executableSchema()
  /** Valid documents by text. */
  readonly #documents = new LruCache<string, Checked>(GRAPHQL_DOCUMENT_CACHE_LENGTH)

  constructor(options: GraphqlServiceOptions) {
    this.#options = options
    this.#format = { profile: options.backend.options.profile, logger: options.logger }
  }

  /**
   * @param signal ends the execution; the answer then describes the reason
   * @param permits default: every operation
   * @returns never rejects
   */
  async answer(input: GraphqlInput, signal?: AbortSignal, permits?: GraphqlPermission): Promise<GraphqlReply> {
    try {
      const checked = this.#checked(input.query)
      if ('errors' in checked) return { status: 400, body: jsonText(checked), problem: checked.errors[0]?.message }
      const operation = operationOf(checked.document, input.operationName)
      if (permits?.(operation) === false) return UNAUTHORIZED
      if (input.isSafe === true && operation === 'mutation') return MUTATION_BY_GET
      return await this.#run(checked.document, input, signal)
    } catch (error) {
      this.#options.logger.error('a GraphQL request failed', { error })
      return { status: 500, body: '{"errors":[{"message":"Internal error"}]}', problem: 'Internal error' }
    }
  }

  #checked(query: string): Checked {
    // Long queries are not cached: hashing them costs more than parsing saves.
    if (query.length > MAX_GRAPHQL_LENGTH) return this.#check(query)
    const document = this.#documents.get(query)
    if (document !== undefined) return document
    const checked = this.#check(query)
    if ('document' in checked) this.#documents.set(query, checked, query.length)
    return checked
  }

  #check(query: string): Checked {
    const tooMuch = exceededText(query)
    if (tooMuch !== undefined) return { errors: [abortedError(tooMuch)] }
    let document: DocumentNode
    try {
      document = parse(query, { maxTokens: MAX_GRAPHQL_TOKENS })
    } catch (error) {
      if (error instanceof GraphQLError) return { errors: [syntaxError(error, this.#format)] }
      throw error
    }
    const tooLarge = exceededLimit(this.#schema, document)
    if (tooLarge !== undefined) return { errors: [abortedError(tooLarge)] }
    const errors = validationErrors(this.#schema, document, this.#format)
    return errors.length > 0 ? { errors } : { document }
  }

  async #run(document: DocumentNode, input: GraphqlInput, signal?: AbortSignal): Promise<GraphqlReply> {
    const { clock, pin } = this.#options
    const { backend, residency } = pin?.() ?? this.#options
    const request = new GraphqlRequest(backend, clock, residency)
    const abort = (): void => request.abort(signal?.reason)
    if (signal?.aborted === true) abort()
    signal?.addEventListener('abort', abort, { once: true })
    try {
      const answer = await untilAborted(request, () => this.#execute(document, input, request))
      const { errors } = answer
      const body = await request.text(answer)
      return errors === undefined ? { status: 200, body } : { status: 400, body, problem: errors[0]?.message }
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  async #execute(document: DocumentNode, input: GraphqlInput, request: GraphqlRequest): Promise<ExecutionResult> {
    const result = await (execute({
      schema: this.#schema,
      document,
      contextValue: request,
      variableValues: input.variables,
      operationName: input.operationName,
    }) as MaybePromise<ExecutionResult>)
    const { errors, data } = result
    if (errors === undefined) return { data: data ?? null }
    const formatted = errors.slice(0, MAX_GRAPHQL_ERRORS).map((error) => executionError(error, this.#format))
    return { errors: formatted, ...(data === undefined ? {} : { data }) } as unknown as ExecutionResult
  }
}

/** A document whose operation is unclear is not executed, so it counts as a query. */
function operationOf(document: DocumentNode, name: string | undefined): 'query' | 'mutation' {
  return getOperationAST(document, name)?.operation === 'mutation' ? 'mutation' : 'query'
}

/** The result of an execution, or the reason why it was aborted: the executor itself cannot be interrupted. */
function untilAborted(request: GraphqlRequest, run: () => Promise<ExecutionResult>): Promise<ExecutionResult> {
  return new Promise((resolve, reject) => {
    request.onAbort = (reason) => {
      const message = reason instanceof Error ? reason.message : 'the request was aborted'
      resolve({ errors: [abortedError(message)] } as unknown as ExecutionResult)
    }
    if (request.aborted) request.onAbort(request.reason)
    run().then(resolve, reject)
  })
}
