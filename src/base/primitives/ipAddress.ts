/**
 * IP addresses as text and as 4 or 16 bytes.
 * @module
 */

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/
const IPV6 = /^[0-9a-f:.]{2,45}$/i
const GROUPS = 8
/** ::ffff:0:0/96 */
const MAPPED_PREFIX_BYTES = 12

/**
 * @param text IPv4, or IPv6 without brackets
 * @returns 4 bytes, also for an IPv4-mapped IPv6 address, or 16 bytes; undefined when it is not an address
 */
export function parseIp(text: string): Uint8Array | undefined {
  if (IPV4.test(text)) return Uint8Array.from(text.split('.'), Number)
  if (!IPV6.test(text) || !text.includes(':') || !URL.canParse(`http://[${text}]/`)) return undefined
  const [head = '', tail] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split('::')
  const headGroups = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: GROUPS - headGroups.length - right.length }, () => '0')
  const groups = [...headGroups, ...zeros, ...right].map((group) => Number.parseInt(group, 16))
  return unmapped(Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff])))
}

/**
 * @returns IPv6 in the form of RFC 5952, IPv4-mapped addresses as IPv4; undefined unless 4 or 16 bytes are given
 */
export function ipText(bytes: Uint8Array): string | undefined {
  if (bytes.length === 4) return bytes.join('.')
  if (bytes.length !== 16) return undefined
  const plain = unmapped(bytes)
  if (plain.length === 4) return plain.join('.')
  const groups = Array.from({ length: GROUPS }, (_, i) =>
    (((bytes[2 * i] as number) << 8) | (bytes[2 * i + 1] as number)).toString(16),
  )
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1)
}

function unmapped(bytes: Uint8Array): Uint8Array {
  for (let i = 0; i < MAPPED_PREFIX_BYTES; i++) if (bytes[i] !== (i < 10 ? 0 : 0xff)) return bytes
  return bytes.slice(MAPPED_PREFIX_BYTES)
}

/** How far an address reaches. `unusable` addresses cannot be contacted. */
export type IpScope = 'unusable' | 'loopback' | 'local' | 'global'

/** @param bytes 4 or 16 @see RFC 6890 */
export function ipScope(bytes: Uint8Array): IpScope {
  const [a = 0, b = 0] = bytes
  if (bytes.length === 4) {
    if (a === 0 || a >= 224) return 'unusable'
    if (a === 127) return 'loopback'
    const isLocal =
      a === 10 ||
      (a === 172 && b >> 4 === 1) ||
      (a === 192 && b === 168) ||
      (a === 169 && b === 254) ||
      (a === 100 && b >> 6 === 1)
    return isLocal ? 'local' : 'global'
  }
  if (a === 0xff) return 'unusable'
  if (bytes.subarray(0, 15).every((byte) => byte === 0)) return bytes[15] === 1 ? 'loopback' : 'unusable'
  return (a & 0xfe) === 0xfc || (a === 0xfe && b >> 6 === 2) ? 'local' : 'global'
}
