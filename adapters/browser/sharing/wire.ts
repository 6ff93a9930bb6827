/**
 * Messages between the tabs of a web site and the node that they share. Both sides check what they receive: other scripts
 * of the site may post to the same channels, so a message that is not one of these is ignored.
 * @module
 */
import type { RequestErrorParts } from '../../../src/rpc/providerContract.ts'
import type { LocalAccount } from '../../shared/nodeHandle.ts'

type Headers = readonly (readonly [string, string])[]

/** An HTTP request. */
export interface HttpRequestParts {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body: ArrayBuffer | undefined
}

/** An HTTP response, all of which are text. */
export interface HttpResponseParts {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** `id`: number of the question within its tab, the same when it is asked again after a takeover. */
interface Question {
  readonly id: number
  /** Whether an earlier node may have received it. */
  readonly isRepeated: boolean
}

/** `params`: JSON */
export interface RequestMessage extends Question {
  readonly isonode: 'request'
  readonly method: string
  readonly params: string
}

export interface FetchMessage extends Question {
  readonly isonode: 'fetch'
  readonly request: HttpRequestParts
}

export interface ImportMessage extends Question {
  readonly isonode: 'import'
  readonly blocks: Blob
  readonly verifySeal: boolean
}

export type QuestionMessage = RequestMessage | FetchMessage | ImportMessage

export interface ConnectMessage {
  readonly isonode: 'connect'
  /** Version of the library in the tab. */
  readonly version: string
  /** Names the tab, and the lock that it holds while it lives. */
  readonly tab: string
  /** Those of `createBrowserNode` that the tab gives. */
  readonly options: Readonly<Record<string, unknown>>
}

export type TabMessage =
  | ConnectMessage
  | QuestionMessage
  /** Asks for the events `chainChanged` and `accountsChanged`. */
  | { readonly isonode: 'watch' }
  /** Confirms notifications. */
  | { readonly isonode: 'heard'; readonly count: number }
  | { readonly isonode: 'leave' }

export interface WelcomeMessage {
  readonly isonode: 'welcome'
  readonly accounts: readonly LocalAccount[]
  /** hex */
  readonly chainId: string
  /** Whether another node can continue the chain after the end of this one. */
  readonly isKept: boolean
}

export interface EventMessage {
  readonly isonode: 'event'
  readonly name: 'message' | 'chainChanged' | 'accountsChanged'
  readonly value: unknown
}

export interface RefusedMessage {
  readonly isonode: 'refused'
  /** Of a NodeError. */
  readonly code: string
  readonly message: string
}

export type AnswerMessage =
  | { readonly isonode: 'answer'; readonly id: number; readonly result: unknown }
  | { readonly isonode: 'failure'; readonly id: number; readonly error: RequestErrorParts }

export type HostMessage =
  /** The first message. `host` names the worker, and the lock that it holds while it lives. */
  | { readonly isonode: 'ready'; readonly host: string }
  | WelcomeMessage
  | RefusedMessage
  /** The node is in another worker, which the channel of the node reaches. */
  | { readonly isonode: 'elsewhere' }
  | AnswerMessage
  | EventMessage
  /** The node has ended this connection. */
  | { readonly isonode: 'ended' }

/** On the channel that all tabs and workers of a node share. */
export type ChannelMessage =
  /** A tab has opened its channel. */
  | { readonly isonode: 'hello'; readonly tab: string }
  /** A worker serves tabs over their channels. */
  | { readonly isonode: 'here' }
  /** A worker is about to open the node. */
  | { readonly isonode: 'opening'; readonly host: string }
  /** The node is open in the worker that posts this. */
  | { readonly isonode: 'open'; readonly version: string }

/** From the tab that leads to its worker. */
export type LeaderMessage =
  | { readonly isonode: 'lead'; readonly node: string }
  /** The worker closes the node and ends. */
  | { readonly isonode: 'end' }

type Check = (value: unknown) => boolean
type Fields = Readonly<Record<string, Check>>

const isText: Check = (value) => typeof value === 'string'
const isFlag: Check = (value) => typeof value === 'boolean'
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
const isAny: Check = () => true
const isError: Check = (value) =>
  isObject(value) && Number.isSafeInteger(value['code']) && typeof value['message'] === 'string'
const isHeader: Check = (value) => Array.isArray(value) && value.length === 2 && value.every(isText)
const isHttpRequest: Check = (value) =>
  isObject(value) &&
  isText(value['url']) &&
  isText(value['method']) &&
  Array.isArray(value['headers']) &&
  value['headers'].every(isHeader) &&
  (value['body'] === undefined || value['body'] instanceof ArrayBuffer)
const isAccount: Check = (value) => isObject(value) && isText(value['address']) && isText(value['privateKey'])
const isEventName: Check = (value) => value === 'message' || value === 'chainChanged' || value === 'accountsChanged'

const QUESTION: Fields = { id: isCount, isRepeated: isFlag }

const TAB_FIELDS: Readonly<Record<TabMessage['isonode'], Fields>> = {
  connect: { version: isText, tab: isText, options: isObject },
  request: { ...QUESTION, method: isText, params: isText },
  fetch: { ...QUESTION, request: isHttpRequest },
  import: { ...QUESTION, blocks: (value) => value instanceof Blob, verifySeal: isFlag },
  watch: {},
  heard: { count: isCount },
  leave: {},
}

const HOST_FIELDS: Readonly<Record<HostMessage['isonode'], Fields>> = {
  ready: { host: isText },
  welcome: {
    accounts: (value) => Array.isArray(value) && value.every(isAccount),
    chainId: isText,
    isKept: isFlag,
  },
  refused: { code: isText, message: isText },
  elsewhere: {},
  answer: { id: isCount, result: isAny },
  failure: { id: isCount, error: isError },
  event: { name: isEventName, value: isAny },
  ended: {},
}

const CHANNEL_FIELDS: Readonly<Record<ChannelMessage['isonode'], Fields>> = {
  hello: { tab: isText },
  here: {},
  opening: { host: isText },
  open: { version: isText },
}

const LEADER_FIELDS: Readonly<Record<LeaderMessage['isonode'], Fields>> = {
  lead: { node: isText },
  end: {},
}

/** @returns undefined for anything else, as do the functions below */
export const readTabMessage = (data: unknown): TabMessage | undefined => checked<TabMessage>(data, TAB_FIELDS)
export const readHostMessage = (data: unknown): HostMessage | undefined => checked<HostMessage>(data, HOST_FIELDS)
export const readChannelMessage = (data: unknown): ChannelMessage | undefined =>
  checked<ChannelMessage>(data, CHANNEL_FIELDS)
export const readLeaderMessage = (data: unknown): LeaderMessage | undefined =>
  checked<LeaderMessage>(data, LEADER_FIELDS)

function checked<Message>(data: unknown, kinds: Readonly<Record<string, Fields>>): Message | undefined {
  if (!isObject(data)) return undefined
  const kind = data['isonode']
  if (typeof kind !== 'string' || !Object.hasOwn(kinds, kind)) return undefined
  const isWhole = Object.entries(kinds[kind] ?? {}).every(([name, check]) => check(data[name]))
  return isWhole ? (data as Message) : undefined
}
