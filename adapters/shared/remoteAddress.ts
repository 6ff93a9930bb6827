import { NodeError } from '../../src/base/primitives/errors.ts'

/** Shorter parts of a URL are words such as `v1`, and no keys. */
const MIN_SECRET_LENGTH = 8
/** Replacing shorter ones would make any text unreadable. */
const MIN_PASSWORD_LENGTH = 3
const REDACTED = '…'

/** The URL of another node. Path, query, credentials and headers often hold a key, so messages show the origin only. */
export class RemoteAddress {
  /** Scheme, host and port. */
  readonly origin: string
  /** `fetch` refuses a URL with credentials. */
  readonly urlWithoutCredentials: string
  /** The credentials of the URL as a header; undefined without any. */
  readonly authorization: string | undefined
  readonly #secrets: readonly string[]

  /**
   * @param schemes such as `http:`
   * @throws {NodeError} INVALID_OPTION, without the URL
   */
  constructor(text: string, schemes: readonly string[], headers: Readonly<Record<string, string>> = {}) {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (url === undefined || !schemes.includes(url.protocol)) {
      const found =
        url === undefined ? 'the address of a node is not a URL' : `${url.protocol} is not a scheme of a node`
      const expected = schemes.map((scheme) => `${scheme}//`).join(' or ')
      throw new NodeError({ code: 'INVALID_OPTION' }, `${found}: expected ${expected}`)
    }
    this.origin = `${url.protocol}//${url.host}`
    const { username, password } = url
    this.#secrets = secretsOf(url, headers)
    const credentials = `${decoded(username)}:${decoded(password)}`
    this.authorization = credentials === ':' ? undefined : `Basic ${base64(credentials)}`
    url.username = ''
    url.password = ''
    url.hash = ''
    this.urlWithoutCredentials = url.href
  }

  /** Removes the parts of the address that can be keys from a text, such as an error of the runtime. */
  redacted(text: string): string {
    const origins = text.replaceAll(/\b(?:https?|wss?):\/\/[^\s"'<>)\]]+/gi, originOf)
    return this.#secrets.reduce((result, secret) => result.replaceAll(secret, REDACTED), origins)
  }
}

function originOf(text: string): string {
  if (!URL.canParse(text)) return REDACTED
  const { protocol, host } = new URL(text)
  return `${protocol}//${host}`
}

/** As they stand in the URL, and decoded; the longest first, because one may contain another. */
function secretsOf(url: URL, headers: Readonly<Record<string, string>>): string[] {
  const values = Object.values(headers).flatMap((value) => value.split(' '))
  const parts = [...url.pathname.split('/'), ...url.searchParams.values(), url.search.slice(1), url.username, ...values]
  const long = [...parts, url.pathname].filter((part) => part.length >= MIN_SECRET_LENGTH)
  const passwords = [url.password].filter((part) => part.length >= MIN_PASSWORD_LENGTH)
  const all = [...long, ...passwords].flatMap((part) => [part, decoded(part)])
  return [...new Set(all)].sort((a, b) => b.length - a.length)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}
