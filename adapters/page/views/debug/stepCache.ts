/**
 * Windows of steps, of which the newest stay in memory: the trace itself may have any length.
 * @module
 */
import type { Ask } from '../../rpc/ask.ts'
import type { Frame, Step, StepWindow, Target } from './types.ts'

/** Steps that are asked for together. */
export const WINDOW_STEPS = 64
const MAX_CHARACTERS = 4_000_000
const OPTIONS = { count: WINDOW_STEPS, stack: true, storage: true } as const

interface Kept {
  readonly window: StepWindow
  readonly characters: number
}

export class StepCache {
  readonly #target: Target
  /** By number of the window, least recently used first. */
  readonly #windows = new Map<number, Kept>()
  readonly #frames = new Map<number, Frame>()
  #characters = 0
  /** Number of steps; undefined until an answer has reached the end. */
  total: number | undefined

  constructor(target: Target) {
    this.#target = target
  }

  /** @returns undefined behind the end */
  async step(ask: Ask, index: number): Promise<Step | undefined> {
    const window = this.#kept(windowOf(index)) ?? (await this.#ask(ask, windowOf(index)))
    // Large stacks make an answer shorter than asked for.
    const found = window.steps.find((step) => step.index === index)
    if (found !== undefined || index >= window.from + window.steps.length + WINDOW_STEPS) return found
    if (window.total !== null && index >= window.total) return undefined
    const rest = await ask<StepWindow>('debug_traceSteps', this.#target, { ...OPTIONS, from: index, count: 1 })
    this.#learn(rest)
    return rest.steps[0]
  }

  /** The steps around an index that are in memory, in order. */
  around(index: number): readonly Step[] {
    const at = windowOf(index)
    return [at - 1, at, at + 1].flatMap((number) => this.#windows.get(number)?.window.steps ?? [])
  }

  /** @param id of a frame of a step that was asked for */
  frame(id: number): Frame | undefined {
    return this.#frames.get(id)
  }

  #kept(number: number): StepWindow | undefined {
    const kept = this.#windows.get(number)
    if (kept === undefined) return undefined
    this.#windows.delete(number)
    this.#windows.set(number, kept)
    return kept.window
  }

  async #ask(ask: Ask, number: number): Promise<StepWindow> {
    const from = number * WINDOW_STEPS
    const window = await ask<StepWindow>('debug_traceSteps', this.#target, { ...OPTIONS, from })
    this.#learn(window)
    const characters = window.steps.reduce((sum, step) => sum + sizeOf(step), 0)
    this.#windows.set(number, { window, characters })
    this.#characters += characters
    for (const [oldest, kept] of this.#windows) {
      if (this.#characters <= MAX_CHARACTERS || oldest === number) break
      this.#windows.delete(oldest)
      this.#characters -= kept.characters
    }
    return window
  }

  #learn({ frames, total }: StepWindow): void {
    // Frames that have ended replace those that were open.
    for (const frame of frames) this.#frames.set(frame.id, frame)
    if (total !== null) this.total = total
  }
}

function windowOf(index: number): number {
  return Math.floor(index / WINDOW_STEPS)
}

function sizeOf({ stack = [] }: Step): number {
  return stack.reduce((sum, word) => sum + word.length, 200)
}
