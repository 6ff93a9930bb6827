/**
 * Messages between the inspected page, the panel, the explorer and the node. Each is a text of JSON: what comes from a
 * page is parsed and checked where it arrives.
 * @module
 */
import type { CallError } from '../../../src/replay/recording.ts'

/** The outcome of a request. */
export type Settled = { readonly result: unknown } | { readonly error: CallError }

export interface Asked {
  readonly kind: 'ask'
  readonly id: number
  readonly method: string
  readonly params: unknown
}

export type Answered = { readonly kind: 'answer'; readonly id: number } & Settled

/** A call of the page has begun. Absent parameters were too long. */
export interface CallBegan {
  readonly kind: 'began'
  readonly id: number
  readonly provider: string
  readonly method: string
  readonly params?: unknown
  /** Unix time in ms. */
  readonly at: number
}

/** A call of the page has ended. An answer that was too long is absent. */
export interface CallEnded {
  readonly kind: 'ended'
  readonly id: number
  readonly durationMs: number
  /** Characters of the answer. */
  readonly size: number
  readonly result?: unknown
  readonly error?: unknown
}

/** Calls were not recorded, because the page made too many at once. */
export interface CallsLost {
  readonly kind: 'lost'
  readonly calls: number
}

/** The page leaves its wallet for a fork, and comes back. */
export type Switch =
  | { readonly kind: 'fork'; readonly chainId: string; readonly accounts: readonly string[] }
  | { readonly kind: 'back' }

/** `gone`: the background script was stopped, so what was asked of it gets no answer. */
export type ToPage =
  | { readonly kind: 'record'; readonly isOn: boolean }
  | { readonly kind: 'gone' }
  | Switch
  | Asked
  | Answered

/** The fork, as the panel shows it. */
export type ForkState =
  | { readonly kind: 'wallet' }
  | { readonly kind: 'opening' }
  | { readonly kind: 'forked'; readonly chainId: string; readonly block: string; readonly account: string | undefined }
  | { readonly kind: 'failed'; readonly message: string }

/** How a port of the extension introduces itself: `panel 12`, where 12 is the tab that it looks at. */
export type Role = 'page' | 'panel' | 'view' | 'node'

/** @returns undefined unless the text is JSON of an object with a kind */
export function parseMessage<T extends { readonly kind: string }>(text: unknown): T | undefined {
  if (typeof text !== 'string') return undefined
  try {
    const message = JSON.parse(text) as { readonly kind?: unknown } | null
    return typeof message === 'object' && typeof message?.kind === 'string' ? (message as T) : undefined
  } catch {
    return undefined
  }
}
