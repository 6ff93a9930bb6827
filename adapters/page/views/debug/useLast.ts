import { useRef } from 'preact/hooks'

/** The last value that was there, so that a panel keeps its content while the next step is on its way. */
export function useLast<T>(value: T | undefined): T | undefined {
  const last = useRef(value)
  if (value !== undefined) last.current = value
  return last.current
}
