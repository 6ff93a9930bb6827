/**
 * The media types that a client accepts as an answer.
 * @module
 */

/** @see RFC 9110 section 12.5.1 */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '*/*' || accept === 'application/json' || accept === '') return true
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    if (type !== '*/*' && type !== 'application/*' && type !== 'application/json') continue
    if (!parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))) return true
  }
  return false
}

/** Browsers ask for HTML in the address bar; programs do not. */
export function acceptsHtml(accept: string | undefined): boolean {
  return accept !== undefined && /(?:^|,)\s*text\/html\b/.test(accept)
}
