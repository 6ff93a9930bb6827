/** Options of the dev chain that lift a limit, by the beginning of the message about it. */
const ADVICE: readonly (readonly [message: RegExp, option: string])[] = [
  [/^transaction gas limit too high/i, '--allow-unlimited-gas lifts the cap'],
  [/^max (?:init)?code size exceeded/i, '--code-size-limit raises the limit'],
]

/** @returns the message, with the option that would help in parentheses */
export function withAdvice(message: string): string {
  const advice = ADVICE.find(([pattern]) => pattern.test(message))
  return advice === undefined ? message : `${message} (${advice[1]})`
}
