/** Recorded requests and answers: finding, sending and comparing them. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import {
  type CompareMode,
  type CompareRule,
  compareRpc,
  type Difference,
  dropErrorMessages,
  exact,
  isObject,
  shape,
} from '../rpc/compareRpc.ts'

interface Step extends CompareRule {
  readonly request?: unknown
  readonly response?: unknown
  readonly statusCode?: number
  readonly compare?: CompareMode
  readonly save?: string
  readonly http?: unknown
  readonly endpoint?: string
  readonly query?: string
}

interface JsonCase extends Step {
  readonly steps?: readonly Step[]
  readonly needs?: readonly string[]
}

export interface RecordedCase {
  readonly group: string
  readonly file: string
}

export interface Answer {
  readonly status: number
  readonly body: string
}

export type Send = (body: string) => Answer | Promise<Answer>

/** @param only selects groups */
export function recordedCases(folder: string, only: (group: string) => boolean): RecordedCase[] {
  const cases: RecordedCase[] = []
  for (const group of readdirSync(folder).filter(only).sort()) {
    const directory = path.join(folder, group)
    if (!statSync(directory).isDirectory()) continue
    for (const name of readdirSync(directory).sort()) cases.push({ group, file: path.join(directory, name) })
  }
  return cases
}

/** @returns the first difference; undefined when the answers match the recorded ones */
export async function runCase({ file }: RecordedCase, send: Send): Promise<Difference | undefined> {
  const text = readFileSync(file, 'utf8')
  if (file.endsWith('.io')) return runConversation(text, send)
  const recorded = JSON.parse(text) as JsonCase
  const saved: Record<string, unknown> = {}
  for (const step of recorded.steps ?? [recorded]) {
    const difference = await exchange(step, send, saved)
    if (difference) return difference
  }
  return undefined
}

async function exchange(step: Step, send: Send, saved: Record<string, unknown>): Promise<Difference | undefined> {
  const insert = (text: string): string =>
    text.replace(/\$\{(\w+)\}/g, (all, name) =>
      name in saved ? JSON.stringify(saved[name]).replace(/^"|"$/g, '') : all,
    )
  const body = typeof step.request === 'string' ? step.request : insert(JSON.stringify(step.request))
  const answer = await send(body)
  const status = step.statusCode ?? 200
  if (answer.status !== status) return { path: '(status)', expected: status, got: answer }
  if (step.response === undefined) return undefined
  if (step.response === null) return answer.body === '' ? undefined : { path: '(body)', expected: '', got: answer.body }
  const got: unknown = JSON.parse(answer.body)
  const expected: unknown = JSON.parse(insert(JSON.stringify(step.response)))
  const difference = compareRpc(expected, got, step.compare ?? 'exact', step)
  if (!difference && step.save !== undefined && isObject(got)) saved[step.save] = got['result']
  return difference
}

async function runConversation(text: string, send: Send): Promise<Difference | undefined> {
  const onlyShape = /^\/\/\s?speconly:/m.test(text.slice(0, Math.max(text.indexOf('>>'), 0)))
  let last: Answer | undefined
  for (const line of text.split('\n').map((entry) => entry.trim())) {
    if (line.startsWith('>>')) last = await send(line.slice(2).trim())
    if (!line.startsWith('<<') || last === undefined) continue
    const got: unknown = JSON.parse(last.body)
    const expected: unknown = JSON.parse(line.slice(2))
    last = undefined
    const difference = onlyShape ? compareShape(expected, got) : compareExact(expected, got)
    if (difference) return difference
  }
  return undefined
}

function compareShape(expected: unknown, got: unknown): Difference | undefined {
  if (!isObject(expected) || !isObject(got) || 'error' in got) return compareExact(expected, got)
  return shape(expected['result'], got['result'], '$.result')
}

function compareExact(expected: unknown, got: unknown): Difference | undefined {
  dropErrorMessages(expected, got)
  return exact(expected, got, '$')
}
