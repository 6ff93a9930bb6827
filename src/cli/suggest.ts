/**
 * Suggestions for misspelled words.
 * @module
 */

/** Candidates that differ in more than this share of their letters are not meant. */
const MAX_SHARE = 1 / 3

/**
 * Returns the other candidate that is closest to a word, regardless of case.
 * @returns undefined when none is similar
 */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  const lowerCase = word.toLowerCase()
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const distance = editDistance(lowerCase, candidate.toLowerCase())
    const isSimilar = distance <= Math.max(1, Math.floor(Math.max(word.length, candidate.length) * MAX_SHARE))
    if (!isSimilar || distance >= least || candidate === word) continue
    best = candidate
    least = distance
  }
  return best
}

/**
 * Number of insertions, deletions, replacements and swaps of neighbours that turn one text into the other
 * (Damerau-Levenshtein distance, each letter changed at most once).
 */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      let cost = Math.min(
        (last[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (last[j - 1] as number) + (isSame ? 0 : 1),
      )
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwap) cost = Math.min(cost, (beforeLast[j - 2] as number) + 1)
      row.push(cost)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] as number
}

/** Options of other dev chains that have another form here. */
const FOREIGN_OPTIONS: Readonly<Record<string, string>> = {
  'allow-origin': 'use --rpc-http-cors-origins',
  'steps-tracing': 'traces need no option',
  'print-traces': 'use --verbose',
  color: 'use --color-enabled',
  'gas-price': 'use --min-gas-price',
  'enable-tx-gas-limit': 'Osaka has this limit; --allow-unlimited-gas lifts it',
  'no-request-size-limit': 'use --rpc-http-max-request-content-length',
  'preserve-historical-states': 'all states are kept',
  'disable-default-create2-deployer': 'use --predeploys=none',
  'mnemonic-seed-unsafe': 'use --mnemonic with the words that anvil prints for the seed, or --mnemonic-random',
}

/**
 * @param word as on the command line, without a value
 * @param names of options, without dashes
 * @returns the end of a message about an unknown option; empty when there is nothing to suggest
 */
export function optionHint(word: string, names: readonly string[]): string {
  const name = word.replace(/^-+/, '')
  const negated = name.startsWith('no-') ? name.slice('no-'.length) : undefined
  if (negated !== undefined && names.includes(negated)) return `: use --${negated}=false.`
  const foreign = Object.hasOwn(FOREIGN_OPTIONS, name) ? FOREIGN_OPTIONS[name] : undefined
  if (foreign !== undefined) return `: ${foreign}.`
  const nearestName = closest(name, names)
  return nearestName === undefined ? '' : `. Did you mean --${nearestName}?`
}

/** @returns the end of a message about a word that is none of the candidates */
export function wordHint(word: string, candidates: Iterable<string>): string {
  const nearestWord = closest(word, candidates)
  return nearestWord === undefined ? '' : `. Did you mean ${nearestWord}?`
}
