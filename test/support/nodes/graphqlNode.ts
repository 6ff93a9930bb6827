/** GraphQL requests to a node over its HTTP endpoint, without a socket. */
import type { OpenedNode } from './devNodeInMemory.ts'

export interface GraphqlError {
  readonly message: string
  readonly locations?: readonly { readonly line: number; readonly column: number }[]
  readonly path?: readonly (string | number)[]
  readonly extensions: Readonly<Record<string, unknown>>
}

export interface GraphqlAnswer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the shape follows the query
  readonly data?: any
  readonly errors?: readonly GraphqlError[]
}

export const GRAPHQL_URL = 'http://localhost/graphql'

export async function graphql(
  { node }: Pick<OpenedNode, 'node'>,
  query: string,
  variables?: Record<string, unknown>,
): Promise<GraphqlAnswer> {
  const response = await node.endpoints.get('graphql').fetch(
    new Request(GRAPHQL_URL, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    }),
  )
  return { status: response.status, ...(await response.json()) }
}
