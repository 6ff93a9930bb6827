/**
 * Party info: an enclave's URL, its keys, and other enclaves that it knows, as Tessera encodes them.
 * @module
 */
import { MAX_ENCLAVE_PARTY_ITEMS, MAX_ENCLAVE_URL_LENGTH } from '../../base/limits/limits.ts'
import { concatBytes } from '../../base/primitives/bytes.ts'
import { countOf, FieldReader, fieldOf, fieldsOf, malformed } from './fields.ts'

export interface PartyKey {
  /** Public key, 32 bytes as a rule. */
  readonly key: Uint8Array
  readonly url: string
}

export interface PartyInfo {
  /** URL of the enclave that sends it. */
  readonly url: string
  readonly keys: readonly PartyKey[]
  /** URLs of further enclaves. */
  readonly parties: readonly string[]
}

const text = new TextEncoder()

export function encodePartyInfo({ url, keys, parties }: PartyInfo): Uint8Array {
  return concatBytes(
    fieldOf(text.encode(url)),
    countOf(keys.length),
    ...keys.flatMap((item) => [fieldOf(item.key), fieldOf(text.encode(item.url))]),
    fieldsOf(parties.map((party) => text.encode(party))),
  )
}

/**
 * @param bytes of any origin
 * @throws {NodeError} ENCLAVE_REFUSAL with status 400
 */
export function decodePartyInfo(bytes: Uint8Array): PartyInfo {
  const reader = new FieldReader(bytes)
  const info = {
    url: reader.text(),
    keys: reader.list(MAX_ENCLAVE_PARTY_ITEMS, () => ({ key: reader.field(), url: reader.text() })),
    parties: reader.list(MAX_ENCLAVE_PARTY_ITEMS, () => reader.text()),
  }
  if (!reader.isAtEnd) throw malformed('bytes follow the message')
  return info
}

/**
 * The form in which URLs of enclaves are compared: with a slash at the end.
 * @returns undefined for anything but an HTTP URL without credentials, query and fragment
 */
export function enclaveUrl(given: string): string | undefined {
  if (given.length > MAX_ENCLAVE_URL_LENGTH || !URL.canParse(given)) return undefined
  const { protocol, username, password, search, hash, href } = new URL(given)
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '' || search !== '' || hash !== '')
    return undefined
  return href.endsWith('/') ? href : `${href}/`
}
