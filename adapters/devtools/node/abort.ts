/** @returns the answer, or the reason of the signal if that fires first, which does not end the work */
export function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return answer
  const aborted = new Promise<never>((_, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
  return Promise.race([answer, aborted])
}
