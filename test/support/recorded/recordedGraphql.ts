/** Recorded GraphQL queries and their answers. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Difference, exact, isObject } from '../rpc/compareRpc.ts'
import { recordedPath } from './conformance.ts'

export interface GraphqlCase {
  readonly name: string
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly response: { readonly data?: unknown; readonly errors?: readonly unknown[] }
  readonly statusCode: number
  readonly compare: 'exact' | 'error'
  readonly needs: readonly string[]
}

/** Cases whose answers are known to differ, by folder and name, with the reason. */
const DEVIATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'besu/frontier': {
    eth_getBalance_invalidAccountLatest:
      'an absent account has balance 0x0, as recorded on the newer chain and as eth_getBalance answers',
  },
}

/** @returns why a case is answered otherwise than recorded; undefined: it is not */
export function deviationOf(folder: string, { name }: GraphqlCase): string | undefined {
  return DEVIATIONS[folder]?.[name]
}

/** @param folder of a recorded chain. @param group `mocked`: on parts that the test supplies */
export function graphqlCases(folder: string, group = 'graphql'): GraphqlCase[] {
  const directory = recordedPath(folder, 'cases', group)
  return readdirSync(directory)
    .filter((file) => group === 'graphql' || file.startsWith('graphql_'))
    .sort()
    .map((file) => JSON.parse(readFileSync(path.join(directory, file), 'utf8')) as GraphqlCase)
}

/** Messages of errors are not compared. @returns undefined for an answer as recorded */
export function compareGraphql(
  { response, statusCode, compare }: GraphqlCase,
  status: number,
  got: unknown,
): Difference | undefined {
  if (status !== statusCode) return { path: '(status)', expected: statusCode, got: [status, got] }
  if (compare === 'exact') return exact(response, got, '$')
  if (!isObject(got) || !Array.isArray(got['errors'])) return { path: '$.errors', expected: response.errors, got }
  const code = codeOf(response.errors?.[0])
  const found = codeOf(got['errors'][0])
  if (code !== undefined && code !== found) return { path: '$.errors[0]', expected: code, got: found }
  return 'data' in response ? exact(response.data, got['data'] ?? null, '$.data') : undefined
}

function codeOf(error: unknown): unknown {
  const extensions = isObject(error) ? error['extensions'] : undefined
  return isObject(extensions) ? extensions['errorCode'] : undefined
}
