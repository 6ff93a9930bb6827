/** The recorded conversations with connected nodes, in a form that can be compared with those of other nodes. */
import { readFileSync } from 'node:fs'
import { recordedPath } from './conformance.ts'

export interface Reply {
  readonly result?: unknown
  readonly error?: unknown
}

export interface Step {
  readonly n: number
  readonly node: string
  /** undefined: an event */
  readonly request?: { readonly method: string; readonly params: readonly unknown[] }
  readonly status: number
  readonly response: Reply
  readonly note?: string
}

export interface Conversation {
  /** Ids without prefix, in the order of the nodes. */
  readonly ids: readonly string[]
  readonly steps: readonly Step[]
}

export function conversationOf(file: string): Conversation {
  const { about, steps } = JSON.parse(readFileSync(recordedPath('besu/peers-live', file), 'utf8'))
  const nodes: readonly { readonly publicKey: string }[] = about.nodes ?? []
  return { ids: nodes.map(({ publicKey }) => publicKey.slice(2)), steps }
}

/** Parts that differ between two runs of the same conversation. */
export interface RunValues {
  /** Ids without prefix, in the order of the nodes. */
  readonly ids: readonly string[]
  readonly ports: Readonly<Record<string, number>>
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/
const CLIENT = /^(?:besu|isonode)\/(second\/)?v\d[\w.]*\/\S+$/
/** Connections have another port at the end of the node that dials. */
const DIALLING_PORT = /^127\.0\.0\.1:\d+$/

/**
 * Replaces what differs between runs by placeholders, and sorts lists whose order is unspecified. Leaves out `yParity`,
 * which the recorded node did not have, and eth/62, which only that node offers.
 */
export function comparable(value: unknown, run: RunValues): unknown {
  if (typeof value === 'string') return maskText(value, run)
  if (typeof value === 'number') return portName(run, value) ?? value
  if (Array.isArray(value))
    return sorted(value.filter((item) => item !== 'eth/62').map((item) => comparable(item, run)))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([key]) => key !== 'yParity')
  return Object.fromEntries(members.map(([key, member]) => [key, comparable(member, run)]))
}

function maskText(text: string, run: RunValues): string {
  if (TIME.test(text)) return '<time>'
  const client = CLIENT.exec(text)
  if (client !== null) return `<client ${client[1] ?? ''}>`
  const named = text.replace(/[0-9a-f]{128}/g, (id) => (run.ids.includes(id) ? `<id ${run.ids.indexOf(id)}>` : id))
  const whole = portName(run, Number(named))
  if (whole !== undefined) return whole
  const masked = named.replace(/(?<=127\.0\.0\.1:)\d+/, (port) => portName(run, Number(port)) ?? port)
  return DIALLING_PORT.test(masked) ? '<dialling end>' : masked
}

function portName({ ports }: RunValues, port: number): string | undefined {
  const found = Object.entries(ports).find((entry) => entry[1] === port)
  return found && `<${found[0]}>`
}

/** The order of pooled transactions is unspecified. */
function sorted(list: readonly unknown[]): readonly unknown[] {
  const hashOf = (item: unknown): string => (item as { readonly hash?: string } | null)?.hash ?? ''
  return list.toSorted((a, b) => (hashOf(a) < hashOf(b) ? -1 : Number(hashOf(a) > hashOf(b))))
}

/** Translates a recorded request for the nodes of another run. */
export function requestIn(run: RunValues, recorded: RunValues, request: Step['request']): unknown {
  let text = JSON.stringify(request)
  for (const [i, id] of recorded.ids.entries()) text = text.replaceAll(id, run.ids[i] ?? id)
  for (const [name, port] of Object.entries(recorded.ports)) {
    text = text.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${run.ports[name] ?? port}`)
  }
  return JSON.parse(text)
}
