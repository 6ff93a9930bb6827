/**
 * The inspected tab as signals: its calls, its chain, and the requests of the panel.
 * @module
 */
import { type Signal, signal } from '@preact/signals'
import type { Answered, CallBegan, CallEnded, CallsLost, ForkState } from '../link/messages.ts'
import { type Channel, openChannel } from '../link/reconnecting.ts'
import { Requests } from '../link/requests.ts'
import { callsOf, type HttpEntry } from '../recording/httpCalls.ts'
import { type Entry, Recorder } from '../recording/recorder.ts'

const place = new URLSearchParams(location.search)

/** Of the inspected tab. */
export const tabId: number = chrome.devtools?.inspectedWindow.tabId ?? Number(place.get('tab'))
export const entries: Signal<readonly Entry[]> = signal([])
export const lost: Signal<number> = signal(0)
export const fork: Signal<ForkState> = signal({ kind: 'wallet' })
/** Of the page whose calls arrive; undefined: the hook does not run in it. */
export const origin: Signal<string | undefined> = signal(undefined)
export const isRecording: Signal<boolean> = signal(true)

export const recorder: Recorder = new Recorder()

/** Marks are found among all calls, so long lists change less often. */
const CHANGE_MS = 30
const LONG_CHANGE_MS = 400
const LONG = 2000

let isScheduled = false
let batches = 0

function changed(): void {
  if (isScheduled) return
  isScheduled = true
  const show = (): void => {
    isScheduled = false
    entries.value = [...recorder.entries]
    lost.value = recorder.lost
  }
  // Not for the next frame: a hidden tab has none.
  setTimeout(show, recorder.entries.length > LONG ? LONG_CHANGE_MS : CHANGE_MS)
}

const channel: Channel = openChannel({
  role: 'panel',
  tabId,
  receive: (message) => receive(message),
  lost: () => requests.fail('the page cannot be reached'),
})
const requests = new Requests((message) => channel.send(message))

/** Asks the fork, or else the wallet of the page. @throws {ProviderError} */
export const request = (method: string, params: readonly unknown[]): Promise<unknown> =>
  requests.request(method, params)

export function command(kind: 'fork' | 'back'): void {
  channel.send({ kind })
}

/** Begins to record a site. The caller has the permission for it. */
export function startHook(site: string): void {
  channel.send({ kind: 'start', origin: site })
}

export function clear(): void {
  recorder.clear()
  changed()
}

function receive(message: { readonly kind: string }): void {
  switch (message.kind) {
    case 'began':
      if (isRecording.value) recorder.began(message as CallBegan)
      break
    case 'ended':
      recorder.ended(message as CallEnded)
      break
    case 'lost':
      recorder.lost += (message as CallsLost).calls
      break
    case 'page':
      recorder.beginPage()
      break
    case 'answer':
      requests.settle(message as Answered)
      return
    case 'state':
      showState(message as unknown as TabState)
      return
    case 'started':
      reloadPage()
      return
  }
  changed()
}

interface TabState {
  readonly fork: ForkState
  readonly origin?: string
}

function showState(state: TabState): void {
  fork.value = state.fork
  origin.value = state.origin
}

function reloadPage(): void {
  if (chrome.devtools !== undefined) chrome.devtools.inspectedWindow.reload()
  else void chrome.tabs.reload(tabId)
}

/** The address of the inspected page, which is known before its hook runs. */
export function inspectedSite(): Promise<string | undefined> {
  const { devtools } = chrome
  const given = URL.parse(place.get('url') ?? '')?.origin
  if (devtools === undefined) return Promise.resolve(given)
  return new Promise((resolve) => {
    devtools.inspectedWindow.eval('location.origin', (value) => {
      resolve(typeof value === 'string' && /^https?:/.test(value) ? value : undefined)
    })
  })
}

/** An entry of the network log, whose body is read on demand. */
interface LoggedEntry extends HttpEntry {
  getContent(done: (text: string | null) => void): void
}

chrome.devtools?.network.onRequestFinished.addListener((entry) => {
  const logged = entry as LoggedEntry
  const isPossible = callsOf(logged, undefined, 0).length > 0
  if (!isPossible || !isRecording.value) return
  const batch = ++batches
  logged.getContent((text) => {
    for (const call of callsOf(logged, text ?? undefined, batch)) recorder.add(call)
    changed()
  })
})
