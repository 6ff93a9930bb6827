/**
 * The breakpoints of the reader, kept for the tab.
 * @module
 */
import { type Signal, signal } from '@preact/signals'
import { readDraft, writeDraft } from '../../state/settings.ts'
import { type Breakpoint, MAX_BREAKPOINTS, toggled } from './breakpoints.ts'

const STORED = 'debug-breakpoints'

export const breakpoints: Signal<readonly Breakpoint[]> = signal(readStored())

export function toggle(breakpoint: Breakpoint): void {
  breakpoints.value = toggled(breakpoints.value, breakpoint)
  writeDraft(STORED, JSON.stringify(breakpoints.value))
}

function readStored(): readonly Breakpoint[] {
  try {
    const stored: unknown = JSON.parse(readDraft(STORED) ?? '[]')
    return Array.isArray(stored) ? (stored as Breakpoint[]).slice(0, MAX_BREAKPOINTS) : []
  } catch {
    return []
  }
}
