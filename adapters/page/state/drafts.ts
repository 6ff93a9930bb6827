/**
 * Unsaved input of forms. It survives a reload of the page.
 * @module
 */
import { useEffect, useState } from 'preact/hooks'
import { place } from './router.ts'
import { readDraft, writeDraft } from './settings.ts'

/** Longer input, such as a whole file, is not kept: storage of a tab has about 5 MB. */
const MAX_KEPT = 200_000

/**
 * A text that is kept by view and name.
 * @param initial the text of an untouched form
 */
export function useDraft(name: string, initial = ''): readonly [text: string, set: (text: string) => void] {
  const key = `${place.value.path} ${name}`
  const [text, setText] = useState(() => readDraft(key) ?? initial)
  useEffect(() => setText(readDraft(key) ?? initial), [key])
  const set = (next: string): void => {
    setText(next)
    writeDraft(key, next === initial || next.length > MAX_KEPT ? undefined : next)
  }
  return [text, set]
}
