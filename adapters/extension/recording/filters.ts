/**
 * Which calls the panel shows.
 * @module
 */
import { treatmentOf } from '../../../src/replay/policy.ts'
import type { RecordedCall } from '../../../src/replay/recording.ts'
import type { Mark } from './marks.ts'

export const KINDS = ['all', 'reads', 'sends', 'errors', 'wallet', 'http', 'marked'] as const
export type Kind = (typeof KINDS)[number]

export interface Filter {
  readonly kind: Kind
  /** Part of the method, of the decoded call, or of the parameters; the case does not matter. */
  readonly text: string
}

/** @param meaningOf asked only when there is a text to find */
export function isShown(
  call: RecordedCall,
  { kind, text }: Filter,
  mark: Mark | undefined,
  meaningOf: (call: RecordedCall) => string,
): boolean {
  if (!isOfKind(call, kind, mark)) return false
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return true
  const texts = [call.method, meaningOf(call), call.provider, JSON.stringify(call.params)]
  return texts.some((part) => part.toLowerCase().includes(wanted))
}

function isOfKind(call: RecordedCall, kind: Kind, mark: Mark | undefined): boolean {
  switch (kind) {
    case 'all':
      return true
    case 'reads':
      return treatmentOf(call.method) === 'compare'
    case 'sends':
      return treatmentOf(call.method) === 'send'
    case 'errors':
      return call.error !== undefined
    case 'marked':
      return mark !== undefined
    default:
      return call.transport === kind
  }
}
