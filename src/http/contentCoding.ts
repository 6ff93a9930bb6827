/** A coding of bodies, in the order of preference. */
export type ContentCoding = 'gzip' | 'deflate'

const CODINGS: readonly ContentCoding[] = ['gzip', 'deflate']
const ITEM = /^([a-z*-]+)(?:\s*;\s*q\s*=\s*([01](?:\.\d{0,3})?))?$/

/** The best coding for an answer that is compressed when it is sent; undefined: none. */
export function acceptedCoding(header: string | undefined): ContentCoding | undefined {
  return acceptedOf(CODINGS, header)
}

/**
 * @param codings in the order of preference
 * @param header the value of `Accept-Encoding`
 * @returns the best coding that the client accepts; undefined: none
 * @see RFC 9110 section 12.5.3
 */
export function acceptedOf<Coding extends string>(
  codings: readonly Coding[],
  header: string | undefined,
): Coding | undefined {
  if (header === undefined || header === '') return undefined
  const weights = new Map<string, number>()
  for (const item of header.toLowerCase().split(',')) {
    const match = ITEM.exec(item.trim())
    if (match !== null) weights.set(match[1] as string, match[2] === undefined ? 1 : Number(match[2]))
  }
  const weightOf = (coding: Coding): number => weights.get(coding) ?? weights.get('*') ?? 0
  const accepted = codings.filter((coding) => weightOf(coding) > 0)
  return accepted.sort((a, b) => weightOf(b) - weightOf(a))[0]
}
